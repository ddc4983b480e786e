/// A track of the output: where its samples come from, and the clock on which they lie.
struct OutputTrack {
    /// The longest difference between a frame's time stamp and the end of the frame before that is rounding: a
    /// half of a millisecond.
    private static let roundingPerSecond: Int64 = 2000

    var media: MediaTrack
    /// The language as the container of its first feeder has it.
    let language: String?
    /// The input's track that its samples come from, or nil after a change until the next is chosen.
    var feeder: RemuxInput.TrackID?
    /// The input that last fed it.
    var input: Int
    /// Pictures are left out until decoding can start.
    var awaitsSync: Bool
    /// The end of the last sample on the input's clock, in ticks of 90 kHz.
    var lastEnd: Int64 = .min
    /// Frames of sound that wait for others to be a sample with them.
    var blocks = AudioBlockGroup()
    /// Samples behind a jump of the time stamps, of which it isn't known whether they are damaged.
    var doubt: DoubtfulSamples?
    private var nextDTS: Int64?
    private var lastDTS: Int64?

    init(_ media: MediaTrack, feeder: RemuxInput.TrackID, language: String?) {
        self.media = media
        self.language = language
        self.feeder = feeder
        input = feeder.input
        awaitsSync = media.kind == .video
    }

    /// Moves a sample onto the output's clock.
    ///
    /// - Returns: The sample, or nil for sound that was there already.
    /// - Throws: ``ContainerError`` with `malformed` where the output's clock passes the bounds of ``Timescale``.
    mutating func place(
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
        // Decoding never goes back: a picture that overlaps the one before is decoded right after it.
        if let lastDTS, placed.dts <= lastDTS {
            placed.dts = lastDTS + 1
            placed.pts = max(placed.pts, placed.dts)
        }
        lastDTS = placed.dts
        nextDTS = placed.dts + placed.duration
        return placed
    }

    /// The end of the frame before where the time stamp says the same but for its rounding.
    private func settle(_ exact: Int64) -> Int64 {
        guard media.kind == .audio, let nextDTS else { return exact }
        let rounding = max(1, Int64(media.timescale) / Self.roundingPerSecond)
        return exact.subtractingClamped(nextDTS).magnitude <= rounding ? nextDTS : exact
    }
}

/// A remuxer's output, with whether it failed: its errors aren't damage of a segment.
struct RemuxOutput<Sink: SampleSink>: SampleSink {
    var sink: Sink
    /// Whether a call of the sink threw.
    private(set) var hasFailed = false

    init(_ sink: Sink) { self.sink = sink }

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        do throws(ContainerError) {
            try sink.tracks(tracks)
        } catch {
            hasFailed = true
            throw error
        }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        do throws(ContainerError) {
            try sink.sample(sample, bytes: bytes)
        } catch {
            hasFailed = true
            throw error
        }
    }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        do throws(ContainerError) {
            try sink.diagnostic(diagnostic)
        } catch {
            hasFailed = true
            throw error
        }
    }
}
