/// A multivariant playlist: the variant streams and renditions of a presentation (RFC 8216bis §4.1).
@dynamicMemberLookup
public struct MultivariantPlaylist: Sendable, Hashable {
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

    /// The tags that media playlists may also have. They can be accessed like properties of the playlist.
    public var common = CommonTags()
    /// The tags other than ``common``, in order. Players prefer earlier variant streams and list renditions in order.
    public var entries: [Entry] = []

    /// Creates an empty playlist.
    public init() {}

    /// Accesses a tag that media playlists may also have.
    public subscript<Value>(dynamicMember path: WritableKeyPath<CommonTags, Value>) -> Value {
        get { common[keyPath: path] }
        set { common[keyPath: path] = newValue }
    }

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
        playlist.entries = entries.map { $0.mappingURIs(transform) }
        return playlist
    }

    /// Returns the playlist with every URI resolved against the URL of the playlist (RFC 8216bis §4.1).
    public func resolvingURIs(against base: String) -> MultivariantPlaylist {
        let base = URLReference(base)
        return mappingURIs { _, uri in URLReference(uri).resolved(against: base).description }
    }
}

extension MultivariantPlaylist.Entry {
    /// The tag and its attributes; nil for an unknown tag.
    var content: (tag: PlaylistTag, attributes: AttributeList)? {
        switch self {
        case .rendition(let rendition): (.media, rendition.attributes)
        case .variant(let variant): (.streamInformation, variant.attributes)
        case .iFrameStream(let stream): (.iFrameStreamInformation, stream.attributes)
        case .sessionData(let data): (.sessionData, data.attributes)
        case .sessionKey(let key): (.sessionKey, key.attributes)
        case .contentSteering(let steering): (.contentSteering, steering.attributes)
        case .unknown: nil
        }
    }

    var requiredVersion: Int { content.map { $0.tag.definition.requiredVersion($0.attributes) } ?? 1 }

    /// Whether the tag is removed from local playlists.
    package var isRemovedLocally: Bool {
        if case .unknown(let tag) = self { return tag.isRemovedLocally }
        guard let (tag, attributes) = content, case .multivariantPlaylist(let field) = tag.definition.place else {
            return false
        }
        return tag.definition.localRemoval.applies(to: field.checkedText(attributes))
    }

    func write(to lines: inout LineWriter) {
        if let (tag, attributes) = content { lines.tag(tag, attributes) }
        if case .variant(let variant) = self, !variant.uri.isEmpty { lines.line(variant.uri) }
        if case .unknown(let tag) = self { lines.line(tag.description) }
    }

    fileprivate func mappingURIs(_ transform: (ReferenceRole, String) -> String) -> Self {
        if case .variant(var variant) = self {
            if !variant.uri.isEmpty { variant.uri = transform(.variantStream, variant.uri) }
            return .variant(variant)
        }
        guard let (tag, attributes) = content, case .multivariantPlaylist(let field) = tag.definition.place else {
            return self
        }
        return field.entry(attributes.mappingURIs(of: tag, transform))
    }
}
