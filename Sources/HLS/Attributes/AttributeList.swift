/// The attributes of a tag in the order in which they were written (RFC 8216bis §4.2). Unknown attributes and the
/// digits of numbers survive parsing, editing and writing.
public struct AttributeList: Sendable, Hashable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// An attribute.
    public struct Attribute: Sendable, Hashable {
        /// The name.
        public let name: AttributeName
        /// The value. In a parsed playlist, its variables are substituted, except in EXT-X-DEFINE.
        public internal(set) var value: AttributeValue

        /// Creates an attribute.
        public init(name: AttributeName, value: AttributeValue) {
            self.name = name
            self.value = value
        }
    }

    /// The attributes in order, including duplicates, which the RFC forbids.
    public private(set) var attributes: [Attribute]

    /// Creates an empty list.
    public init() { attributes = [] }

    /// Creates a list of attributes in order.
    public init(dictionaryLiteral elements: (AttributeName, AttributeValue)...) {
        attributes = elements.map { Attribute(name: $0.0, value: $0.1) }
    }

    /// The last value with a name. Setting a value replaces the attribute in place, or appends it; nil removes it.
    public subscript(name: AttributeName) -> AttributeValue? {
        get {
            attributes.last { $0.name == name }?.value
        }
        set {
            guard let newValue else {
                attributes.removeAll { $0.name == name }
                return
            }
            guard let index = attributes.firstIndex(where: { $0.name == name }) else {
                attributes.append(Attribute(name: name, value: newValue))
                return
            }
            attributes.removeAll { $0.name == name }
            attributes.insert(Attribute(name: name, value: newValue), at: index)
        }
    }

    /// The list in playlist syntax: the text after a tag's colon.
    public var description: String { attributes.map { "\($0.name)=\($0.value)" }.joined(separator: ",") }
}

// MARK: - Parsing

extension AttributeList {
    enum Problem: Equatable {
        case malformed(String)
        case duplicate(String)
        case undefinedVariable(String)
    }

    /// Parses a list. Variable references are substituted unless `variables` is nil.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, substituting variables: VariableScope?) {
        var problems: [Problem] = []
        self.init(bytes, range, substituting: variables, problems: &problems)
    }

    init(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, substituting variables: VariableScope?,
        problems: inout [Problem]
    ) {
        self.init()
        var items = AttributeListScanner(bytes, range)
        var names: Set<AttributeName> = []
        while let item = items.next() {
            let name = String(playlistBytes: bytes.part(item.name))
            let isName = bytes[item.name].allSatisfy { $0.isAttributeNameCharacter }
            if item.isMalformed || !isName { problems.append(.malformed(name)) }
            guard !item.name.isEmpty else { continue }
            let attribute = AttributeName(rawValue: name)
            if !names.insert(attribute).inserted { problems.append(.duplicate(name)) }
            attributes.append(
                Attribute(name: attribute, value: AttributeList.value(bytes, item, variables, &problems)))
        }
    }

    private static func value(
        _ bytes: UnsafeRawBufferPointer, _ item: AttributeListScanner.Item, _ variables: VariableScope?,
        _ problems: inout [Problem]
    ) -> AttributeValue {
        let written = String(playlistBytes: bytes.part(item.value))
        guard let variables, VariableScope.hasReference(bytes, item.value) else {
            return AttributeValue(text: written, isQuoted: item.isQuoted)
        }
        let (text, undefined) = variables.substituting(bytes, item.value)
        problems.append(contentsOf: undefined.map { .undefinedVariable($0) })
        if text == written || item.isQuoted { return AttributeValue(text: text, isQuoted: item.isQuoted) }
        // Only a quoted string can contain a comma or a blank.
        return text.utf8.contains { $0 == .comma || $0.isBlank } ? .quoted(text) : .unquoted(text)
    }
}

// MARK: - Typed values

/// Typed access to values (RFC 8216bis §4.2). Getters return nil for an absent attribute or a value of another type.
extension AttributeList {
    /// Returns the text of a value, quoted or not. Servers often use the wrong form.
    public func text(_ name: AttributeName) -> String? { self[name]?.text }

    /// Returns a decimal integer, from 0 to 2⁶³ − 1. Fractions, which some servers write, are truncated.
    public func integer(_ name: AttributeName) -> Int? {
        guard let value = decimal(name), value.significand >= 0 else { return nil }
        return value.truncated
    }

    /// Returns a decimal floating-point number, signed or unsigned.
    public func decimal(_ name: AttributeName) -> DecimalValue? { self[name].flatMap { DecimalValue($0.text) } }

    /// Returns true for YES and false for NO.
    public func flag(_ name: AttributeName) -> Bool? {
        switch self[name]?.text {
        case "YES": true
        case "NO": false
        default: nil
        }
    }

    /// Returns a decimal resolution, such as `1280x720`.
    public func resolution(_ name: AttributeName) -> Resolution? { self[name].flatMap { Resolution($0.text) } }

    /// Returns a byte range: `length@offset` or `length`.
    public func byteRange(_ name: AttributeName) -> ByteRange? { self[name].flatMap { ByteRange($0.text) } }

    /// Returns a date and time. Its ``DateTime/nanosecondsSinceEpoch`` is nil if the text is invalid.
    public func dateTime(_ name: AttributeName) -> DateTime? { self[name].map { DateTime($0.text) } }

    /// Returns the trimmed items of a comma-separated list; empty if the attribute is absent.
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

// MARK: - Attribute values

/// The value of an attribute (RFC 8216bis §4.2).
public struct AttributeValue: Sendable, Hashable, CustomStringConvertible {
    /// The value without quotes.
    public let text: String
    /// Whether the value is a quoted string.
    public let isQuoted: Bool

    /// Returns a quoted string. Quotes and line ends, which a quoted string can't contain, are removed.
    public static func quoted(_ text: String) -> AttributeValue {
        AttributeValue(text: text.removing { $0 == .quote || $0 == .lineFeed || $0 == .carriageReturn }, isQuoted: true)
    }

    /// Returns an unquoted value. Quotes, commas and white space, which it can't contain, are removed.
    public static func unquoted(_ text: String) -> AttributeValue {
        let text = text.removing {
            $0 == .quote || $0 == .comma || $0 == .lineFeed || $0 == .carriageReturn || $0.isBlank
        }
        return AttributeValue(text: text, isQuoted: false)
    }

    /// Creates a value. The text must contain only characters allowed in this form.
    init(text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// The value in playlist syntax, including quotes.
    public var description: String { isQuoted ? "\"" + text + "\"" : text }
}

extension String {
    func removing(_ isRemoved: (UInt8) -> Bool) -> String {
        utf8.contains(where: isRemoved) ? String(decoding: utf8.filter { !isRemoved($0) }, as: UTF8.self) : self
    }
}
