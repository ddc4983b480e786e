/// The value of an attribute as it is written, quotes left out (RFC 8216bis, section 4.2).
public struct AttributeValue: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes, or the unquoted value.
    public let text: String
    /// Whether the value is a quoted string.
    public let isQuoted: Bool

    /// A quoted string. Quotes and line ends, which can't stand in one, are dropped.
    public static func quoted(_ text: String) -> AttributeValue {
        AttributeValue(text: text.removing { $0 == .quote || $0 == .lineFeed || $0 == .carriageReturn }, isQuoted: true)
    }

    /// An enumerated string or a number. Quotes, commas and white space, which can't stand in one, are dropped.
    public static func unquoted(_ text: String) -> AttributeValue {
        let text = text.removing {
            $0 == .quote || $0 == .comma || $0 == .lineFeed || $0 == .carriageReturn || $0.isBlank
        }
        return AttributeValue(text: text, isQuoted: false)
    }

    /// Takes text that is known to be writable.
    init(text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// The value as it is written in a playlist.
    public var description: String { isQuoted ? "\"" + text + "\"" : text }
}

extension String {
    func removing(_ isUnwanted: (UInt8) -> Bool) -> String {
        utf8.contains(where: isUnwanted) ? String(decoding: utf8.filter { !isUnwanted($0) }, as: UTF8.self) : self
    }
}
