extension PlaylistTag {
    /// EXT-X-INDEPENDENT-SEGMENTS (RFC 8216bis §4.4.2.1): every segment can be decoded without the others.
    public static let independentSegments = PlaylistTag(
        "EXT-X-INDEPENDENT-SEGMENTS", section: "4.4.2.1",
        place: .anyPlaylist(.flag("independentSegments", \.hasIndependentSegments)))
}
