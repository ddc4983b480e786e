/// The values of attributes by type (RFC 8216bis, section 4.2). Each getter is nil where the attribute is absent or has
/// another type; the value itself stays in the list.
extension AttributeList {
    /// A value's text, quoted or not: real playlists mix the two up.
    public func text(_ name: AttributeName) -> String? {
        self[name]?.text
    }

    /// A decimal-integer, from 0 to 2⁶³ − 1. A fraction, which some servers write, is cut off.
    public func integer(_ name: AttributeName) -> Int? {
        guard let value = decimal(name), value.significand >= 0 else { return nil }
        return value.truncated
    }

    /// A decimal-floating-point or signed-decimal-floating-point.
    public func decimal(_ name: AttributeName) -> DecimalValue? {
        self[name].flatMap { DecimalValue($0.text) }
    }

    /// An enumerated YES or NO; nil for any other text.
    public func flag(_ name: AttributeName) -> Bool? {
        switch self[name]?.text {
        case "YES": true
        case "NO": false
        default: nil
        }
    }

    /// A decimal-resolution.
    public func resolution(_ name: AttributeName) -> Resolution? {
        self[name].flatMap { Resolution($0.text) }
    }

    /// A quoted byte range: `length@offset`, or `length`.
    public func byteRange(_ name: AttributeName) -> ByteRange? {
        self[name].flatMap { ByteRange($0.text) }
    }

    /// A quoted date and time.
    public func dateTime(_ name: AttributeName) -> DateTime? {
        self[name].map { DateTime($0.text) }
    }

    /// A quoted list separated by commas, blanks around its items dropped.
    public func list(_ name: AttributeName) -> [String] {
        guard let text = self[name]?.text, !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: true).map { String($0).trimmedBlanks }
    }

    /// Sets a quoted string; nil removes the attribute.
    public mutating func setQuoted(_ text: String?, for name: AttributeName) {
        self[name] = text.map { .quoted($0) }
    }

    /// Sets an unquoted value from its description; nil removes the attribute.
    public mutating func setUnquoted(_ value: (some CustomStringConvertible)?, for name: AttributeName) {
        self[name] = value.map { .unquoted($0.description) }
    }

    /// Sets YES or NO; nil removes the attribute.
    public mutating func setFlag(_ flag: Bool?, for name: AttributeName) {
        self[name] = flag.map { .unquoted($0 ? "YES" : "NO") }
    }
}
