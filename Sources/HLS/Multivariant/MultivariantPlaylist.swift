/// A multivariant playlist: variant streams and renditions of one presentation (RFC 8216bis, section 4.1).
public struct MultivariantPlaylist: Sendable, Hashable {
    /// One tag of the playlist; a variant stream is its tag and its URI line.
    public enum Entry: Sendable, Hashable {
        /// EXT-X-MEDIA (4.4.6.1).
        case rendition(Rendition)
        /// EXT-X-STREAM-INF (4.4.6.2).
        case variant(VariantStream)
        /// EXT-X-I-FRAME-STREAM-INF (4.4.6.3).
        case iFrameStream(IFrameStream)
        /// EXT-X-SESSION-DATA (4.4.6.4).
        case sessionData(SessionData)
        /// EXT-X-SESSION-KEY (4.4.6.5).
        case sessionKey(EncryptionKey)
        /// EXT-X-CONTENT-STEERING (4.4.6.6).
        case contentSteering(ContentSteering)
        /// Any other tag.
        case unknown(UnknownTag)
    }

    /// The protocol version that the playlist declares (4.4.1.2); nil where it doesn't. See ``requiredVersion``.
    public var version: Int?
    /// The variables that the playlist defines (4.4.2.3). URIs and attributes hold their values already.
    public var variables: [VariableDefinition] = []
    /// Whether every segment starts with an independent frame (4.4.2.1).
    public var hasIndependentSegments = false
    /// Where to start playing (4.4.2.2).
    public var start: StartPoint?
    /// Everything else, in order: the order of variant streams is a preference, and that of renditions is shown.
    public var entries: [Entry] = []
    /// How the tags were read.
    var tagOrder = TagOrder()

    /// An empty playlist.
    public init() {}

    /// The variant streams, in order.
    public var variants: [VariantStream] {
        entries.compactMap { if case .variant(let variant) = $0 { variant } else { nil } }
    }

    /// The I-frame playlists, in order.
    public var iFrameStreams: [IFrameStream] {
        entries.compactMap { if case .iFrameStream(let stream) = $0 { stream } else { nil } }
    }

    /// The renditions, in order.
    public var renditions: [Rendition] {
        entries.compactMap { if case .rendition(let rendition) = $0 { rendition } else { nil } }
    }

    /// The session data, in order.
    public var sessionData: [SessionData] {
        entries.compactMap { if case .sessionData(let data) = $0 { data } else { nil } }
    }

    /// The keys to preload, in order.
    public var sessionKeys: [EncryptionKey] {
        entries.compactMap { if case .sessionKey(let key) = $0 { key } else { nil } }
    }

    /// Where to ask which pathway to use.
    public var contentSteering: ContentSteering? {
        for case .contentSteering(let steering) in entries { return steering }
        return nil
    }

    /// The unknown tags, in order.
    public var unknownTags: [UnknownTag] {
        entries.compactMap { if case .unknown(let tag) = $0 { tag } else { nil } }
    }
}
