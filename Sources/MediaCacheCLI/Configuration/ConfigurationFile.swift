import Foundation

/// The configuration file: an object of JSON with the server's settings by their names, and `channels`.
///
/// ```json
/// {"port": 9479, "maxSize": "500GB", "allowedHost": ["tv.example.org"],
///  "channels": [{"name": "news", "url": "https://example.org/live.m3u8", "keep": "24h"}]}
/// ```
struct ConfigurationFile: Sendable {
    /// Where it is, for messages.
    let path: String
    /// What it says of settings; of a list a line each.
    let values: [Setting: String]
    /// The channels that it declares.
    let channels: [ChannelEntry]

    /// More than this is no configuration.
    private static let largest = 16 << 20

    /// Reads a file.
    ///
    /// - Throws: ``CommandFailure``, naming the file, and what is wrong with it.
    init(path: String) throws {
        let text: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            text = try handle.read(upToCount: Self.largest + 1) ?? Data()
        } catch {
            throw CommandFailure(.failed, "the configuration file “\(path)” can't be read")
        }
        try self.init(path: path, text)
    }

    /// Reads a file's text. An empty one says nothing, so that `/dev/null` is a configuration, too.
    ///
    /// - Throws: as ``init(path:)``.
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
        guard text.count <= largest else { throw ArgumentTextError("it's too large for a configuration") }
        guard text.contains(where: { !" \t\r\n".utf8.contains($0) }) else { return [:] }
        switch try? JSONDecoder().decode(ConfigurationValue.self, from: text) {
        case nil: throw ArgumentTextError("it isn't JSON" + (place(ofErrorIn: text).map { ": \($0)" } ?? ""))
        case .object(let object): return object
        default: throw ArgumentTextError("it isn't an object such as {\"port\": 9479, \"channels\": […]}")
        }
    }

    /// Where the parser stopped, in its own words.
    private static func place(ofErrorIn text: Data) -> String? {
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
                    throw ArgumentTextError("\(setting.rawValue) isn't an array of texts")
                }
                return text
            }.joined(separator: "\n")
        case (.list, .text(let text)), (.text, .text(let text)), (.number, .text(let text)): return text
        case (.list, _): throw ArgumentTextError("\(setting.rawValue) isn't an array of texts")
        case (.flag, .flag(let flag)): return "\(flag)"
        case (.flag, _): throw ArgumentTextError("\(setting.rawValue) is neither true nor false")
        case (.number, .number), (.text, .number): return value.plainText ?? ""
        case (.number, _): throw ArgumentTextError("\(setting.rawValue) isn't a number")
        case (.text, _): throw ArgumentTextError("\(setting.rawValue) isn't text")
        }
    }
}
