/// A channel's entry in the configuration file.
struct ChannelEntry: Sendable, Hashable {
    var name: String
    /// The values other than the name and headers, as text.
    var values: [String: String] = [:]
    var headers: [String: String] = [:]

    /// Parses the value of `channels` in the file.
    static func list(_ value: ConfigurationValue) throws -> [ChannelEntry] {
        guard case .list(let list) = value else { throw ArgumentTextError("channels must be an array") }
        var names: Set<String> = []
        return try list.enumerated().map { index, value in
            guard case .object(let object) = value else {
                throw ArgumentTextError("channels[\(index)] must be an object")
            }
            guard case .text(let name) = object["name"] else {
                throw ArgumentTextError("channels[\(index)] has no name")
            }
            do {
                guard names.insert(name).inserted else { throw ArgumentTextError("the name is used twice") }
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
                    "“\(key)” is not a key" + (nearest ?? "; the keys are \(known.sorted().joined(separator: ", "))"))
            }
            guard let text = value.plainText else {
                throw ArgumentTextError("\(key) must be text, a number, true or false")
            }
            values[key] = text
        }
    }

    private static func headers(_ value: ConfigurationValue) throws -> [String: String] {
        let error = ArgumentTextError("headers must be an object of strings")
        guard case .object(let object) = value else { throw error }
        return try object.mapValues {
            guard case .text(let text) = $0 else { throw error }
            return text
        }
    }
}
