/// A track in a container: a sequence of samples of one kind with a common timescale.
public struct MediaTrack: Sendable, Hashable {
    /// The id of the track in its container: the track ID in MP4, the PID in MPEG-TS.
    public var id: UInt32
    /// The kind of media.
    public var kind: MediaKind
    /// The sample formats, indexed by ``MediaSample/formatIndex``. A usable track has at least one.
    public var formats: [MediaFormat]
    /// Ticks per second of the track's times, at least 1; 90,000 for MPEG-TS.
    public var timescale: Int32
    /// The duration in ticks, or nil if the container doesn't specify it.
    public var duration: Int64?
    /// The language in ISO 639-2 (`eng`, `und`) or BCP 47, or nil if the container doesn't specify it.
    public var language: String?
    /// The display name, or nil. Readers never set it.
    public var name: String?
    /// Whether players select the track by default. Among alternative tracks, writers enable only the first with this
    /// flag.
    public var isEnabled = true
    /// Frames per second according to the container or the parameter sets, or nil if unknown.
    public var frameRate: Double?
    /// The rotation and mirroring of video: the nine values of `tkhd` (14496-12, 6.2.2), or nil for upright video.
    public var matrix: [Int32]?
    /// The number of ticks to drop at the start of playback: the delay of the audio encoder and decoder.
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

    /// Whether the samples of the track are read. Data tracks and unsupported codings are only listed.
    public var isSupported: Bool { kind != .data && !formats.contains(where: \.isUnsupported) }

    /// The first format; most tracks have only this one.
    public var format: MediaFormat? { formats.first }
}

/// The kind of media in a track.
public enum MediaKind: String, Sendable, Hashable {
    /// Video.
    case video
    /// Audio.
    case audio
    /// Subtitles, captions and other text.
    case text
    /// Timed metadata and any other data.
    case data
}
