extension PlaylistTag {
    /// EXT-X-PLAYLIST-TYPE (RFC 8216bis §4.4.3.5): VOD or EVENT.
    public static let playlistType = PlaylistTag(
        "EXT-X-PLAYLIST-TYPE", section: "4.4.3.5",
        place: .mediaPlaylist(
            TagField(
                "playlistType",
                read: { (playlist, item, reader) throws(PlaylistError) in
                    playlist.type = MediaPlaylistType(rawValue: reader.text(item.value))
                    if playlist.type == nil {
                        try reader.report(.error, item.tag, "value", "The playlist type is neither VOD nor EVENT.")
                    }
                },
                write: { playlist, tag, lines in if let type = playlist.type { lines.tag(tag, type.rawValue) } },
                value: { playlist, _ in playlist.type.map { .string($0.rawValue) } ?? .null })))
}

/// The restriction on how a media playlist may change, EXT-X-PLAYLIST-TYPE (RFC 8216bis §4.4.3.5).
public enum MediaPlaylistType: String, Sendable, Hashable, CaseIterable {
    /// The playlist never changes.
    case onDemand = "VOD"
    /// The server only appends segments.
    case event = "EVENT"
}
