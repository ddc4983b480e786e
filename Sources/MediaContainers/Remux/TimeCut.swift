/// A sink that forwards the samples of a time range: video from the keyframe that the first visible frame depends on,
/// audio from slightly before the range.
///
/// Times are in seconds from the start of presentation, which is the earliest visible sample of any track, or the time
/// that precedes it by `lead`. Samples before the range are only for decoders; an edit list that begins at ``start``
/// hides them.
public struct TimeCut<Output: SampleSink>: SampleSink {
    private struct Held {
        var sample: MediaSample
        var bytes: [UInt8]
    }

    private struct Track {
        /// The bounds of the range in ticks of the track.
        var from: Int64 = .min
        var to: Int64 = .max
        /// The frames since the last keyframe, held until it is known whether the range needs them.
        var group: [Held] = []
        var isOpen = false
        var hasBegun = false
    }

    /// The maximum number of samples held while the start is unknown.
    private static var maximumSamples: Int { 4096 }
    private static var scale: Int32 { 90_000 }

    /// The receiver of the samples.
    public var output: Output
    /// The start of the range on the timeline of the samples, in 90 kHz ticks. Nil until it is known, or if the
    /// range begins with the first sample.
    public private(set) var start: Int64?
    /// The end of the range on the timeline of the samples, in 90 kHz ticks. Nil until it is known, or if the range
    /// has no end.
    public private(set) var end: Int64?
    /// The visible range in 90 kHz ticks, from ``start`` or the first visible sample to ``end``; unbounded without
    /// an end.
    public var shown: Range<Int64> { (start ?? zero ?? 0)..<max(end ?? .max, start ?? zero ?? 0) }
    /// The earliest presentation time of a visible sample, or nil until it is known.
    private var zero: Int64?
    private let from: Double?
    private let to: Double?
    private let lead: () -> Double
    private var media: [MediaTrack] = []
    private var tracks: [Track] = []
    private var held: [Held] = []
    private var isKnown = false

    /// Creates a cut.
    ///
    /// - Parameters:
    ///   - from: The start of the range in seconds, or nil for the start of presentation.
    ///   - to: The end of the range in seconds, or nil for no end.
    ///   - lead: A function that returns the seconds between the zero of `from` and `to` and the earliest visible
    ///     sample. It's called at most once, after the first samples.
    public init(_ output: Output, from: Double?, to: Double?, lead: @escaping () -> Double = { 0 }) {
        self.output = output
        self.from = from
        self.to = to
        self.lead = lead
    }

    /// Receives the list of tracks; see ``SampleSink/tracks(_:)``.
    public mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        media = tracks
        while self.tracks.count < tracks.count {
            var track = Track()
            if isKnown { setRange(&track, tracks[self.tracks.count].timescale) }
            self.tracks.append(track)
        }
        try output.tracks(tracks)
    }

    /// Receives a sample; see ``SampleSink/sample(_:bytes:)``.
    public mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard tracks.indices.contains(sample.track) else { return }
        guard !isKnown else { return try forward(sample, bytes) }
        held.append(Held(sample: sample, bytes: [UInt8](copying: bytes)))
        tracks[sample.track].hasBegun = true
        let isComplete = zip(media, tracks).allSatisfy { $1.hasBegun || $0.kind == .data || $0.kind == .text }
        if isComplete || held.count >= Self.maximumSamples { try begin() }
    }

    /// Receives a defect; see ``SampleSink/diagnostic(_:)``.
    public mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        try output.diagnostic(diagnostic)
    }

    /// Delivers the samples that are still held. Throws `malformed` when the range contains no samples.
    public mutating func finish() throws(ContainerError) {
        if !isKnown { try begin() }
        // The last group extends to the end of the media, so the range may begin in its last frame.
        var isEmpty = true
        for index in tracks.indices {
            let track = tracks[index]
            isEmpty = isEmpty && !track.isOpen
            guard !track.isOpen, let last = track.group.last,
                last.sample.pts.addingClamped(last.sample.duration) > track.from
            else { continue }
            isEmpty = false
            try begin(index)
        }
        guard isEmpty else { return }
        throw ContainerError(.malformed, "the time range contains no samples")
    }

    private mutating func begin() throws(ContainerError) {
        isKnown = true
        zero = held.filter { !$0.sample.isHidden }.map {
            Timescale.convert($0.sample.pts, from: media[$0.sample.track].timescale, to: Self.scale)
        }.min()
        if let zero {
            let lead = lead()
            if let from, from > lead { start = zero.addingClamped(Self.ticks(from - lead)) }
            if let to { end = zero.addingClamped(Self.ticks(to - lead)) }
        }
        for index in tracks.indices { setRange(&tracks[index], media[index].timescale) }
        let pending = held
        held = []
        for entry in pending {
            try entry.bytes.withBorrowedBytes { (bytes) throws(ContainerError) in try forward(entry.sample, bytes) }
        }
    }

    private static func ticks(_ seconds: Double) -> Int64 {
        max(0, Timescale.ticks(of: seconds, in: scale))
    }

    private func setRange(_ track: inout Track, _ timescale: Int32) {
        if let start { track.from = Timescale.convert(start, from: Self.scale, to: timescale) }
        if let end { track.to = Timescale.convert(end, from: Self.scale, to: timescale) }
    }

    private mutating func forward(_ sample: MediaSample, _ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        let track = tracks[sample.track]
        // A frame that is presented before the end may depend on a frame that is presented later.
        guard sample.dts < track.to else { return }
        guard !track.isOpen else { return try output.sample(sample, bytes: bytes) }
        guard media[sample.track].kind == .video else {
            // Audio decoders need preroll.
            let preroll = max(0, sample.duration)
            let end = sample.pts.addingClamped(sample.duration).addingClamped(preroll).addingClamped(preroll)
            guard end > track.from else { return }
            tracks[sample.track].isOpen = true
            return try output.sample(sample, bytes: bytes)
        }
        if sample.isSync, sample.pts <= track.from { tracks[sample.track].group = [] }
        if sample.pts > track.from {
            try begin(sample.track)
            return try output.sample(sample, bytes: bytes)
        }
        tracks[sample.track].group.append(Held(sample: sample, bytes: [UInt8](copying: bytes)))
    }

    /// Starts the range of a track with its held group of frames.
    private mutating func begin(_ track: Int) throws(ContainerError) {
        tracks[track].isOpen = true
        let group = tracks[track].group
        tracks[track].group = []
        for entry in group {
            try entry.bytes.withBorrowedBytes { (bytes) throws(ContainerError) in
                try output.sample(entry.sample, bytes: bytes)
            }
        }
    }
}
