extension PlaylistTag {
    /// EXT-X-MEDIA (RFC 8216bis §4.4.6.1): a rendition.
    public static let media = PlaylistTag(
        "EXT-X-MEDIA", section: "4.4.6.1",
        place: .multivariantPlaylist(EntryField("renditions") { .rendition(Rendition(attributes: $0)) }),
        decidesKind: true,
        attributes: [
            .required(.type, .enumerated(RenditionType.allCases.map(\.rawValue))), .optional(.uri, .quoted),
            .required(.groupID, .quoted), .optional(.language, .quoted), .optional("ASSOC-LANGUAGE", .quoted),
            .required(.name, .quoted), .optional("STABLE-RENDITION-ID", .quoted), .optional("DEFAULT", .flag),
            .optional("AUTOSELECT", .flag), .optional("FORCED", .flag), .optional(.instreamID, .quoted),
            .optional("BIT-DEPTH", .integer), .optional("SAMPLE-RATE", .integer),
            .optional("CHARACTERISTICS", .quoted), .optional("CHANNELS", .quoted),
        ],
        uris: [.uri: .rendition],
        recordsOtherAttributes: true,
        requiredVersion: { attributes in
            let usesServices = Rendition(attributes: attributes).instreamID?.hasPrefix("SERVICE") == true
            return max(usesServices ? 7 : 1, attributes.requiredVersion)
        })
}

/// A rendition, EXT-X-MEDIA (RFC 8216bis §4.4.6.1).
public struct Rendition: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a rendition that belongs to a group.
    public init(type: RenditionType, groupID: String, name: String, uri: String? = nil) {
        self.type = type
        self.groupID = groupID
        self.name = name
        self.uri = uri
    }

    /// The type of media; nil for a type that the RFC doesn't define.
    public var type: RenditionType? {
        get { attributes.text(.type).flatMap { RenditionType(rawValue: $0) } }
        set { attributes.setUnquoted(newValue?.rawValue, for: .type) }
    }

    /// The URI of the rendition's media playlist; nil if the variant stream contains the rendition.
    public var uri: String? {
        get { attributes.text(.uri) }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The ID of the rendition's group; empty if the tag has none.
    public var groupID: String {
        get { attributes.text(.groupID) ?? "" }
        set { attributes.setQuoted(newValue, for: .groupID) }
    }

    /// The language (RFC 5646).
    public var language: String? {
        get { attributes.text(.language) }
        set { attributes.setQuoted(newValue, for: .language) }
    }

    /// An associated language in another role, such as the written language (RFC 5646).
    public var associatedLanguage: String? {
        get { attributes.text("ASSOC-LANGUAGE") }
        set { attributes.setQuoted(newValue, for: "ASSOC-LANGUAGE") }
    }

    /// The human-readable name; empty if the tag has none.
    public var name: String {
        get { attributes.text(.name) ?? "" }
        set { attributes.setQuoted(newValue, for: .name) }
    }

    /// An ID that is stable across reloads and servers.
    public var stableID: String? {
        get { attributes.text("STABLE-RENDITION-ID") }
        set { attributes.setQuoted(newValue, for: "STABLE-RENDITION-ID") }
    }

    /// Whether players should select the rendition if the user hasn't made a choice.
    public var isDefault: Bool {
        get { attributes.flag("DEFAULT") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "DEFAULT") }
    }

    /// Whether players may select the rendition based on the system's language and settings.
    public var isAutoselect: Bool {
        get { attributes.flag("AUTOSELECT") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "AUTOSELECT") }
    }

    /// Whether the subtitles contain text that's essential for understanding the content.
    public var isForced: Bool {
        get { attributes.flag("FORCED") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "FORCED") }
    }

    /// The ID of the rendition within the segments; for closed captions, CC1 to CC4 or SERVICE1 to SERVICE63.
    public var instreamID: String? {
        get { attributes.text(.instreamID) }
        set { attributes.setQuoted(newValue, for: .instreamID) }
    }

    /// The number of bits in an audio sample.
    public var bitDepth: Int? {
        get { attributes.integer("BIT-DEPTH") }
        set { attributes.setUnquoted(newValue, for: "BIT-DEPTH") }
    }

    /// The number of audio samples per second.
    public var sampleRate: Int? {
        get { attributes.integer("SAMPLE-RATE") }
        set { attributes.setUnquoted(newValue, for: "SAMPLE-RATE") }
    }

    /// The media characteristic tags, such as `public.accessibility.describes-video`.
    public var characteristics: [String] {
        get { attributes.list("CHARACTERISTICS") }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "CHARACTERISTICS") }
    }

    /// The number of audio channels, optionally followed by other parameters, separated by slashes.
    public var channels: String? {
        get { attributes.text("CHANNELS") }
        set { attributes.setQuoted(newValue, for: "CHANNELS") }
    }
}

/// The type of a rendition (RFC 8216bis §4.4.6.1).
public enum RenditionType: String, Sendable, Hashable, CaseIterable {
    /// Audio.
    case audio = "AUDIO"
    /// Video.
    case video = "VIDEO"
    /// Subtitles in separate media playlists.
    case subtitles = "SUBTITLES"
    /// Captions embedded in the video.
    case closedCaptions = "CLOSED-CAPTIONS"
}
