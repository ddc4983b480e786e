/// EXT-X-MAP: a media initialization section (RFC 8216bis, section 4.4.4.5).
public struct MediaInitializationSection: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A section, encrypted with `keys` where there are any.
    public init(uri: String, byteRange: ByteRange? = nil, keys: [EncryptionKey] = []) {
        attributes = AttributeList()
        self.uri = uri
        self.byteRange = byteRange
        self.keys = keys
    }

    /// The keys in force where the tag stands, which need not be those of the segments that it applies to.
    public var keys: [EncryptionKey] = []

    /// Where the section is; empty where the tag doesn't say.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The section's bytes, where it isn't the whole resource.
    public var byteRange: ByteRange? {
        get { attributes.byteRange(.byteRange) }
        set { attributes.setQuoted(newValue?.description, for: .byteRange) }
    }

    static let rules: [AttributeRule] = [
        .required(.uri, .quoted),
        .optional(.byteRange, .quotedByteRange),
    ]
}
