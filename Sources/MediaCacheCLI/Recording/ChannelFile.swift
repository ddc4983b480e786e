import Foundation
import MediaCache

/// A file of JSON that declares channels: an object whose `channels` is an array of objects.
struct ChannelFile: Sendable {
    /// A channel.
    struct Entry: Sendable, Hashable {
        /// What it's called.
        var name: String
        /// What is said of it, as text.
        var values: [String: String]
        /// Header fields for its origin.
        var headers: [String: String]
    }

    /// Where it is, for messages.
    let path: String
    /// The channels, in their order.
    let entries: [Entry]

    /// More than this is no configuration.
    private static let largest = 16 << 20

    /// Reads a file.
    ///
    /// - Throws: ``CommandFailure``, naming the file, the entry, and what is wrong with it.
    init(path: String) throws {
        let text: Data
        do {
            text = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure(.failed, "--config: “\(path)” can't be read")
        }
        try self.init(path: path, text)
    }

    /// Reads a file's text.
    ///
    /// - Throws: as ``init(path:)``.
    init(path: String, _ text: Data) throws {
        self.path = path
        guard text.count <= Self.largest, let object = try? JSONSerialization.jsonObject(with: text) else {
            throw CommandFailure(.usage, "\(path): it isn't JSON")
        }
        do {
            entries = try Self.entries(object)
        } catch let error as ArgumentTextError {
            throw CommandFailure(.usage, "\(path): \(error)")
        }
    }

    private static func entries(_ object: Any) throws -> [Entry] {
        guard let settings = object as? [String: Any] else {
            throw ArgumentTextError("it isn't an object such as {\"channels\": […]}")
        }
        if let key = settings.keys.sorted().first(where: { $0 != "channels" }) {
            throw ArgumentTextError("“\(key)” is no setting; channels is")
        }
        guard let list = settings["channels"] else { return [] }
        guard let list = list as? [Any] else { throw ArgumentTextError("channels isn't an array") }
        var names: Set<String> = []
        return try list.enumerated().map { index, value in
            guard let value = value as? [String: Any] else {
                throw ArgumentTextError("channels[\(index)] isn't an object")
            }
            guard let name = value["name"] as? String else { throw ArgumentTextError("channels[\(index)] has no name") }
            do {
                guard names.insert(name).inserted else { throw ArgumentTextError("there is one of this name before") }
                return try entry(name, value)
            } catch let error as ArgumentTextError {
                throw ArgumentTextError("channels[\(index)] “\(name)”: \(error)")
            }
        }
    }

    private static func entry(_ name: String, _ object: [String: Any]) throws -> Entry {
        var entry = Entry(name: name, values: [:], headers: [:])
        for (key, value) in object.sorted(by: { $0.key < $1.key }) where key != "name" {
            if key == "headers" {
                guard let headers = value as? [String: String] else {
                    throw ArgumentTextError("its headers aren't an object of strings")
                }
                entry.headers = headers
                continue
            }
            guard ChannelConfiguration.Key(rawValue: key) != nil else {
                let known = ["name", "headers"] + ChannelConfiguration.Key.allCases.map(\.rawValue)
                throw ArgumentTextError("it has no “\(key)”; it may have \(known.sorted().joined(separator: ", "))")
            }
            switch value {
            case let text as String: entry.values[key] = text
            case let number as NSNumber: entry.values[key] = "\(number)"
            default: throw ArgumentTextError("its \(key) is neither text, a number, true nor false")
            }
        }
        return entry
    }
}
