/// EXT-X-MEDIA: a rendition (RFC 8216bis, section 4.4.6.1).
public struct Rendition: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A rendition of a group.
    public init(type: RenditionType, groupID: String, name: String, uri: String? = nil) {
        attributes = AttributeList()
        self.type = type
        self.groupID = groupID
        self.name = name
        self.uri = uri
    }

    /// What kind of media it is; nil for a kind that the RFC doesn't know.
    public var type: RenditionType? {
        get { attributes.text(.type).flatMap { RenditionType(rawValue: $0) } }
        set { attributes.setUnquoted(newValue?.rawValue, for: .type) }
    }

    /// The rendition's media playlist; nil where the variant stream holds the media, and for closed captions.
    public var uri: String? {
        get { attributes.text(.uri) }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The group that it belongs to.
    public var groupID: String {
        get { attributes.text(.groupID) ?? "" }
        set { attributes.setQuoted(newValue, for: .groupID) }
    }

    /// The language (RFC 5646).
    public var language: String? {
        get { attributes.text(.language) }
        set { attributes.setQuoted(newValue, for: .language) }
    }

    /// A language in another role, such as the written one (RFC 5646).
    public var associatedLanguage: String? {
        get { attributes.text("ASSOC-LANGUAGE") }
        set { attributes.setQuoted(newValue, for: "ASSOC-LANGUAGE") }
    }

    /// What people read.
    public var name: String {
        get { attributes.text(.name) ?? "" }
        set { attributes.setQuoted(newValue, for: .name) }
    }

    /// An ID that stays over reloads and servers.
    public var stableID: String? {
        get { attributes.text("STABLE-RENDITION-ID") }
        set { attributes.setQuoted(newValue, for: "STABLE-RENDITION-ID") }
    }

    /// Whether to play it in the absence of a choice.
    public var isDefault: Bool {
        get { attributes.flag("DEFAULT") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "DEFAULT") }
    }

    /// Whether it may be chosen by the system's language and settings.
    public var isAutoselect: Bool {
        get { attributes.flag("AUTOSELECT") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "AUTOSELECT") }
    }

    /// Whether subtitles hold what is essential to follow.
    public var isForced: Bool {
        get { attributes.flag("FORCED") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "FORCED") }
    }

    /// Which captions in the media: CC1 to CC4, SERVICE1 to SERVICE63.
    public var instreamID: String? {
        get { attributes.text(.instreamID) }
        set { attributes.setQuoted(newValue, for: .instreamID) }
    }

    /// Bits of an audio sample.
    public var bitDepth: Int? {
        get { attributes.integer("BIT-DEPTH") }
        set { attributes.setUnquoted(newValue, for: "BIT-DEPTH") }
    }

    /// Audio samples in a second.
    public var sampleRate: Int? {
        get { attributes.integer("SAMPLE-RATE") }
        set { attributes.setUnquoted(newValue, for: "SAMPLE-RATE") }
    }

    /// Uniform type identifiers, such as `public.accessibility.describes-video`.
    public var characteristics: [String] {
        get { attributes.list("CHARACTERISTICS") }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "CHARACTERISTICS") }
    }

    /// The number of audio channels, then other parameters after slashes.
    public var channels: String? {
        get { attributes.text("CHANNELS") }
        set { attributes.setQuoted(newValue, for: "CHANNELS") }
    }

    static let rules: [AttributeRule] = [
        .required(.type, .enumerated(RenditionType.allCases.map(\.rawValue))),
        .optional(.uri, .quoted),
        .required(.groupID, .quoted),
        .optional(.language, .quoted),
        .optional("ASSOC-LANGUAGE", .quoted),
        .required(.name, .quoted),
        .optional("STABLE-RENDITION-ID", .quoted),
        .optional("DEFAULT", .flag),
        .optional("AUTOSELECT", .flag),
        .optional("FORCED", .flag),
        .optional(.instreamID, .quoted),
        .optional("BIT-DEPTH", .integer),
        .optional("SAMPLE-RATE", .integer),
        .optional("CHARACTERISTICS", .quoted),
        .optional("CHANNELS", .quoted),
    ]
}
