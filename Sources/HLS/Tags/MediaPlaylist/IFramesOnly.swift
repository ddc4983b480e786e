extension PlaylistTag {
    /// EXT-X-I-FRAMES-ONLY (RFC 8216bis §4.4.3.6): each segment is a single I-frame.
    public static let iFramesOnly = PlaylistTag(
        "EXT-X-I-FRAMES-ONLY", section: "4.4.3.6",
        place: .mediaPlaylist(.flag("iFramesOnly", \.hasIFramesOnly, requiredVersion: 4)))
}
