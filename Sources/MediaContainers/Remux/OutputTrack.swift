/// A track of the output: the source of its samples, and the state of its clock.
struct OutputTrack {
    /// The denominator of the maximum rounding error between a frame's timestamp and the end of the previous frame:
    /// 1/2000 s.
    private static let roundingPerSecond: Int64 = 2000

    var media: MediaTrack
    /// The language according to the container of its first feeder.
    let language: String?
    /// The input track that provides the samples, or nil after a change until the next one is chosen.
    var feeder: RemuxInput.TrackID?
    /// The index of the input to which all feeders of the track belong.
    var input: Int
    /// Whether video frames are dropped until decoding can start.
    var awaitsSync: Bool
    /// The end of the last sample, delivered or dropped, on the clock of the input in 90 kHz ticks.
    var lastEnd: Int64 = .min
    /// The audio frames that form a sample together with later frames.
    var blocks = AudioBlockGroup()
    /// The samples after a jump of the timestamps that may be damage.
    var suspects: SuspectSamples?
    private var nextDTS: Int64?
    private var lastDTS: Int64?

    init(_ media: MediaTrack, feeder: RemuxInput.TrackID, language: String?, awaitsSync: Bool) {
        self.media = media
        self.language = language
        self.feeder = feeder
        input = feeder.input
        self.awaitsSync = awaitsSync
    }

    /// Moves a sample onto the clock of the output. Returns nil for audio that overlaps earlier audio by more than half
    /// of its duration. Throws `malformed` when a time exceeds the bounds of ``Timescale``.
    mutating func rebase(
        _ sample: MediaSample, from timescale: Int32, shift: Int64
    ) throws(ContainerError) -> MediaSample? {
        var placed = sample
        let own = media.timescale
        let exact = Timescale.convert(sample.dts, from: timescale, to: own)
            .addingClamped(Timescale.convert(shift, from: 90_000, to: own))
        placed.dts = own % timescale == 0 ? exact : settle(exact)
        placed.duration = Timescale.convert(sample.duration, from: timescale, to: own)
        placed.pts = placed.dts.addingClamped(
            Timescale.convert(sample.pts.subtractingClamped(sample.dts), from: timescale, to: own))
        try placed.checkTimes(timescale: own, code: .malformed)
        if let nextDTS, media.kind == .audio, placed.dts < nextDTS - placed.duration / 2 { return nil }
        // Decoding times always increase. A frame that isn't later than the previous one follows it directly.
        if let lastDTS, placed.dts <= lastDTS {
            placed.dts = lastDTS + 1
            placed.pts = max(placed.pts, placed.dts)
        }
        lastDTS = placed.dts
        nextDTS = placed.dts + placed.duration
        return placed
    }

    /// Returns the end of the previous frame if the timestamp differs from it only by rounding.
    private func settle(_ exact: Int64) -> Int64 {
        guard media.kind == .audio, let nextDTS else { return exact }
        let rounding = max(1, Int64(media.timescale) / Self.roundingPerSecond)
        return exact.subtractingClamped(nextDTS).magnitude <= rounding ? nextDTS : exact
    }
}

/// The output of a remuxer. It records whether the sink has failed, which isn't damage of a segment.
struct RemuxOutput<Sink: SampleSink>: SampleSink {
    var sink: Sink
    private(set) var hasFailed = false

    init(_ sink: Sink) { self.sink = sink }

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        try forward { (sink) throws(ContainerError) in try sink.tracks(tracks) }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        try forward { (sink) throws(ContainerError) in try sink.sample(sample, bytes: bytes) }
    }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        try forward { (sink) throws(ContainerError) in try sink.diagnostic(diagnostic) }
    }

    private mutating func forward(_ call: (inout Sink) throws(ContainerError) -> Void) throws(ContainerError) {
        do throws(ContainerError) {
            try call(&sink)
        } catch {
            hasFailed = true
            throw error
        }
    }
}
