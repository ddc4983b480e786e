/// Bytes per second over the last few seconds, from amounts noted at moments of a monotonic clock.
struct RateMeter: Sendable {
    /// How far back it looks.
    private let window: Duration
    private var notes: [(time: Duration, bytes: Int64)] = []

    /// A meter that looks back over `window`; 5 s unless set.
    init(window: Duration = .seconds(5)) {
        self.window = window
    }

    /// Notes that `bytes` were here at `time`. An amount that shrinks starts the meter anew.
    mutating func note(bytes: Int64, at time: Duration) {
        if let last = notes.last, bytes < last.bytes || time < last.time { notes.removeAll() }
        notes.append((time, bytes))
        // One note older than the window stays, so that a slow trickle still has two to compare.
        while notes.count > 2, time - notes[1].time >= window { notes.removeFirst() }
    }

    /// Bytes per second, or nil before two moments have been noted.
    var rate: Double? {
        guard let first = notes.first, let last = notes.last, last.time > first.time else { return nil }
        let elapsed = (last.time - first.time) / .seconds(1)
        return Double(last.bytes - first.bytes) / elapsed
    }
}
