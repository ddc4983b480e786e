import HLS

/// The dates of a playlist's media, by discontinuity sequence number.
struct DiscontinuityDates {
    private static let maximumPairs = 1_000_000

    /// The dates in nanoseconds since 1970.
    private var times: [Int: Range<Int64>] = [:]

    init(of playlist: MediaPlaylist) {
        for resolved in playlist.resolvedSegments {
            guard let start = resolved.programDateTime?.nanosecondsSinceEpoch else { continue }
            let (end, overflow) = start.addingReportingOverflow(max(0, resolved.segment.duration.nanoseconds))
            guard !overflow else { continue }
            // Greater numbers aren't plausible, and might cause an overflow.
            let number = max(0, min(resolved.discontinuitySequence, 1 << 40))
            let known = times[number] ?? start..<end
            times[number] = min(known.lowerBound, start)..<max(known.upperBound, end)
        }
    }

    /// Returns the offset by which this playlist's discontinuity numbers must be shifted to match those of another
    /// playlist by date. It's 0 if they already match, if dates are missing, or if there are too many discontinuities.
    func shift(to other: DiscontinuityDates) -> Int {
        guard !times.isEmpty, times.count <= Self.maximumPairs / max(1, other.times.count) else { return 0 }
        // The common time of the media in nanoseconds, by shift. A hostile playlist may cause as many shifts as pairs.
        var overlaps: [Int: Double] = [:]
        for (number, time) in times {
            for (another, range) in other.times where time.overlaps(range) {
                let common = time.clamped(to: range)
                overlaps[another - number, default: 0] += Double(common.upperBound) - Double(common.lowerBound)
            }
        }
        let best = overlaps.sorted { $0.key < $1.key }.max { $0.value < $1.value }
        guard let best, best.value > 2 * (overlaps[0] ?? 0) else { return 0 }
        return best.key
    }
}
