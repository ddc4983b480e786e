extension PlaylistTag {
    /// EXT-X-ENDLIST (RFC 8216bis §4.4.3.4): no more segments will be added.
    public static let endList = PlaylistTag(
        "EXT-X-ENDLIST", section: "4.4.3.4",
        place: .mediaPlaylist(.flag("endList", \.hasEndList), followsSegments: true))
}
