extension PlaylistTag {
    /// EXT-X-TARGETDURATION (RFC 8216bis §4.4.3.1): the upper bound of segment durations.
    public static let targetDuration = PlaylistTag(
        "EXT-X-TARGETDURATION", section: "4.4.3.1",
        place: .mediaPlaylist(.integer("targetDuration", \.targetDuration, atLeast: 0)))
}
