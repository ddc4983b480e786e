/// The kinds of renditions (RFC 8216bis, section 4.4.6.1).
public enum RenditionType: String, Sendable, Hashable, CaseIterable {
    /// Sound.
    case audio = "AUDIO"
    /// Pictures.
    case video = "VIDEO"
    /// Text in playlists of its own.
    case subtitles = "SUBTITLES"
    /// Text inside the video.
    case closedCaptions = "CLOSED-CAPTIONS"
}
