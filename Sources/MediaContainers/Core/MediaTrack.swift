/// A track of a container: a sequence of samples of one kind on one timescale.
public struct MediaTrack: Sendable, Hashable {
    /// The track's id in its container: the track ID of MP4, the PID of MPEG-TS.
    public var id: UInt32
    /// What it carries.
    public var kind: MediaKind
    /// The formats of its samples, in the order of ``MediaSample/formatIndex``; at least one in a usable track.
    public var formats: [MediaFormat]
    /// Ticks per second of the track's times, at least 1: 90,000 for MPEG-TS.
    public var timescale: Int32
    /// The duration in ticks, or nil where the container doesn't say.
    public var duration: Int64?
    /// The language as ISO 639-2 (`eng`, `und`) or BCP 47, or nil where the container doesn't say.
    public var language: String?
    /// What people call it, or nil where nothing says; no container is asked for it.
    public var name: String?
    /// Whether it's played where nobody chooses. Of tracks that are alternatives to each other, a file that is written
    /// has the first such enabled alone.
    public var isEnabled = true
    /// Pictures per second as the container or the parameter sets say, or nil where unknown.
    public var frameRate: Double?
    /// How pictures are turned and mirrored: the nine values of `tkhd` (14496-12, 6.2.2), or nil for upright ones.
    public var matrix: [Int32]?
    /// How many ticks of its first samples a player leaves out: the encoder's delay of sound, and the decoder's.
    public var priming: Int64 = 0

    /// Creates a track.
    public init(
        id: UInt32, kind: MediaKind, formats: [MediaFormat], timescale: Int32, duration: Int64? = nil,
        language: String? = nil, frameRate: Double? = nil
    ) {
        self.id = id
        self.kind = kind
        self.formats = formats
        self.timescale = timescale
        self.duration = duration
        self.language = language
        self.frameRate = frameRate
    }

    /// Whether it's sound, pictures or text whose samples are read; else it's only listed.
    public var isRead: Bool { kind != .data && !formats.contains(where: \.isUnread) }

    /// The first format, which most tracks have alone.
    public var format: MediaFormat? { formats.first }
}

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
