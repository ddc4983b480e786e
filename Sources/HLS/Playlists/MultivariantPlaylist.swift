/// A multivariant playlist: the variant streams and renditions of a presentation (RFC 8216bis §4.1).
public struct MultivariantPlaylist: Sendable, Hashable, PlaylistWithCommonTags {
    /// A tag of a multivariant playlist. A variant stream includes its URI line.
    public enum Entry: Sendable, Hashable {
        /// EXT-X-MEDIA (RFC 8216bis §4.4.6.1).
        case rendition(Rendition)
        /// EXT-X-STREAM-INF and the next line (RFC 8216bis §4.4.6.2).
        case variant(VariantStream)
        /// EXT-X-I-FRAME-STREAM-INF (RFC 8216bis §4.4.6.3).
        case iFrameStream(IFrameStream)
        /// EXT-X-SESSION-DATA (RFC 8216bis §4.4.6.4).
        case sessionData(SessionData)
        /// EXT-X-SESSION-KEY (RFC 8216bis §4.4.6.5).
        case sessionKey(EncryptionKey)
        /// EXT-X-CONTENT-STEERING (RFC 8216bis §4.4.6.6).
        case contentSteering(ContentSteering)
        /// Any other tag.
        case unknown(UnknownTag)
    }

    /// The declared protocol version (RFC 8216bis §4.4.1.2); nil if there is none. See ``requiredVersion``.
    public var version: Int?
    /// The variables that the playlist defines (RFC 8216bis §4.4.2.3), which are substituted in URIs and attributes.
    public var variables: [VariableDefinition] = []
    /// Whether every segment of the media playlists can be decoded without the others (RFC 8216bis §4.4.2.1).
    public var hasIndependentSegments = false
    /// The preferred position at which to start playback (RFC 8216bis §4.4.2.2).
    public var start: StartPoint?
    /// The tags without a property of their own. Players prefer earlier variant streams and list renditions in order.
    public var entries: [Entry] = []

    /// Creates an empty playlist.
    public init() {}

    /// The variant streams in order.
    public var variants: [VariantStream] {
        entries.compactMap { if case .variant(let variant) = $0 { variant } else { nil } }
    }

    /// The I-frame streams in order.
    public var iFrameStreams: [IFrameStream] {
        entries.compactMap { if case .iFrameStream(let stream) = $0 { stream } else { nil } }
    }

    /// The renditions in order.
    public var renditions: [Rendition] {
        entries.compactMap { if case .rendition(let rendition) = $0 { rendition } else { nil } }
    }

    /// The session data in order.
    public var sessionData: [SessionData] {
        entries.compactMap { if case .sessionData(let data) = $0 { data } else { nil } }
    }

    /// The session keys in order.
    public var sessionKeys: [EncryptionKey] {
        entries.compactMap { if case .sessionKey(let key) = $0 { key } else { nil } }
    }

    /// The content steering server; the first one if the playlist has several.
    public var contentSteering: ContentSteering? {
        for case .contentSteering(let steering) in entries { return steering }
        return nil
    }

    /// The unknown tags in order.
    public var unknownTags: [UnknownTag] {
        entries.compactMap { if case .unknown(let tag) = $0 { tag } else { nil } }
    }

    /// Returns the playlist with every URI replaced by `transform`. Empty URIs and unknown tags stay unchanged.
    public func mappingURIs(_ transform: (ReferenceRole, String) -> String) -> MultivariantPlaylist {
        var playlist = self
        for index in playlist.entries.indices {
            playlist.entries[index].modifyAttributes { tag, attributes in
                attributes = attributes.mappingURIs(of: tag, transform)
            }
            if case .variant(var variant) = playlist.entries[index], !variant.uri.isEmpty {
                variant.uri = transform(.variantStream, variant.uri)
                playlist.entries[index] = .variant(variant)
            }
        }
        return playlist
    }

    /// Returns the playlist with every URI resolved against the URL of the playlist (RFC 8216bis §4.1).
    public func resolvingURIs(against base: String) -> MultivariantPlaylist {
        let base = URLReference(base)
        return mappingURIs { _, uri in URLReference(uri).resolved(against: base).description }
    }
}

extension MultivariantPlaylist.Entry {
    /// Calls `body` with the entry's tag and attributes, unless the tag is unknown.
    mutating func modifyAttributes(_ body: (PlaylistTag, inout AttributeList) -> Void) {
        switch self {
        case .rendition(var rendition):
            body(.media, &rendition.attributes)
            self = .rendition(rendition)
        case .variant(var variant):
            body(.streamInformation, &variant.attributes)
            self = .variant(variant)
        case .iFrameStream(var stream):
            body(.iFrameStreamInformation, &stream.attributes)
            self = .iFrameStream(stream)
        case .sessionData(var data):
            body(.sessionData, &data.attributes)
            self = .sessionData(data)
        case .sessionKey(var key):
            body(.sessionKey, &key.attributes)
            self = .sessionKey(key)
        case .contentSteering(var steering):
            body(.contentSteering, &steering.attributes)
            self = .contentSteering(steering)
        case .unknown: break
        }
    }

    var requiredVersion: Int {
        var version = 1
        forAttributes { version = $0.definition.requiredVersion($1) }
        return version
    }

    func write(to lines: inout LineWriter) {
        forAttributes { lines.tag($0, $1) }
        switch self {
        case .variant(let variant): if !variant.uri.isEmpty { lines.line(variant.uri) }
        case .unknown(let tag): lines.line(tag.description)
        case .rendition, .iFrameStream, .sessionData, .sessionKey, .contentSteering: break
        }
    }

    private func forAttributes(_ body: (PlaylistTag, AttributeList) -> Void) {
        var copy = self
        copy.modifyAttributes { tag, attributes in body(tag, attributes) }
    }
}
