extension PlaylistTag {
    /// EXT-X-DEFINE (RFC 8216bis §4.4.2.3): a variable definition.
    public static let define = PlaylistTag(
        "EXT-X-DEFINE", section: "4.4.2.3",
        place: .anyPlaylist(
            .list("variables", \.variables, details: ["values by name"], read: VariableDefinition.read)),
        attributes: [
            .optional(.name, .quoted), .optional(.value, .quoted), .optional("IMPORT", .quoted),
            .optional("QUERYPARAM", .quoted),
        ],
        requiredVersion: { attributes in
            if case .queryItem? = VariableDefinition(attributes: attributes).source { 11 } else { 8 }
        })
}

/// A variable definition, EXT-X-DEFINE (RFC 8216bis §4.4.2.3).
public struct VariableDefinition: AttributeTag {
    /// The source of a variable's value.
    public enum Source: Sendable, Hashable {
        /// The VALUE attribute contains the value.
        case value(name: String, value: String)
        /// A media playlist imports the value from the multivariant playlist.
        case imported(name: String)
        /// The query of the playlist's URL contains the value.
        case queryItem(name: String)
    }

    /// The attributes in the order in which they were written, without substituting variables.
    public var attributes = AttributeList()

    /// Creates a definition from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a definition.
    public init(_ source: Source) {
        switch source {
        case .value(let name, let value):
            attributes.setQuoted(name, for: .name)
            attributes.setQuoted(value, for: .value)
        case .imported(let name): attributes.setQuoted(name, for: "IMPORT")
        case .queryItem(let name): attributes.setQuoted(name, for: "QUERYPARAM")
        }
    }

    /// The source of the value; nil if the tag has none of the attributes NAME, IMPORT and QUERYPARAM.
    public var source: Source? {
        if let name = attributes.text(.name) { return .value(name: name, value: attributes.text(.value) ?? "") }
        if let name = attributes.text("IMPORT") { return .imported(name: name) }
        return attributes.text("QUERYPARAM").map { .queryItem(name: $0) }
    }

    @Sendable
    static func read(
        _ common: inout CommonTags, _ item: LineReader.Item, _ reader: inout LineReader
    ) throws(PlaylistError) {
        let definition = VariableDefinition(attributes: AttributeList(reader.bytes, item.value, substituting: nil))
        common.variables.append(definition)
        switch reader.variables.define(definition) {
        case .none: break
        case .noName: try reader.report(.error, .define, "name", "EXT-X-DEFINE has no NAME, IMPORT or QUERYPARAM.")
        case .alreadyDefined(let name):
            try reader.report(.error, .define, "duplicate", "The variable \(name) is already defined.")
        case .notImportable(let name):
            try reader.report(
                .error, .define, "import", "The multivariant playlist doesn't define the variable \(name).")
        case .noQueryItem(let name):
            try reader.report(.error, .define, "query", "The query of the playlist's URL has no value for \(name).")
        case .undefinedReference(let name):
            try reader.report(.error, "4.3", "undefined", "The variable \(name) isn't defined.")
        case .tooLarge:
            try reader.report(
                .error, .define, "size", "The variable isn't defined: its value or all values together are too long.")
        }
    }
}
