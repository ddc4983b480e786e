extension PlaylistTag {
    /// EXT-X-DISCONTINUITY-SEQUENCE (RFC 8216bis §4.4.3.3): the number of discontinuities before the first segment.
    public static let discontinuitySequence = PlaylistTag(
        "EXT-X-DISCONTINUITY-SEQUENCE", section: "4.4.3.3",
        place: .mediaPlaylist(.integer("discontinuitySequence", \.discontinuitySequence)))
}
