import Foundation

/// The configuration file: a JSON object with the server's settings by name, and `channels`.
///
/// ```json
/// {"port": 9479, "maxSize": "500GB", "allowedHost": ["tv.example.org"],
///  "channels": [{"name": "news", "url": "https://example.org/live.m3u8", "keep": "24h"}]}
/// ```
struct ConfigurationFile: Sendable {
    let path: String
    /// The settings as text. Lists are in the syntax of ``Setting/items(of:)``.
    let values: [Setting: String]
    let channels: [ChannelEntry]

    private static let maximumSize = 16 << 20

    init(path: String) throws {
        let text: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            text = try handle.read(upToCount: Self.maximumSize + 1) ?? Data()
        } catch {
            throw CommandFailure(
                .failed, "the configuration file “\(path)” can't be read; check its path and permissions")
        }
        try self.init(path: path, text)
    }

    /// Parses the content of a file. Empty content, such as that of `/dev/null`, is a valid configuration.
    init(path: String, _ text: Data) throws {
        self.path = path
        do {
            let object = try Self.object(text)
            values = try Self.values(object)
            channels = try object["channels"].map(ChannelEntry.list) ?? []
        } catch let error as ArgumentTextError {
            throw CommandFailure(.usage, "\(path): \(error)")
        }
    }

    private static func object(_ text: Data) throws -> [String: ConfigurationValue] {
        guard text.count <= maximumSize else { throw ArgumentTextError("the file is larger than 16 MiB") }
        guard text.contains(where: { !" \t\r\n".utf8.contains($0) }) else { return [:] }
        switch try? JSONDecoder().decode(ConfigurationValue.self, from: text) {
        case nil: throw ArgumentTextError("the file isn't JSON" + (position(ofErrorIn: text).map { ": \($0)" } ?? ""))
        case .object(let object): return object
        default: throw ArgumentTextError("the file isn't an object such as {\"port\": 9479, \"channels\": […]}")
        }
    }

    /// Returns the parser's description of the error.
    private static func position(ofErrorIn text: Data) -> String? {
        do {
            _ = try JSONSerialization.jsonObject(with: text)
            return nil
        } catch {
            return (error as NSError).userInfo["NSDebugDescription"] as? String
        }
    }

    private static func values(_ object: [String: ConfigurationValue]) throws -> [Setting: String] {
        var values: [Setting: String] = [:]
        for (key, value) in object.sorted(by: { $0.key < $1.key }) where key != "channels" {
            guard let setting = Setting(rawValue: key) else {
                throw NearestName.unknown(key, among: Setting.allCases.map(\.rawValue) + ["channels"])
            }
            if value == .null { continue }
            values[setting] = try text(of: value, for: setting)
        }
        return values
    }

    private static func text(of value: ConfigurationValue, for setting: Setting) throws -> String {
        switch (setting.form, value) {
        case (.list, .list(let items)):
            return try items.map { item in
                guard case .text(let text) = item, !text.contains(where: \.isNewline) else {
                    throw ArgumentTextError("\(setting.rawValue) must be an array of strings")
                }
                return text
            }.joined(separator: "\n")
        case (.list, .text(let text)), (.text, .text(let text)), (.number, .text(let text)): return text
        case (.list, _): throw ArgumentTextError("\(setting.rawValue) must be an array of strings")
        case (.flag, .flag(let flag)): return "\(flag)"
        case (.flag, _): throw ArgumentTextError("\(setting.rawValue) must be true or false")
        case (.number, .number), (.text, .number): return value.plainText ?? ""
        case (.number, _): throw ArgumentTextError("\(setting.rawValue) must be a number")
        case (.text, _): throw ArgumentTextError("\(setting.rawValue) must be a string")
        }
    }
}
