/// Passes on the samples of a stretch of time: pictures from the key picture that its first one needs, sound from a
/// little before.
///
/// Times are seconds from the beginning of presentation, the earliest sample shown of any track of pictures or sound,
/// or from as long before it as `lead` says.
/// What comes before the stretch is for decoders only; an edit list that begins at ``start`` hides it.
public struct TimeCut<Output: SampleSink>: SampleSink {
    private struct Held {
        var sample: MediaSample
        var bytes: [UInt8]
    }

    private struct Track {
        /// Where the stretch begins and ends, in ticks.
        var from: Int64 = .min
        var to: Int64 = .max
        /// Pictures since the last key picture, while it isn't known whether the stretch needs them.
        var group: [Held] = []
        var isOpen = false
        var hasBegun = false
    }

    /// Held while the beginning isn't known: more than a second of anything.
    private static var mostSamples: Int { 4096 }
    private static var scale: Int32 { 90_000 }

    /// What takes the samples.
    public var output: Output
    /// The time at which the stretch begins on the timeline of the samples, in ticks of 90 kHz; nil before that is known,
    /// and where it begins at the beginning.
    public private(set) var start: Int64?
    /// The time at which it ends, likewise.
    public private(set) var end: Int64?
    /// What the stretch shows, in ticks of 90 kHz: from ``start`` or the first sample shown, to ``end`` or for ever.
    public var shown: Range<Int64> { (start ?? zero ?? 0)..<max(end ?? .max, start ?? zero ?? 0) }
    /// When the first sample is shown, once that is known.
    private var zero: Int64?
    private let from: Double?
    private let to: Double?
    private let lead: () -> Double
    private var media: [MediaTrack] = []
    private var tracks: [Track] = []
    private var held: [Held] = []
    private var isKnown = false

    /// A cut.
    ///
    /// - Parameters:
    ///   - output: What takes the samples.
    ///   - from: Where the stretch begins, in seconds; nil is the beginning.
    ///   - to: Where it ends, in seconds; nil is the end.
    ///   - lead: Gives the seconds between the zero of `from` and `to` and the earliest sample shown. Called once, behind the
    ///     first samples.
    public init(_ output: Output, from: Double?, to: Double?, lead: @escaping () -> Double = { 0 }) {
        self.output = output
        self.from = from
        self.to = to
        self.lead = lead
    }

    /// Takes the list of tracks; see ``SampleSink/tracks(_:)``.
    public mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        media = tracks
        while self.tracks.count < tracks.count {
            var track = Track()
            if isKnown { place(&track, tracks[self.tracks.count].timescale) }
            self.tracks.append(track)
        }
        try output.tracks(tracks)
    }

    /// Takes a sample; see ``SampleSink/sample(_:bytes:)``.
    public mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard tracks.indices.contains(sample.track) else { return }
        guard !isKnown else { return try pass(sample, bytes) }
        held.append(Held(sample: sample, bytes: [UInt8](copying: bytes)))
        tracks[sample.track].hasBegun = true
        let isComplete = zip(media, tracks).allSatisfy { $1.hasBegun || $0.kind == .data || $0.kind == .text }
        if isComplete || held.count >= Self.mostSamples { try begin() }
    }

    /// Takes note of damage; see ``SampleSink/diagnostic(_:)``.
    public mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        try output.diagnostic(diagnostic)
    }

    /// Hands out what is held, at the end.
    ///
    /// - Throws: What the output throws; ``ContainerError/Code-swift.enum/malformed`` where nothing lies in the stretch.
    public mutating func finish() throws(ContainerError) {
        if !isKnown { try begin() }
        // The last group is shown until the end: the stretch may begin in its last picture.
        var isEmpty = true
        for index in tracks.indices {
            let track = tracks[index]
            isEmpty = isEmpty && !track.isOpen
            guard !track.isOpen, let last = track.group.last,
                last.sample.pts.addingClamped(last.sample.duration) > track.from
            else { continue }
            isEmpty = false
            try open(index)
        }
        guard isEmpty else { return }
        throw ContainerError(.malformed, "there is nothing in this stretch of time")
    }

    // MARK: - The stretch

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
        for index in tracks.indices { place(&tracks[index], media[index].timescale) }
        let waiting = held
        held = []
        for one in waiting { try pass(one) }
    }

    private static func ticks(_ seconds: Double) -> Int64 {
        max(0, Timescale.ticks(of: seconds, in: scale))
    }

    private func place(_ track: inout Track, _ timescale: Int32) {
        if let start { track.from = Timescale.convert(start, from: Self.scale, to: timescale) }
        if let end { track.to = Timescale.convert(end, from: Self.scale, to: timescale) }
    }

    private mutating func pass(_ one: Held) throws(ContainerError) {
        let result = one.bytes.withUnsafeBytes { bytes in
            Result { () throws(ContainerError) in try pass(one.sample, bytes) }
        }
        try result.get()
    }

    private mutating func pass(_ sample: MediaSample, _ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        let track = tracks[sample.track]
        // A picture that is shown later may be needed by one that is shown before the end.
        guard sample.dts < track.to else { return }
        guard !track.isOpen else { return try output.sample(sample, bytes: bytes) }
        guard media[sample.track].kind == .video else {
            // Decoders of sound need a run-up.
            let runUp = max(0, sample.duration)
            let end = sample.pts.addingClamped(sample.duration).addingClamped(runUp).addingClamped(runUp)
            guard end > track.from else { return }
            tracks[sample.track].isOpen = true
            return try output.sample(sample, bytes: bytes)
        }
        if sample.isSync, sample.pts <= track.from { tracks[sample.track].group = [] }
        if sample.pts > track.from {
            try open(sample.track)
            return try output.sample(sample, bytes: bytes)
        }
        tracks[sample.track].group.append(Held(sample: sample, bytes: [UInt8](copying: bytes)))
    }

    /// The stretch begins in the group of pictures that is held.
    private mutating func open(_ track: Int) throws(ContainerError) {
        tracks[track].isOpen = true
        let group = tracks[track].group
        tracks[track].group = []
        for one in group {
            let result = one.bytes.withUnsafeBytes { bytes in
                Result { () throws(ContainerError) in try output.sample(one.sample, bytes: bytes) }
            }
            try result.get()
        }
    }
}
