/// A channel, as the configuration file declares it.
struct ChannelEntry: Sendable, Hashable {
    /// What it's called.
    var name: String
    /// What is said of it, as text.
    var values: [String: String] = [:]
    /// Header fields for its origin.
    var headers: [String: String] = [:]

    /// The channels of the file's `channels`, in their order.
    ///
    /// - Throws: ``ArgumentTextError``, naming the entry, and what is wrong with it.
    static func list(_ value: ConfigurationValue) throws -> [ChannelEntry] {
        guard case .list(let list) = value else { throw ArgumentTextError("channels isn't an array") }
        var names: Set<String> = []
        return try list.enumerated().map { index, value in
            guard case .object(let object) = value else {
                throw ArgumentTextError("channels[\(index)] isn't an object")
            }
            guard case .text(let name) = object["name"] else {
                throw ArgumentTextError("channels[\(index)] has no name")
            }
            do {
                guard names.insert(name).inserted else { throw ArgumentTextError("there is one of this name before") }
                return try ChannelEntry(name: name, object)
            } catch let error as ArgumentTextError {
                throw ArgumentTextError("channels[\(index)] “\(name)”: \(error)")
            }
        }
    }

    private init(name: String, _ object: [String: ConfigurationValue]) throws {
        self.name = name
        for (key, value) in object.sorted(by: { $0.key < $1.key }) where key != "name" {
            if key == "headers" {
                headers = try Self.headers(value)
                continue
            }
            guard ChannelConfiguration.Key(rawValue: key) != nil else {
                let known = ["name", "headers"] + ChannelConfiguration.Key.allCases.map(\.rawValue)
                let nearest = NearestName.nearest(to: key, among: known).map { "; did you mean “\($0)”?" }
                throw ArgumentTextError(
                    "it has no “\(key)”" + (nearest ?? "; it may have \(known.sorted().joined(separator: ", "))"))
            }
            guard let text = value.plainText else {
                throw ArgumentTextError("its \(key) is neither text, a number, true nor false")
            }
            values[key] = text
        }
    }

    private static func headers(_ value: ConfigurationValue) throws -> [String: String] {
        let error = ArgumentTextError("its headers aren't an object of strings")
        guard case .object(let object) = value else { throw error }
        return try object.mapValues {
            guard case .text(let text) = $0 else { throw error }
            return text
        }
    }
}
