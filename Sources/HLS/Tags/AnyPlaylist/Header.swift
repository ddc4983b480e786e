extension PlaylistTag {
    /// EXTM3U (RFC 8216bis §4.4.1.1): the first line of every playlist.
    public static let header = PlaylistTag("EXTM3U", section: "4.4.1.1", place: .firstLine)
}
