/// A playlist of either kind (RFC 8216bis, section 4.1).
public enum Playlist: Sendable, Hashable {
    /// A list of media segments.
    case media(MediaPlaylist)
    /// A list of variant streams and renditions.
    case multivariant(MultivariantPlaylist)

    /// The kind.
    public var kind: PlaylistKind {
        switch self {
        case .media: .media
        case .multivariant: .multivariant
        }
    }

    /// The media playlist; nil for a multivariant one.
    public var media: MediaPlaylist? {
        if case .media(let playlist) = self { playlist } else { nil }
    }

    /// The multivariant playlist; nil for a media one.
    public var multivariant: MultivariantPlaylist? {
        if case .multivariant(let playlist) = self { playlist } else { nil }
    }

    /// All unknown tags, in order.
    public var unknownTags: [UnknownTag] {
        switch self {
        case .media(let playlist): playlist.allUnknownTags
        case .multivariant(let playlist): playlist.unknownTags
        }
    }
}
