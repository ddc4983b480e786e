/// EXT-X-PART: a partial segment (RFC 8216bis, section 4.4.4.9).
public struct PartialSegment: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A part of a duration in seconds.
    public init(uri: String, duration: DecimalValue) {
        attributes = AttributeList()
        self.duration = duration
        self.uri = uri
    }

    /// Where the part is; empty where the tag doesn't say.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// Seconds.
    public var duration: DecimalValue {
        get { attributes.decimal(.duration) ?? .zero }
        set { attributes.setUnquoted(newValue, for: .duration) }
    }

    /// Whether the part holds an independent frame.
    public var isIndependent: Bool {
        get { attributes.flag("INDEPENDENT") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "INDEPENDENT") }
    }

    /// The part's bytes, where it isn't the whole resource.
    public var byteRange: ByteRange? {
        get { attributes.byteRange(.byteRange) }
        set { attributes.setQuoted(newValue?.description, for: .byteRange) }
    }

    /// Whether the part is absent.
    public var isGap: Bool {
        get { attributes.flag("GAP") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "GAP") }
    }

    static let rules: [AttributeRule] = [
        .required(.uri, .quoted),
        .required(.duration, .decimal),
        .optional("INDEPENDENT", .flag),
        .optional(.byteRange, .quotedByteRange),
        .optional("GAP", .flag),
    ]
}
