/// EXT-X-RENDITION-REPORT: how far another rendition is (RFC 8216bis, section 4.4.5.4).
public struct RenditionReport: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A report on a media playlist.
    public init(uri: String) {
        attributes = AttributeList()
        self.uri = uri
    }

    /// The rendition's media playlist; empty where the tag doesn't say.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The media sequence number of its last segment, or of the segment that its last part belongs to.
    public var lastMediaSequence: Int? {
        get { attributes.integer("LAST-MSN") }
        set { attributes.setUnquoted(newValue, for: "LAST-MSN") }
    }

    /// The index of its last part.
    public var lastPart: Int? {
        get { attributes.integer("LAST-PART") }
        set { attributes.setUnquoted(newValue, for: "LAST-PART") }
    }

    static let rules: [AttributeRule] = [
        .required(.uri, .quoted),
        .optional("LAST-MSN", .integer),
        .optional("LAST-PART", .integer),
    ]
}
