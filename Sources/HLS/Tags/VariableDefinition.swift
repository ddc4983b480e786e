/// EXT-X-DEFINE: a variable (RFC 8216bis, section 4.4.2.3).
public struct VariableDefinition: AttributeTag {
    /// Where a variable's value comes from.
    public enum Source: Sendable, Hashable {
        /// The tag itself gives it.
        case value(name: String, value: String)
        /// The multivariant playlist defines it: a media playlist imports it.
        case imported(name: String)
        /// The query of the playlist's URL holds it.
        case queryItem(name: String)
    }

    /// The attributes, as they are written: no variable is substituted in them.
    public var attributes: AttributeList

    /// A definition with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A definition.
    public init(_ source: Source) {
        attributes = AttributeList()
        switch source {
        case .value(let name, let value):
            attributes.setQuoted(name, for: .name)
            attributes.setQuoted(value, for: .value)
        case .imported(let name): attributes.setQuoted(name, for: "IMPORT")
        case .queryItem(let name): attributes.setQuoted(name, for: "QUERYPARAM")
        }
    }

    /// Where the value comes from; nil where the tag names no variable.
    public var source: Source? {
        if let name = attributes.text(.name) { return .value(name: name, value: attributes.text(.value) ?? "") }
        if let name = attributes.text("IMPORT") { return .imported(name: name) }
        return attributes.text("QUERYPARAM").map { .queryItem(name: $0) }
    }

    static let rules: [AttributeRule] = [
        .optional(.name, .quoted), .optional(.value, .quoted), .optional("IMPORT", .quoted),
        .optional("QUERYPARAM", .quoted),
    ]
}
