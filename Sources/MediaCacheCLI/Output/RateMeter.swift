/// A meter of the average rate over the last few seconds.
struct RateMeter: Sendable {
    private let window: Duration
    private var samples: [(time: Duration, bytes: Int64)] = []

    init(window: Duration = .seconds(5)) {
        self.window = window
    }

    /// Adds a sample with the time of a monotonic clock. A decreasing number of bytes or time resets the meter.
    mutating func note(bytes: Int64, at time: Duration) {
        if let last = samples.last, bytes < last.bytes || time < last.time { samples.removeAll() }
        samples.append((time, bytes))
        // One sample before the window is preserved, so that a slow transfer has two samples.
        while samples.count > 2, time - samples[1].time >= window { samples.removeFirst() }
    }

    /// The rate in bytes per second; nil until there are samples of two different times.
    var rate: Double? {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
        let elapsed = (last.time - first.time) / .seconds(1)
        return Double(last.bytes - first.bytes) / elapsed
    }
}
