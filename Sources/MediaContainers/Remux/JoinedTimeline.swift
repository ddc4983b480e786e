/// Joins stretches of media whose clocks are unrelated into one line of time.
///
/// All times here are ticks of 90 kHz. A stretch ends where a discontinuity is announced for an input, or where a
/// track's decoding time goes back, or forward by more than any gap. After the same number of announced discontinuities,
/// inputs are in the same stretch (RFC 8216bis, 4.4.3.3). Within a stretch every track of every input is moved by the
/// same amount, whether or not it was in the stretch before, so that the offset between sound and picture stays. Between
/// stretches no track overlaps itself, and the one that fits most tightly has no gap, unless something is missing there.
struct JoinedTimeline {
    /// What is known of a stretch.
    private struct Stretch {
        /// What is added to its times; nil until the tracks that went on into it have begun there.
        var shift: Int64?
        var earliest: Int64 = .max
        var latest: Int64 = .min
        /// When its first sample is shown.
        var shown: Int64 = .max
        /// The tracks in it.
        var beginnings: [Beginning] = []
        /// The inputs that were announced to go on in it.
        var departures: [Departure] = []

        mutating func extend(_ start: Int64, _ end: Int64, shown time: Int64) {
            earliest = min(earliest, start)
            latest = max(latest, end)
            shown = min(shown, time)
        }
    }

    /// Where a track ended in a stretch, on that stretch's clock.
    private struct End {
        var stretch: StretchID
        var decoded: Int64
        var shown: Int64
    }

    /// A track's first sample in a stretch, and where it ended before.
    private struct Beginning {
        var decoded: Int64
        var shown: Int64
        var end: End?
    }

    /// Where the tracks of an input ended, and how much of it is missing behind that.
    private struct Departure {
        var ends: [End]
        var missing: Int64
    }

    /// One track's way through the stretches.
    private struct Track {
        var input: Int
        var stretch: StretchID
        /// The last sample's end, by decoding and by showing, before the shift.
        var decodedEnd: Int64?
        var shownEnd: Int64 = .min
        var lastDecoded: Int64 = 0
        /// How long after decoding the last sample was shown.
        var lastOffset: Int64 = 0
        /// Media is missing before the next sample: for how long, as far as that is known; 0 is any time.
        var gap: Int64?

        var end: End? { decodedEnd.map { End(stretch: stretch, decoded: $0, shown: shownEnd) } }
    }

    /// Steps back up to this are jitter of the stream, not another clock.
    private static let tolerance = DoubtfulSamples.tolerance
    /// How near to a stretch's times a track's must be to belong to it.
    private static let reach: Int64 = 10 * 90_000

    /// The longest gap that is believed without being announced.
    let longestGap: Int64
    /// The names of `stretches`, in order.
    private var order: [StretchID] = []
    private var stretches: [StretchID: Stretch] = [:]
    private var tracks: [Int: Track] = [:]
    /// The first stretch that each input's next samples can be in.
    private var floors: [Int: StretchID] = [:]
    /// The inputs that left their stretch and haven't begun in the next.
    private var departures: [Int: Departure] = [:]

    init(longestGap: Int64) { self.longestGap = longestGap }

    /// The first stretch that waits for its shift.
    var unsettled: StretchID? { order.first { stretches[$0]?.shift == nil } }

    /// The stretches whose place is known, within the bounds of ``Timescale``.
    var joined: [JoinedStretch] {
        order.compactMap { stretches[$0] }.compactMap { stretch in
            guard let shift = stretch.shift,
                [stretch.shown, stretch.latest, shift].allSatisfy({ Timescale.isInBounds($0, of: 90_000) })
            else { return nil }
            return JoinedStretch(start: stretch.shown, end: max(stretch.shown, stretch.latest), shift: shift)
        }
    }

    /// What is added to the times of a stretch, once that is known.
    func shift(of stretch: StretchID) -> Int64? { stretches[stretch]?.shift }

