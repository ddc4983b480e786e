/// EXT-X-PLAYLIST-TYPE: how a media playlist may change (RFC 8216bis, section 4.4.3.5).
public enum MediaPlaylistType: String, Sendable, Hashable, CaseIterable {
    /// Never.
    case onDemand = "VOD"
    /// By segments added at the end.
    case event = "EVENT"
}
