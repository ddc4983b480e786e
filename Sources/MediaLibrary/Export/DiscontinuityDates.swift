import HLS

/// When the media of a playlist is, by the number of discontinuities before it and by the playlist's dates.
struct DiscontinuityDates {
    /// Playlists with more pairs of discontinuities aren't compared.
    private static let mostPairs = 1_000_000

    /// Times in nanoseconds since 1970.
    private var times: [Int: Range<Int64>] = [:]

    init(of playlist: MediaPlaylist) {
        for resolved in playlist.resolvedSegments {
            guard let start = resolved.programDateTime?.nanosecondsSinceEpoch else { continue }
            let (end, overflow) = start.addingReportingOverflow(max(0, resolved.segment.duration.nanoseconds))
            guard !overflow else { continue }
            // More than this is no count.
            let number = max(0, min(resolved.discontinuitySequence, 1 << 40))
            let known = times[number] ?? start..<end
            times[number] = min(known.lowerBound, start)..<max(known.upperBound, end)
        }
    }

    /// Returns what is to be added to these numbers, so that they mean the same times as those of another playlist; 0 where
    /// they do so already, or where dates don't tell.
    func shift(to other: DiscontinuityDates) -> Int {
        guard !times.isEmpty, times.count <= Self.mostPairs / max(1, other.times.count) else { return 0 }
        var shifts: Set<Int> = []
        for (number, time) in times {
            for (another, range) in other.times where time.overlaps(range) { shifts.insert(another - number) }
        }
        let unmoved = overlap(with: other, by: 0)
        let best = shifts.sorted().map { ($0, overlap(with: other, by: $0)) }.max { $0.1 < $1.1 }
        guard let best, best.1 > 2 * unmoved else { return 0 }
        return best.0
    }

    private func overlap(with other: DiscontinuityDates, by shift: Int) -> Double {
        times.reduce(0) { sum, one in
            guard let range = other.times[one.key + shift] else { return sum }
            let common = one.value.clamped(to: range)
            return sum + Double(common.upperBound) - Double(common.lowerBound)
        }
    }
}
