/// A timeline that joins stretches of media with unrelated clocks.
///
/// All times are in ticks of 90 kHz. A stretch ends at an announced discontinuity of an input, or where the decoding
/// time of a track decreases, or increases by more than any gap. Inputs with the same number of announced
/// discontinuities are in the same stretch (RFC 8216bis, 4.4.3.3).
///
/// Within a stretch, every track of every input moves by the same amount, whether or not it was in the previous
/// stretch, so that audio and video stay in sync. Between stretches, no track overlaps itself, and the track with the
/// tightest fit has no gap, unless media is missing there.
struct JoinedTimeline {
    /// The state of a stretch.
    private struct Stretch {
        /// The amount added to the times of the stretch, or nil until the tracks that continue in it have begun.
        var shift: Int64?
        var earliest: Int64 = .max
        var latest: Int64 = .min
        /// The earliest presentation time.
        var shown: Int64 = .max
        /// The first samples of the tracks in the stretch.
        var beginnings: [Beginning] = []
        /// The inputs that were announced to continue in the stretch.
        var departures: [Departure] = []

        mutating func extend(_ start: Int64, _ end: Int64, shown time: Int64) {
            earliest = min(earliest, start)
            latest = max(latest, end)
            shown = min(shown, time)
        }
    }

    /// The end of a track in a stretch, on the clock of that stretch.
    private struct End {
        var stretch: StretchID
        var decoded: Int64
        var shown: Int64
    }

    /// The first sample of a track in a stretch, and the track's previous end.
    private struct Beginning {
        var decoded: Int64
        var shown: Int64
        var end: End?
    }

    /// The ends of an input's tracks, and the duration of the missing media after them.
    private struct Departure {
        var ends: [End]
        var missing: Int64
    }

    /// The position of a track in the stretches.
    private struct Track {
        var input: Int
        var stretch: StretchID
        /// The end of the last sample in decoding order and the latest end in presentation order, before the shift.
        var decodedEnd: Int64?
        var shownEnd: Int64 = .min
        var lastDecoded: Int64 = 0
        /// The composition offset of the last sample.
        var lastOffset: Int64 = 0
        /// The known duration of the media missing before the next sample, or nil if none is missing; 0 if the duration
        /// is unknown.
        var gap: Int64?

        var end: End? { decodedEnd.map { End(stretch: stretch, decoded: $0, shown: shownEnd) } }
    }

    /// The maximum step back that's considered jitter instead of a new clock.
    private static let tolerance = DoubtfulSamples.tolerance
    /// The maximum distance between the times of a track and a stretch that it can belong to.
    private static let reach: Int64 = 10 * 90_000

    /// The longest unannounced gap that's accepted.
    let longestGap: Int64
    /// The ids of `stretches` in order.
    private var order: [StretchID] = []
    private var stretches: [StretchID: Stretch] = [:]
    private var tracks: [Int: Track] = [:]
    /// The first stretch that the next samples of each input can belong to.
    private var floors: [Int: StretchID] = [:]
    /// The inputs that have left their stretch but haven't begun in the next.
    private var departures: [Int: Departure] = [:]

    init(longestGap: Int64) { self.longestGap = longestGap }

    /// The first stretch without a shift.
    var unsettled: StretchID? { order.first { stretches[$0]?.shift == nil } }

    /// The stretches that have a shift and times within the bounds of ``Timescale``.
    var joined: [JoinedStretch] {
        order.compactMap { stretches[$0] }.compactMap { stretch in
            guard let shift = stretch.shift,
                [stretch.shown, stretch.latest, shift].allSatisfy({ Timescale.isInBounds($0, of: 90_000) })
            else { return nil }
            return JoinedStretch(start: stretch.shown, end: max(stretch.shown, stretch.latest), shift: shift)
        }
    }

    /// Returns the amount added to the times of a stretch, or nil until it is known.
    func shift(of stretch: StretchID) -> Int64? { stretches[stretch]?.shift }

    /// Returns the time between the start of the timeline and the end of a track so far.
    func elapsed(_ track: Int) -> Int64 {
        guard let track = tracks[track], let end = track.decodedEnd, let first = order.first.flatMap({ stretches[$0] })
        else { return 0 }
        return end.addingClamped(stretches[track.stretch]?.shift ?? 0).subtractingClamped(max(first.earliest, -.max))
    }

    /// Announces that the next samples of an input are on another clock.
    ///
    /// - Parameters:
    ///   - number: The number of discontinuities before them.
    ///   - missing: The duration of the media missing before them.
    mutating func leave(_ input: Int, number: Int, missing: Int64) {
        let ends = tracks.values.filter { $0.input == input }.compactMap(\.end)
        departures[input] = Departure(ends: ends, missing: missing.addingClamped(departures[input]?.missing ?? 0))
        floors[input] = StretchID(number: number)
    }

    /// Announces that samples of a track are missing.
    ///
    /// - Parameter missing: The duration of the missing media, or 0 if it is unknown.
    mutating func expectGap(_ track: Int, missing: Int64) { tracks[track]?.gap = missing }

