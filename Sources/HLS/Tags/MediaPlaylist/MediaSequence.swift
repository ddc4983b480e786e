extension PlaylistTag {
    /// EXT-X-MEDIA-SEQUENCE (RFC 8216bis §4.4.3.2): the media sequence number of the first segment.
    public static let mediaSequence = PlaylistTag(
        "EXT-X-MEDIA-SEQUENCE", section: "4.4.3.2", place: .mediaPlaylist(.integer("mediaSequence", \.mediaSequence)))
}
