import MediaContainers

/// What a track's samples come to.
struct TrackTally: Sendable, Hashable {
    /// How many there are.
    private(set) var samples = 0
    /// How many decoding can start at.
    private(set) var syncSamples = 0
    /// How many an edit list hides.
    private(set) var hiddenSamples = 0
    /// Their bytes.
    private(set) var bytes: Int64 = 0
    /// The earliest time at which one is shown, in the track's ticks; nil without samples.
    private(set) var start: Int64?
    /// The end of the last one shown.
    private(set) var end: Int64 = .min
    private var lastShown: Int64 = .min
    private var lastDTS: Int64?
    private var lastStep: Int64 = 0

    /// Counts a sample.
    mutating func add(_ sample: MediaSample) {
        samples += 1
        bytes += Int64(sample.size)
        if sample.isSync { syncSamples += 1 }
        if let lastDTS { lastStep = max(0, sample.dts.clampedDifference(lastDTS)) }
        lastDTS = sample.dts
        guard !sample.isHidden else { return hiddenSamples += 1 }
        start = min(start ?? .max, sample.pts)
        lastShown = max(lastShown, sample.pts)
        // Where nothing says how long a picture lasts, it lasts as long as the one before.
        end = max(end, sample.pts.clampedSum(sample.duration > 0 ? sample.duration : lastStep))
    }

    /// From the first moment shown to the last, in ticks.
    var duration: Int64? { start.map { end.clampedDifference($0) } }

    /// Pictures in a second, from the times of the first and the last.
    func frameRate(timescale: Int32) -> Double? {
        guard let start, samples - hiddenSamples > 1, lastShown > start else { return nil }
        return Double(samples - hiddenSamples - 1) * Double(timescale) / Double(lastShown.clampedDifference(start))
    }
}

extension Int64 {
    fileprivate func clampedSum(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other < 0 ? .max : .min) : difference
    }
}