    /// How far a track has come since the beginning.
    func elapsed(_ track: Int) -> Int64 {
        guard let track = tracks[track], let end = track.decodedEnd, let first = order.first.flatMap({ stretches[$0] })
        else { return 0 }
        return end.addingClamped(stretches[track.stretch]?.shift ?? 0).subtractingClamped(max(first.earliest, -.max))
    }

    /// Announces that an input's next samples are on another clock.
    ///
    /// - Parameters:
    ///   - number: How many discontinuities come before them.
    ///   - missing: How much of the input isn't there between those before and them.
    mutating func leave(_ input: Int, number: Int, missing: Int64) {
        let ends = tracks.values.filter { $0.input == input }.compactMap(\.end)
        departures[input] = Departure(ends: ends, missing: missing.addingClamped(departures[input]?.missing ?? 0))
        floors[input] = StretchID(number: number)
    }

    /// Announces that samples of a track are missing.
    ///
    /// - Parameter missing: how much; 0 where nothing says.
    mutating func expectGap(_ track: Int, missing: Int64) { tracks[track]?.gap = missing }

    /// Whether a track's next sample may have any time, or has about the one that continues the track.
    func isExpected(_ id: Int, of input: Int, at dts: Int64) -> Bool {
        guard let track = tracks[id], let end = track.decodedEnd, track.gap == nil else { return true }
        if let floor = floors[input], track.stretch < floor { return true }
        return dts >= track.lastDecoded.subtractingClamped(DoubtfulSamples.tolerance)
            && dts.subtractingClamped(end) <= DoubtfulSamples.tolerance
    }

    /// Where a track's last sample ended in decoding order, and how long after decoding it was shown.
    func lastTimes(_ id: Int) -> (end: Int64, offset: Int64) {
        guard let track = tracks[id] else { return (0, 0) }
        return (track.decodedEnd ?? 0, track.lastOffset)
    }

    /// Takes a sample's times.
    ///
    /// - Returns: The stretch that it belongs to.
    mutating func take(track id: Int, of input: Int, dts: Int64, pts: Int64, duration: Int64) -> StretchID {
        var track = tracks[id] ?? Track(input: input, stretch: StretchID(number: 0))
        let stretch = stretch(of: tracks[id], of: input, at: dts)
        if tracks[id]?.stretch != stretch {
            if stretches[stretch] == nil { insert(stretch) }
            stretches[stretch]?.beginnings.append(Beginning(decoded: dts, shown: pts, end: track.end))
            if let departure = departures.removeValue(forKey: input) {
                stretches[stretch]?.departures.append(departure)
            }
            track.stretch = stretch
            track.shownEnd = .min
        }
        // Where nothing says how long a picture lasts, it lasts as long as the one before.
        let distance = track.decodedEnd == nil ? 0 : max(0, dts.subtractingClamped(track.lastDecoded))
        let length = duration > 0 ? duration : distance
        track.gap = nil
        let end = dts.addingClamped(length)
        track.decodedEnd = end
        track.shownEnd = max(track.shownEnd, pts.addingClamped(length))
        track.lastDecoded = dts
        track.lastOffset = pts.subtractingClamped(dts)
        tracks[id] = track
        stretches[stretch]?.extend(dts, end, shown: pts)
        return stretch
    }

    /// Whether every track of the stretch before has begun in this one.
    func isComplete(_ stretch: StretchID) -> Bool {
        guard let before = order.last(where: { $0 < stretch }) else { return true }
        return !tracks.values.contains { $0.stretch == before }
    }

