extension PlaylistTag {
    /// EXT-X-MEDIA-SEQUENCE (RFC 8216bis §4.4.3.2): the media sequence number of the first segment.
    ///
    /// Playlists that may grow are written with this tag even if the number is 0, because Chromium doesn't reload a
    /// playlist without it. Lists of files without a target duration aren't reloaded.
    public static let mediaSequence = PlaylistTag(
        "EXT-X-MEDIA-SEQUENCE", section: "4.4.3.2",
        place: .mediaPlaylist(
            .integer("mediaSequence", \.mediaSequence) { playlist in
                !playlist.hasEndList && playlist.type != .onDemand && playlist.targetDuration != nil
            }))
}
