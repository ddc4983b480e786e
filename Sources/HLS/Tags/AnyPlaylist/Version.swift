extension PlaylistTag {
    /// EXT-X-VERSION (RFC 8216bis §4.4.1.2): the protocol version of the playlist.
    public static let version = PlaylistTag(
        "EXT-X-VERSION", section: "4.4.1.2", place: .anyPlaylist(.integer("version", \.version, atLeast: 1)))
}
