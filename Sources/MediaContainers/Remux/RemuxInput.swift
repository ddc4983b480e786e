/// A playlist, file or stream to remux: the demuxer of its segments, and the routes of its tracks.
final class RemuxInput {
    struct TrackID: Hashable {
        var input: Int
        var index: Int
    }

    let index: Int
    /// The description of the input's audio from outside the container, or nil.
    private let audioLabel: TrackLabel?
    var transportStream: TransportStreamDemuxer?
    var packedAudio: PackedAudioDemuxer?
    /// The tracks that the current demuxer has found.
    var tracks: [MediaTrack] = []
    /// The output track of each of `tracks`, or nil until one is chosen.
    var routes: [Int?] = []
    /// The tracks with a codec that isn't carried over, or that differs from the codec of their output track.
    var rejectedTracks: Set<Int> = []
    /// The codecs to carry over, by kind. For a kind with an entry, other codecs are rejected.
    var codecs: [MediaKind: Set<Codec>] = [:]
    /// Whether an error in a segment is recorded instead of thrown.
    var isTolerant = false
    /// Whether a demuxer is reading the current segment.
    var isReading = false
    /// The decoding time of the last sample on the clock of the input, or nil at the start of a clock.
    var lastTime: Int64?
    var firstError: ContainerError?
    /// The search for media that is missing without a gap or discontinuity.
    var gapDetector = GapDetector()
    /// The amount for each track by which decoding times of MP4 segments have been moved so far.
    var decodingShifts: [Int64] = []
    /// The amount added to sample times in 90 kHz ticks: the timestamp of a packed audio segment.
    var origin: Int64 = 0
    var hasOrigin = false
    /// The end of the last sample, where a packed audio segment without a timestamp continues.
    var nextOrigin: Int64 = 0
    /// The number of discontinuities before the current segment.
    private(set) var discontinuities = 0
    /// Whether each of `tracks` has begun in the current segment.
    private var begun: [Bool] = []
    private var unwrapper = TimestampUnwrapper()

    init(index: Int, audioLabel: TrackLabel? = nil) {
        self.index = index
        self.audioLabel = audioLabel
    }

    var isDefault: Bool { audioLabel?.isDefault == true }

    /// Sets the language and name from the description. With several audio tracks, the description doesn't identify one
    /// of them, so only a missing language is set.
    func label(_ track: inout MediaTrack) {
        guard let audioLabel else { return }
        let isAlone = tracks.count { $0.kind == .audio && $0.isSupported } == 1
        if let language = LanguageCode.tag(audioLabel.language), isAlone || LanguageCode.tag(track.language) == nil {
            track.language = language
        }
        if isAlone, let name = audioLabel.name, !name.isEmpty { track.name = name }
    }

    /// Determines the origin of a packed audio segment: its unwrapped timestamp, or the end of the previous segment if
    /// it has none.
    func findOrigin() {
        guard !hasOrigin, let packedAudio else { return }
        hasOrigin = true
        origin = packedAudio.startTimestamp.map { unwrapper.unwrap($0) } ?? nextOrigin
    }

    func beginSegment(isTolerant: Bool) {
        self.isTolerant = isTolerant
        firstError = nil
        isReading = false
        begun = []
    }

    func begin(_ track: Int) {
        while begun.count <= track { begun.append(false) }
        begun[track] = true
    }

    /// Returns whether the track with an id, or any track if the id is nil, has begun in the current segment.
    func hasBegun(_ id: UInt32?) -> Bool {
        zip(tracks, begun).contains { $1 && (id == nil || $0.id == id) }
    }

    /// Counts the discontinuity before the next segment, if any, or sets the total to `number` if that is larger.
    func count(_ join: SegmentJoin, upTo number: Int?) {
        let next = discontinuities.addingReportingOverflow(join == .discontinuity ? 1 : 0)
        discontinuities = max(next.overflow ? .max : next.partialValue, number ?? 0)
    }

    /// Resets the clock, because the following samples are on another clock.
    func resetClock() {
        unwrapper.reset()
        lastTime = nil
    }

    /// Removes the tracks before a change of demuxer.
    func forgetTracks() {
        tracks = []
        routes = []
        rejectedTracks = []
        origin = 0
        hasOrigin = false
    }
}

/// The properties of a track that are stated outside of its container, for example in a playlist.
public struct TrackLabel: Sendable, Hashable {
    /// The language (BCP 47), or nil to use the language stated in the container.
    public var language: String?
    /// The display name, or nil.
    public var name: String?
    /// Whether players select the track by default.
    public var isDefault: Bool

    /// Creates a label. The default arguments state nothing.
    public init(language: String? = nil, name: String? = nil, isDefault: Bool = false) {
        self.language = language
        self.name = name
        self.isDefault = isDefault
    }
}

/// A sink that finds the time at which a transport stream begins.
struct ClockProbe: SampleSink {
    private static let pieceLength = 256 << 10
    /// The number of bytes to search.
    private static let reach: Int64 = 2 << 20

    private var start: Int64?

    /// Returns the first decoding time on the clock of the stream, or nil if none is found.
    static func start(of source: some ByteSource) throws(ContainerError) -> Int64? {
        let demuxer = TransportStreamDemuxer()
        var probe = ClockProbe()
        var offset: Int64 = 0
        while offset < min(source.length, reach), probe.start == nil {
            let end = min(source.length, offset + Int64(pieceLength))
            let piece = try source.bytes(offset..<end, limit: pieceLength)
            try piece.withBorrowedBytes { (bytes) throws(ContainerError) in try demuxer.push(bytes, into: &probe) }
            offset = end
        }
        if probe.start == nil { try demuxer.interrupt(into: &probe) }
        return probe.start
    }

    mutating func tracks(_: [MediaTrack]) {}

    mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) {
        if start == nil { start = sample.dts }
    }
}
