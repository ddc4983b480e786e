import HLS

/// EXT-X-MEDIA in JSON.
struct RenditionRecord: Encodable, Sendable {
    /// AUDIO, VIDEO, SUBTITLES or CLOSED-CAPTIONS.
    @Nullable var type: String?
    /// The group that it belongs to.
    @Nullable var groupID: String?
    /// What people read.
    @Nullable var name: String?
    /// The language (RFC 5646).
    @Nullable var language: String?
    /// A language in another role.
    @Nullable var assocLanguage: String?
    /// The media playlist; null where the variant stream holds the media.
    @Nullable var uri: String?
    /// Whether to play it in the absence of a choice.
    var `default`: Bool
    /// Whether it may be chosen by the system's settings.
    var autoselect: Bool
    /// Whether it holds what is essential to follow.
    var forced: Bool
    /// Which captions in the media.
    @Nullable var instreamID: String?
    /// Bits of an audio sample.
    @Nullable var bitDepth: Int?
    /// Audio samples in a second.
    @Nullable var sampleRate: Int?
    /// Uniform type identifiers, separated by commas.
    @Nullable var characteristics: String?
    /// The number of audio channels, then other parameters after slashes.
    @Nullable var channels: String?
    /// An ID that stays over reloads and servers.
    @Nullable var stableRenditionID: String?
    /// The attributes that RFC 8216bis doesn't define.
    var otherAttributes: [String: String]

    /// The record of a rendition.
    init(_ rendition: Rendition) {
        var attributes = RecordedAttributes(rendition.attributes)
        type = attributes.text("TYPE")
        groupID = attributes.text("GROUP-ID")
        name = attributes.text("NAME")
        language = attributes.text("LANGUAGE")
        assocLanguage = attributes.text("ASSOC-LANGUAGE")
        uri = attributes.text("URI")?.unlessEmpty
        self.default = attributes.flag("DEFAULT")
        autoselect = attributes.flag("AUTOSELECT")
        forced = attributes.flag("FORCED")
        instreamID = attributes.text("INSTREAM-ID")
        bitDepth = attributes.integer("BIT-DEPTH")
        sampleRate = attributes.integer("SAMPLE-RATE")
        characteristics = attributes.text("CHARACTERISTICS")
        channels = attributes.text("CHANNELS")
        stableRenditionID = attributes.text("STABLE-RENDITION-ID")
        otherAttributes = attributes.others
    }
}