    /// Fixes a stretch's shift by the tracks that have begun in it.
    mutating func settle(_ id: StretchID) {
        guard let stretch = stretches[id] else { return }
        let fit = stretch.beginnings.compactMap { beginning -> Int64? in
            guard let end = beginning.end, let shift = stretches[end.stretch]?.shift else { return nil }
            let decoded = end.decoded.subtractingClamped(beginning.decoded)
            return shift.addingClamped(max(decoded, end.shown.subtractingClamped(beginning.shown)))
        }.max()
        // What is missing in one input isn't where another goes on.
        let behind = stretch.departures.compactMap { departure -> (end: Int64, missing: Int64)? in
            let ends = departure.ends.compactMap { end in self.shift(of: end.stretch)?.addingClamped(end.shown) }
            return ends.max().map {
                ($0.addingClamped(departure.missing).subtractingClamped(stretch.shown), departure.missing)
            }
        }.min { $0.end < $1.end }
        let shift =
            switch (fit, behind) {
            // Sound and pictures of a stretch seldom end together: pictures needn't wait for the last frame of sound.
            case (let fit?, let behind?)
            where behind.missing == 0 && behind.end.subtractingClamped(fit) <= Self.tolerance:
                fit
            case (let fit?, let behind?): max(fit, behind.end)
            case (let fit?, nil): fit
            case (nil, let behind?): behind.end
            case (nil, nil): follows(id)
            }
        stretches[id]?.shift = shift
    }

    /// Without a track or input that goes on, it begins where the stretch before ended.
    private func follows(_ id: StretchID) -> Int64 {
        guard let stretch = stretches[id], let before = order.last(where: { $0 < id }).flatMap({ stretches[$0] }),
            before.latest != .min
        else { return 0 }
        return before.latest.addingClamped(before.shift ?? 0).subtractingClamped(stretch.earliest)
    }

    private mutating func insert(_ id: StretchID) {
        stretches[id] = Stretch(shift: stretches.isEmpty ? 0 : nil)
        order.insert(id, at: (order.lastIndex { $0 < id } ?? -1) + 1)
    }

    /// The stretch that a track's next sample belongs to.
    private func stretch(of track: Track?, of input: Int, at dts: Int64) -> StretchID {
        let floor = floors[input] ?? StretchID(number: 0)
        guard let track else {
            return nearest(to: dts, number: floor.number) ?? order.last { $0.number == floor.number } ?? floor
        }
        guard track.stretch >= floor else { return floor }
        guard jumps(track, to: dts) else { return track.stretch }
        if let next = nearest(to: dts, number: track.stretch.number, behind: track.stretch) { return next }
        let last = order.last { $0.number == track.stretch.number } ?? track.stretch
        return StretchID(number: last.number, clock: last.clock + 1)
    }

    private func jumps(_ track: Track, to dts: Int64) -> Bool {
        guard let end = track.decodedEnd else { return false }
        if dts < track.lastDecoded.subtractingClamped(Self.tolerance) { return true }
        // A gap that is known to be short doesn't explain a far step.
        let believed = longestGap.addingClamped(track.gap ?? 0)
        guard track.gap != 0, dts.subtractingClamped(end) > believed else { return false }
        // Another track of the same clock may already be there.
        return dts > (stretches[track.stretch]?.latest ?? .min).addingClamped(Self.reach)
    }

    /// The last stretch behind so many discontinuities whose times are near.
    private func nearest(to dts: Int64, number: Int, behind: StretchID? = nil) -> StretchID? {
        order.last { id in
            guard id.number == number, behind.map({ id > $0 }) ?? true else { return false }
            guard let stretch = stretches[id], stretch.latest != .min else { return false }
            return dts >= stretch.earliest.subtractingClamped(Self.reach)
                && dts <= stretch.latest.addingClamped(Self.reach)
        }
    }
}

/// A stretch of one clock in what a remuxer made. Times are ticks of 90 kHz.
public struct JoinedStretch: Sendable, Hashable {
    /// When its first sample is shown, on its own clock with wraps undone.
    public var start: Int64
    /// When its last sample ends, likewise.
    public var end: Int64
    /// What was added to its times to bring them onto the output's timeline.
    public var shift: Int64

    /// A stretch.
    public init(start: Int64, end: Int64, shift: Int64) {
        self.start = start
        self.end = end
        self.shift = shift
    }
}

/// Names a stretch of one clock; stretches are played in the order of their names.
struct StretchID: Hashable, Comparable {
    /// How many announced discontinuities come before it.
    var number: Int
    /// How many clocks, since the last of them, were found that weren't announced.
    var clock = 0

    static func < (left: StretchID, right: StretchID) -> Bool {
        (left.number, left.clock) < (right.number, right.clock)
    }
}
