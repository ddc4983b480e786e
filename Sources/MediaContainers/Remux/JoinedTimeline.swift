/// Joins stretches of media whose clocks are unrelated into one line of time.
///
/// All times here are ticks of 90 kHz. A stretch ends where a discontinuity is announced, or where a track's decoding
/// time goes back, or forward by more than any gap. Within a stretch every track is moved by the same amount, so the
/// offset between sound and picture stays; between stretches no track overlaps itself, and the one that fits most
/// tightly has no gap.
struct JoinedTimeline {
    /// What is known of a stretch.
    private struct Stretch {
        /// What is added to its times; nil until the tracks that went on into it have begun there.
        var shift: Int64?
        var earliest: Int64 = .max
        var latest: Int64 = .min
        /// When its first sample is shown.
        var shown: Int64 = .max
    }

    /// One track's way through the stretches.
    private struct Track {
        var stretch: Int
        /// The last sample's end, by decoding and by showing, before the shift.
        var decodedEnd: Int64?
        var shownEnd: Int64 = .min
        var lastDecoded: Int64 = 0
        /// The first times in the stretch.
        var firstDecoded: Int64 = 0
        var firstShown: Int64 = 0
        /// Ends in the stretch before, shifted.
        var joinDecoded: Int64?
        var joinShown: Int64?
        /// A discontinuity was announced: the next sample begins another stretch.
        var leaves = false
        /// Packets are missing: the next sample may be any time later.
        var hasGap = false
    }

    /// Steps back up to this are jitter of the stream, not another clock.
    private static let tolerance: Int64 = 45_000
    /// How near to a stretch's times a track's must be to belong to it.
    private static let reach: Int64 = 10 * 90_000

    /// The longest gap that is believed without being announced.
    let longestGap: Int64
    private var stretches = [Stretch(shift: 0)]
    private var tracks: [Int: Track] = [:]

    init(longestGap: Int64) { self.longestGap = longestGap }

    /// The first stretch that waits for its shift.
    var unsettled: Int? { stretches.firstIndex { $0.shift == nil } }

    /// The stretches whose place is known.
    var joined: [JoinedStretch] {
        stretches.compactMap { stretch in
            // Times that far from 0 only come from damage.
            let largest = max(stretch.shown.magnitude, stretch.latest.magnitude, (stretch.shift ?? 0).magnitude)
            guard let shift = stretch.shift, largest < 1 << 55 else { return nil }
            return JoinedStretch(start: stretch.shown, end: max(stretch.shown, stretch.latest), shift: shift)
        }
    }

    /// What is added to the times of a stretch, once that is known.
    func shift(of stretch: Int) -> Int64? { stretches[stretch].shift }

    /// How far a track has come since the beginning.
    func elapsed(_ track: Int) -> Int64 {
        guard let track = tracks[track], let end = track.decodedEnd, let first = stretches.first else { return 0 }
        return end.addingClamped(stretches[track.stretch].shift ?? 0).addingClamped(-max(first.earliest, -.max))
    }

    /// Announces that a track's next sample is on another clock.
    mutating func leave(_ track: Int) { tracks[track]?.leaves = true }

    /// Announces that samples of a track are missing.
    mutating func expectGap(_ track: Int) { tracks[track]?.hasGap = true }

    /// Takes a sample's times.
    ///
    /// - Returns: The stretch that it belongs to.
    mutating func take(track id: Int, dts: Int64, pts: Int64, duration: Int64) -> Int {
        guard var track = tracks[id] else {
            let stretch = nearest(to: dts, from: 0) ?? stretches.count - 1
            tracks[id] = Track(stretch: stretch, firstDecoded: dts, firstShown: pts)
            extend(id, stretch, dts: dts, pts: pts, duration: duration)
            return stretch
        }
        if track.leaves || jumps(track, to: dts) {
            let next =
                track.leaves ? min(track.stretch + 1, stretches.count) : nearest(to: dts, from: track.stretch + 1)
            let target = next ?? stretches.count
            while stretches.count <= target { stretches.append(Stretch()) }
            let shift = stretches[track.stretch].shift
            track.joinDecoded = shift.flatMap { shift in track.decodedEnd.map { $0 + shift } }
            track.joinShown = shift.map { track.shownEnd + $0 }
            track.stretch = target
            track.firstDecoded = dts
            track.firstShown = pts
            track.shownEnd = .min
            track.leaves = false
        }
        track.hasGap = false
        tracks[id] = track
        extend(id, track.stretch, dts: dts, pts: pts, duration: duration)
        return track.stretch
    }

    /// Whether every track of the stretch before has begun in this one.
    func isComplete(_ stretch: Int) -> Bool {
        !tracks.values.contains { $0.stretch == stretch - 1 }
    }

    /// Fixes a stretch's shift by the tracks that have begun in it.
    mutating func settle(_ stretch: Int) {
        let begun = tracks.values.filter { $0.stretch == stretch }
        let needed = begun.compactMap { track -> Int64? in
            guard let decoded = track.joinDecoded, let shown = track.joinShown else { return nil }
            return max(decoded - track.firstDecoded, shown - track.firstShown)
        }
        let before = stretch > 0 ? stretches[stretch - 1] : Stretch(shift: 0)
        // Without a track that goes on, it begins where the stretch before ended.
        let follows = before.latest == .min ? 0 : before.latest + (before.shift ?? 0) - stretches[stretch].earliest
        stretches[stretch].shift = needed.max() ?? follows
    }

    private mutating func extend(_ id: Int, _ stretch: Int, dts: Int64, pts: Int64, duration: Int64) {
        guard var track = tracks[id] else { return }
        // Where nothing says how long a picture lasts, it lasts as long as the one before.
        let length = duration > 0 ? duration : track.decodedEnd == nil ? 0 : max(0, dts - track.lastDecoded)
        track.decodedEnd = dts + length
        track.shownEnd = max(track.shownEnd, pts + length)
        track.lastDecoded = dts
        tracks[id] = track
        stretches[stretch].earliest = min(stretches[stretch].earliest, dts)
        stretches[stretch].latest = max(stretches[stretch].latest, dts + length)
        stretches[stretch].shown = min(stretches[stretch].shown, pts)
    }

    private func jumps(_ track: Track, to dts: Int64) -> Bool {
        guard let end = track.decodedEnd else { return false }
        if dts < track.lastDecoded - Self.tolerance { return true }
        guard dts - end > longestGap, !track.hasGap else { return false }
        // Another track of the same clock may already be there.
        return dts > stretches[track.stretch].latest + Self.reach
    }

    /// The stretch from `first` on whose times are near.
    private func nearest(to dts: Int64, from first: Int) -> Int? {
        guard first < stretches.count else { return nil }
        return (first..<stretches.count).last { index in
            let stretch = stretches[index]
            guard stretch.latest != .min else { return false }
            return dts >= stretch.earliest - Self.reach && dts <= stretch.latest + Self.reach
        }
    }
}
