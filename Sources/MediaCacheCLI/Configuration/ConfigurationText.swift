import HTTPTypes
import MediaCache

/// Values of settings as text.
enum ConfigurationText {
    /// Reads true or false, in the words that people use.
    ///
    /// - Throws: ``ArgumentTextError``.
    static func flag(_ text: String) throws -> Bool {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: throw ArgumentTextError("“\(text)” is neither true nor false")
        }
    }

    /// Reads a whole number.
    ///
    /// - Throws: ``ArgumentTextError``.
    static func number(_ text: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            let most = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw ArgumentTextError("“\(text)” is no whole number from \(range.lowerBound)\(most)")
        }
        return number
    }
}

extension Setting {
    /// Whether its value may hold what nobody else should read.
    var isSecret: Bool { self == .header || self == .proxy }

    /// A value without what nobody else should read: of a header field its name, of a proxy where it is.
    func redacted(_ text: String) -> String {
        switch self {
        case .header:
            items(of: text).map { item in
                guard let argument = try? HeaderArgument(parsing: item) else { return "(hidden)" }
                return (argument.origin.map { "\($0.scheme)://\($0.authority) " } ?? "")
                    + "\(argument.name.rawName): (hidden)"
            }.joined(separator: "\n")
        case .proxy: (try? URLArgument.parse(text)).map(\.description) ?? "(hidden)"
        default: text
        }
    }
}
