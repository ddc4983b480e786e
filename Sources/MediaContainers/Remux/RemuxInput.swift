/// One playlist, file or stream that is remuxed: the demuxer of its segments, and where its tracks go.
final class RemuxInput {
    /// A track of an input.
    struct TrackID: Hashable {
        var input: Int
        var index: Int
    }

    let index: Int
    /// What is said of its sound.
    private let sound: TrackLabel?
    var transportStream: TransportStreamDemuxer?
    var packedAudio: PackedAudioDemuxer?
    /// What the demuxer at work found.
    var tracks: [MediaTrack] = []
    /// The output's track for each of `tracks`; nil until one is chosen.
    var routes: [Int?] = []
    /// The tracks whose codec isn't that of the output's track they would go to.
    var refused: Set<Int> = []
    /// The codecs carried over of each kind that has an entry; others are refused.
    var codecs: [MediaKind: Set<Codec>] = [:]
    /// Whether an obstacle in a segment is noted instead of thrown.
    var isTolerant = false
    /// Whether a demuxer is in the midst of the segment at work.
    var isReading = false
    /// The last sample's decoding time on the input's clock; nil where a clock begins.
    var lastTime: Int64?
    /// The first obstacle in the segment at work.
    var obstacle: ContainerError?
    /// How far the decoding times of MP4 segments were moved so far, for each track.
    var decodingShifts: [Int64] = []
    /// What is added to samples' times, in ticks of 90 kHz: the time stamp of a segment of packed audio.
    var origin: Int64 = 0
    var hasOrigin = false
    /// The end of the last segment of packed audio, which the next without a time stamp goes on from.
    var nextOrigin: Int64 = 0
    /// How many discontinuities come before the segment at work.
    private(set) var discontinuities = 0
    /// Which of `tracks` have begun in the segment at work.
    private var begun: [Bool] = []
    private var unwrapper = TimestampUnwrapper()

    init(index: Int, sound: TrackLabel? = nil) {
        self.index = index
        self.sound = sound
    }

    /// Whether its sound is the one to play where nobody chooses.
    var isDefault: Bool { sound?.isDefault == true }

    /// Puts down what is said of its sound. Where it has several tracks, that doesn't tell which of them is meant.
    func label(_ track: inout MediaTrack) {
        guard let sound else { return }
        let isAlone = tracks.count { $0.kind == .audio && $0.isRead } == 1
        if let language = LanguageCode.tag(sound.language), isAlone || LanguageCode.tag(track.language) == nil {
            track.language = language
        }
        if isAlone, let name = sound.name, !name.isEmpty { track.name = name }
    }

    /// The time stamp of a segment of packed audio on the input's line of time; where its tag tells none, the end of
    /// the segment before.
    func findOrigin() {
        guard !hasOrigin, let packedAudio else { return }
        hasOrigin = true
        origin = packedAudio.startTimestamp.map { unwrapper.unwrap($0) } ?? nextOrigin
    }

    /// Begins another segment, whose counters may begin again.
    func beginSegment(isTolerant: Bool) {
        self.isTolerant = isTolerant
        obstacle = nil
        isReading = false
        begun = []
    }

    /// Takes note of a track's sample.
    func begin(_ track: Int) {
        while begun.count <= track { begun.append(false) }
        begun[track] = true
    }

    /// Whether a track, or any, has begun in the segment at work.
    func hasBegun(_ id: UInt32?) -> Bool {
        zip(tracks, begun).contains { $1 && (id == nil || $0.id == id) }
    }

    /// Counts the discontinuity before the next segment, if there is one.
    ///
    /// - Parameter number: How many there are by now, where that is known.
    func count(_ join: SegmentJoin, upTo number: Int?) {
        let next = discontinuities.addingReportingOverflow(join == .discontinuity ? 1 : 0)
        discontinuities = max(next.overflow ? .max : next.partialValue, number ?? 0)
    }

    /// What follows is on another clock.
    func resetClock() {
        unwrapper.reset()
        lastTime = nil
    }

    /// Begins with another demuxer: its tracks are others.
    func forgetTracks() {
        tracks = []
        routes = []
        refused = []
        origin = 0
        hasOrigin = false
    }
}

/// What is said of a track outside of its container, as playlists do.
public struct TrackLabel: Sendable, Hashable {
    /// The language (BCP 47); nil where nothing says, which leaves what the container says.
    public var language: String?
    /// What people call it.
    public var name: String?
    /// Whether it's the one to play where nobody chooses.
    public var isDefault: Bool

    /// A label; without arguments, of a track of which nothing is said.
    public init(language: String? = nil, name: String? = nil, isDefault: Bool = false) {
        self.language = language
        self.name = name
        self.isDefault = isDefault
    }
}

/// Finds the time at which a transport stream begins.
struct ClockProbe: SampleSink {
    private static let pieceLength = 256 << 10
    /// Further in nothing is looked for.
    private static let reach: Int64 = 2 << 20

    private var start: Int64?

    /// The first decoding time, as the stream's counter has it; nil where none is found.
    static func start(of source: some ByteSource) throws(ContainerError) -> Int64? {
        let demuxer = TransportStreamDemuxer()
        var probe = ClockProbe()
        var offset: Int64 = 0
        while offset < min(source.length, reach), probe.start == nil {
            let end = min(source.length, offset + Int64(pieceLength))
            let piece = try source.bytes(offset..<end, limit: pieceLength)
            let result = piece.withUnsafeBytes { bytes in
                Result { () throws(ContainerError) in try demuxer.push(bytes, into: &probe) }
            }
            try result.get()
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
