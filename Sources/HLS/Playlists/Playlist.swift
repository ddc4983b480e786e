/// A playlist of either kind (RFC 8216bis §4.1).
public enum Playlist: Sendable, Hashable {
    /// A list of media segments.
    case media(MediaPlaylist)
    /// A list of variant streams and renditions.
    case multivariant(MultivariantPlaylist)

    /// The kind of the playlist.
    public var kind: PlaylistKind {
        switch self {
        case .media: .media
        case .multivariant: .multivariant
        }
    }

    /// The media playlist; nil for a multivariant playlist.
    public var media: MediaPlaylist? {
        if case .media(let playlist) = self { playlist } else { nil }
    }

    /// The multivariant playlist; nil for a media playlist.
    public var multivariant: MultivariantPlaylist? {
        if case .multivariant(let playlist) = self { playlist } else { nil }
    }

    /// All unknown tags in playlist order.
    public var unknownTags: [UnknownTag] {
        switch self {
        case .media(let playlist): playlist.allUnknownTags
        case .multivariant(let playlist): playlist.unknownTags
        }
    }

    /// Returns the playlist with every URI replaced by `transform`. Empty URIs and unknown tags stay unchanged.
    public func mappingURIs(_ transform: (ReferenceRole, String) -> String) -> Playlist {
        switch self {
        case .media(let playlist): .media(playlist.mappingURIs(transform))
        case .multivariant(let playlist): .multivariant(playlist.mappingURIs(transform))
        }
    }

    /// Returns the playlist with every URI resolved against the URL of the playlist (RFC 8216bis §4.1).
    public func resolvingURIs(against base: String) -> Playlist {
        switch self {
        case .media(let playlist): .media(playlist.resolvingURIs(against: base))
        case .multivariant(let playlist): .multivariant(playlist.resolvingURIs(against: base))
        }
    }
}

/// A kind of playlist (RFC 8216bis §4.1).
public enum PlaylistKind: String, Sendable, Hashable, CaseIterable {
    /// A list of media segments.
    case media
    /// A list of variant streams and renditions.
    case multivariant

    /// Returns the kind of a playlist; nil if it has no URI and no tag that is specific to one kind.
    ///
    /// The first tag with ``TagDefinition/decidesKind`` determines the kind. Without such a tag, the first line that is
    /// a URI, which implies a media playlist, or a tag that is specific to one kind determines it. Tags that servers
    /// write into playlists of the wrong kind, such as EXT-X-SESSION-KEY, don't have ``TagDefinition/decidesKind``.
    static func detect(_ bytes: UnsafeRawBufferPointer) -> PlaylistKind? {
        var lines = LineScanner(bytes)
        var hint: PlaylistKind?
        while let line = lines.next() {
            let range = bytes.trimmed(line.start, line.end)
            guard let tagLine = TagLine(bytes, range), let tag = PlaylistTag(bytes, tagLine.name) else {
                if let first = range.first, bytes[first] != .numberSign { hint = hint ?? .media }
                continue
            }
            if tag.definition.decidesKind { return tag.kind }
            hint = hint ?? tag.kind
        }
        return hint
    }
}

/// The tags that both kinds of playlist share (RFC 8216bis §4.4.1 and §4.4.2).
public struct CommonTags: Sendable, Hashable {
    /// The declared protocol version (RFC 8216bis §4.4.1.2); nil if there is none. See
    /// ``MediaPlaylist/requiredVersion`` and ``MultivariantPlaylist/requiredVersion``.
    public var version: Int?
    /// The variables that the playlist defines (RFC 8216bis §4.4.2.3), which are substituted in URIs and attributes.
    public var variables: [VariableDefinition] = []
    /// Whether every segment can be decoded without the others (RFC 8216bis §4.4.2.1). In a multivariant playlist, this
    /// applies to the segments of all its media playlists.
    public var hasIndependentSegments = false
    /// The preferred position at which to start playback (RFC 8216bis §4.4.2.2).
    public var start: StartPoint?

    /// Creates tags that are all absent.
    public init() {}
}
