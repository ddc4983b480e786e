import Foundation

/// What `--json` prints: sorted keys, two spaces, plain slashes, dates of RFC 3339.
enum JSONOutput {
    /// `value` as JSON text.
    static func text(_ value: some Encodable) throws -> String { try text(value, .prettyPrinted) }

    /// `value` as JSON in one line: of several values a line each is what programs read as they come.
    static func line(_ value: some Encodable) throws -> String { try text(value, []) }

    private static func text(_ value: some Encodable, _ form: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, form]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
