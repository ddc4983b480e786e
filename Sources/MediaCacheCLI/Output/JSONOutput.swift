import Foundation

/// What `--json` prints: sorted keys, two spaces, plain slashes, dates of RFC 3339.
enum JSONOutput {
    /// `value` as JSON text.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
