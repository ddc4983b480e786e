/// What a track carries.
public enum MediaKind: String, Sendable, Hashable {
    /// Pictures.
    case video
    /// Sound.
    case audio
    /// Subtitles, captions and other text.
    case text
    /// Timed metadata and anything else.
    case data
}
