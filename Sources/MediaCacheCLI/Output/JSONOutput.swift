import Foundation

/// The encoding of `--json` output: sorted keys, unescaped slashes, RFC 3339 dates.
enum JSONOutput {
    /// Returns a value as indented JSON.
    static func text(_ value: some Encodable) throws -> String { try text(value, .prettyPrinted) }

    /// Returns a value as JSON in one line.
    static func line(_ value: some Encodable) throws -> String { try text(value, []) }

    private static func text(_ value: some Encodable, _ form: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, form]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