    /// Returns whether a time is plausible for the next sample of a track: it continues the track, or the track may
    /// continue at any time.
    func isExpected(_ id: Int, of input: Int, at dts: Int64) -> Bool {
        guard let track = tracks[id], let end = track.decodedEnd, track.gap == nil else { return true }
        if let floor = floors[input], track.stretch < floor { return true }
        return dts >= track.lastDecoded.subtractingClamped(DoubtfulSamples.tolerance)
            && dts.subtractingClamped(end) <= DoubtfulSamples.tolerance
    }

    /// Returns the end of a track's last sample in decoding order, and its composition offset.
    func lastTimes(_ id: Int) -> (end: Int64, offset: Int64) {
        guard let track = tracks[id] else { return (0, 0) }
        return (track.decodedEnd ?? 0, track.lastOffset)
    }

    /// Adds the times of a sample.
    ///
    /// - Returns: The stretch of the sample.
    mutating func add(track id: Int, of input: Int, dts: Int64, pts: Int64, duration: Int64) -> StretchID {
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
        // A picture without a duration lasts as long as the one before it.
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

    /// Returns whether every track of the previous stretch has begun in this one.
    func isComplete(_ stretch: StretchID) -> Bool {
        guard let before = order.last(where: { $0 < stretch }) else { return true }
        return !tracks.values.contains { $0.stretch == before }
    }

    /// Computes the shift of a stretch from the tracks that have begun in it.
    mutating func settle(_ id: StretchID) {
        guard let stretch = stretches[id] else { return }
        let fit = stretch.beginnings.compactMap { beginning -> Int64? in
            guard let end = beginning.end, let shift = stretches[end.stretch]?.shift else { return nil }
            let decoded = end.decoded.subtractingClamped(beginning.decoded)
            return shift.addingClamped(max(decoded, end.shown.subtractingClamped(beginning.shown)))
        }.max()
        // Media that one input lacks isn't missing if another input continues.
        let departed = stretch.departures.compactMap { departure -> (end: Int64, missing: Int64)? in
            let ends = departure.ends.compactMap { end in self.shift(of: end.stretch)?.addingClamped(end.shown) }
            return ends.max().map {
                ($0.addingClamped(departure.missing).subtractingClamped(stretch.shown), departure.missing)
            }
        }.min { $0.end < $1.end }
        let shift =
            switch (fit, departed) {
            // Audio and video of a stretch rarely end at the same time. Video doesn't wait for the last audio frame.
            case (let fit?, let departed?)
            where departed.missing == 0 && departed.end.subtractingClamped(fit) <= Self.tolerance:
                fit
            case (let fit?, let departed?): max(fit, departed.end)
            case (let fit?, nil): fit
            case (nil, let departed?): departed.end
            case (nil, nil): shiftAfterPrevious(id)
            }
        stretches[id]?.shift = shift
    }

    /// Returns the shift of a stretch that no track or input continues into: it begins where the previous stretch ends.
    private func shiftAfterPrevious(_ id: StretchID) -> Int64 {
        guard let stretch = stretches[id], let before = order.last(where: { $0 < id }).flatMap({ stretches[$0] }),
            before.latest != .min
        else { return 0 }
        return before.latest.addingClamped(before.shift ?? 0).subtractingClamped(stretch.earliest)
    }

    private mutating func insert(_ id: StretchID) {
        stretches[id] = Stretch(shift: stretches.isEmpty ? 0 : nil)
        order.insert(id, at: (order.lastIndex { $0 < id } ?? -1) + 1)
    }

    /// Returns the stretch of a track's next sample.
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
        // A gap of known duration accounts only for a step of that duration.
        let limit = longestGap.addingClamped(track.gap ?? 0)
        guard track.gap != 0, dts.subtractingClamped(end) > limit else { return false }
        // Another track of the same clock may already be at this time.
        return dts > (stretches[track.stretch]?.latest ?? .min).addingClamped(Self.reach)
    }

    /// Returns the last stretch with a number of discontinuities and with times near `dts`, or nil.
    private func nearest(to dts: Int64, number: Int, behind: StretchID? = nil) -> StretchID? {
        order.last { id in
            guard id.number == number, behind.map({ id > $0 }) ?? true else { return false }
            guard let stretch = stretches[id], stretch.latest != .min else { return false }
            return dts >= stretch.earliest.subtractingClamped(Self.reach)
                && dts <= stretch.latest.addingClamped(Self.reach)
        }
    }
}

/// A part of a remuxer's output that comes from one clock. Times are in ticks of 90 kHz.
public struct JoinedStretch: Sendable, Hashable {
    /// The earliest presentation time, on the unwrapped clock of the stretch.
    public var start: Int64
    /// The end of the last sample, on the unwrapped clock of the stretch.
    public var end: Int64
    /// The amount added to the times of the stretch to move them onto the timeline of the output.
    public var shift: Int64

    /// Creates a stretch.
    public init(start: Int64, end: Int64, shift: Int64) {
        self.start = start
        self.end = end
        self.shift = shift
    }
}

/// The id of a stretch. The order of the ids is the presentation order of the stretches.
struct StretchID: Hashable, Comparable {
    /// The number of announced discontinuities before the stretch.
    var number: Int
    /// The number of unannounced changes of clock since the last announced discontinuity.
    var clock = 0

    static func < (left: StretchID, right: StretchID) -> Bool {
        (left.number, left.clock) < (right.number, right.clock)
    }
}
