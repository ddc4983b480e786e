internal import MediaCache
internal import MediaContainers

/// Statistics of a track's samples.
struct TrackTally: Sendable, Hashable {
    private(set) var samples = 0
    /// The number of samples at which decoding can start.
    private(set) var syncSamples = 0
    /// The number of samples that an edit list hides.
    private(set) var hiddenSamples = 0
    private(set) var bytes: Int64 = 0
    /// The earliest presentation time, in the track's timescale; nil if no sample is presented.
    private(set) var start: Int64?
    /// The latest end of a presented sample, in the track's timescale; `Int64.min` if there is none.
    private(set) var end: Int64 = .min
    private var lastShown: Int64 = .min
    private var lastDTS: Int64?
    private var lastStep: Int64 = 0

    mutating func add(_ sample: MediaSample) {
        samples += 1
        bytes += Int64(sample.size)
        if sample.isSync { syncSamples += 1 }
        if let lastDTS { lastStep = max(0, sample.dts.clampedDifference(lastDTS)) }
        lastDTS = sample.dts
        guard !sample.isHidden else { return hiddenSamples += 1 }
        start = min(start ?? .max, sample.pts)
        lastShown = max(lastShown, sample.pts)
        // A sample without a duration is assumed to be as long as the previous one.
        end = max(end, sample.pts.clampedSum(sample.duration > 0 ? sample.duration : lastStep))
    }

    /// The duration from the first presentation time to the end, in the track's timescale.
    var duration: Int64? { start.map { end.clampedDifference($0) } }

    /// Returns the average number of frames per second; nil if fewer than two frames are presented.
    func frameRate(timescale: Int32) -> Double? {
        guard let start, samples - hiddenSamples > 1, lastShown > start else { return nil }
        return Double(samples - hiddenSamples - 1) * Double(timescale) / Double(lastShown.clampedDifference(start))
    }
}

/// A sink that tallies the samples of all tracks, and collects diagnostics.
struct TrackTallies: SampleSink {
    private static let diagnosticsLimit = 1000

    private(set) var tracks: [MediaTrack] = []
    private(set) var tallies: [TrackTally] = []
    private(set) var diagnostics: [ContainerDiagnostic] = []
    private(set) var droppedDiagnostics = 0

    mutating func tracks(_ tracks: [MediaTrack]) {
        self.tracks = tracks
        while tallies.count < tracks.count { tallies.append(TrackTally()) }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) { add(sample) }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) {
        if diagnostics.count < Self.diagnosticsLimit {
            diagnostics.append(diagnostic)
        } else {
            droppedDiagnostics += 1
        }
    }

    mutating func add(_ sample: MediaSample) {
        guard tallies.indices.contains(sample.track) else { return }
        tallies[sample.track].add(sample)
    }
}

extension Int64 {
    fileprivate func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
