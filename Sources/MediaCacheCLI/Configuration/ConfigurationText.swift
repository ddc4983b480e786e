import HTTPTypes
import MediaCache
import MediaCacheCurl

/// The parsing of settings.
enum ConfigurationText {
    /// Parses true, yes, on or 1; false, no, off or 0.
    static func flag(_ text: String) throws -> Bool {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: throw ArgumentTextError("“\(text)” is not a Boolean; use true or false")
        }
    }

    static func number(_ text: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw ArgumentTextError("“\(text)” is not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension Setting {
    /// Returns a text without secrets: the values of header fields, the credentials of a proxy.
    func redacted(_ text: String) -> String {
        switch self {
        case .header:
            items(of: text).map { item in
                guard let argument = try? HeaderArgument(parsing: item) else { return "(hidden)" }
                return (argument.origin.map { "\($0.scheme)://\($0.authority) " } ?? "")
                    + "\(argument.name.rawName): (hidden)"
            }.joined(separator: "\n")
        case .proxy: (try? HostSettings.proxy(text)).map(\.description) ?? "(hidden)"
        default: text
        }
    }
}
