/// The subtitles of a stream in one language: a rendition of WebVTT.
public struct SubtitleRendition: Sendable, Hashable {
    /// The language (RFC 5646), or nil where nothing says.
    public var language: String?
    /// What people read.
    public var name: String
    /// Whether it's only what is to be shown to everyone.
    public var isForced: Bool
    /// Its segments, in order.
    public var parts: [StreamPart]
    /// Why it can't be carried over, in words; nil where nothing speaks against it.
    public var problem: String?
}
