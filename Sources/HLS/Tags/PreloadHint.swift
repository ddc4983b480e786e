/// EXT-X-PRELOAD-HINT: a resource that will be needed (RFC 8216bis, section 4.4.5.3).
public struct PreloadHint: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A hint.
    public init(type: String, uri: String) {
        attributes = AttributeList()
        self.type = type
        self.uri = uri
    }

    /// What the resource is: PART or MAP.
    public var type: String {
        get { attributes.text(.type) ?? "" }
        set { attributes.setUnquoted(newValue, for: .type) }
    }

    /// Where the resource will be; empty where the tag doesn't say.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The first byte; from the beginning when nil.
    public var byteRangeStart: Int? {
        get { attributes.integer("BYTERANGE-START") }
        set { attributes.setUnquoted(newValue, for: "BYTERANGE-START") }
    }

    /// How many bytes; to the end when nil.
    public var byteRangeLength: Int? {
        get { attributes.integer("BYTERANGE-LENGTH") }
        set { attributes.setUnquoted(newValue, for: "BYTERANGE-LENGTH") }
    }

    static let rules: [AttributeRule] = [
        .required(.type, .enumerated(["PART", "MAP"])),
        .required(.uri, .quoted),
        .optional("BYTERANGE-START", .integer),
        .optional("BYTERANGE-LENGTH", .integer),
    ]
}
