/// A timeline that joins clock periods: ranges of media with unrelated clocks.
///
/// All times are in 90 kHz ticks. A period ends at an announced discontinuity of an input, or where the decoding
/// time of a track decreases by more than jitter, or increases by more than ``maximumGap``. Inputs with the same number
/// of announced discontinuities are in the same period (RFC 8216bis, 4.4.3.3).
///
/// Within a period, every track of every input moves by the same amount, whether or not it was in the previous
/// period, so that audio and video stay in sync. Between periods, no track overlaps itself, and the track with the
/// tightest fit has no gap, unless media is missing there.
struct JoinedTimeline {
    private struct ClockPeriod {
        /// The amount added to the times of the period, or nil until the tracks that continue in it have begun.
        var shift: Int64?
        var earliest: Int64 = .max
        var latest: Int64 = .min
        /// The earliest presentation time.
        var shown: Int64 = .max
        /// The first samples of the tracks in the period.
        var beginnings: [Beginning] = []
        /// The inputs that were announced to continue in the period.
        var departures: [Departure] = []

        mutating func extend(_ start: Int64, _ end: Int64, shown time: Int64) {
            earliest = min(earliest, start)
            latest = max(latest, end)
            shown = min(shown, time)
        }
    }

    /// The end of a track in a period, on the clock of that period.
    private struct End {
        var period: ClockPeriodID
        var decoded: Int64
        var shown: Int64
    }

    /// The first sample of a track in a period, and the track's previous end.
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

    /// The position of a track in the periods.
    private struct Track {
        var input: Int
        var period: ClockPeriodID
        /// The end of the last sample in decoding order, before the shift.
        var decodedEnd: Int64?
        /// The latest end in presentation order, before the shift.
        var shownEnd: Int64 = .min
        var lastDecoded: Int64 = 0
        /// The distance between the decoding times of the last two samples of a period, or nil before the second.
        var lastDistance: Int64?
        /// The composition offset of the last sample.
        var lastOffset: Int64 = 0
        /// The duration of the media missing before the next sample, or nil if none is missing; 0 if the duration is
        /// unknown.
        var gap: Int64?

        var end: End? { decodedEnd.map { End(period: period, decoded: $0, shown: shownEnd) } }
    }

    /// The maximum distance between the times of a track and a period that it can belong to.
    private static let reach: Int64 = 10 * 90_000

    /// The longest unannounced gap that's accepted without a change of period.
    let maximumGap: Int64
    /// The ids of `periods` in order.
    private var order: [ClockPeriodID] = []
    private var periods: [ClockPeriodID: ClockPeriod] = [:]
    private var tracks: [Int: Track] = [:]
    /// The first period that the next samples of each input can belong to.
    private var floors: [Int: ClockPeriodID] = [:]
    /// The inputs that have left their period but haven't begun in the next.
    private var departures: [Int: Departure] = [:]

    init(maximumGap: Int64) { self.maximumGap = maximumGap }

    /// The first period without a shift.
    var unsettled: ClockPeriodID? { order.first { periods[$0]?.shift == nil } }

    /// The periods that have a shift and times within the bounds of ``Timescale``.
    var joined: [JoinedClockPeriod] {
        order.compactMap { periods[$0] }.compactMap { period in
            guard let shift = period.shift,
                [period.shown, period.latest, shift].allSatisfy({ Timescale.isInBounds($0, of: 90_000) })
            else { return nil }
            return JoinedClockPeriod(start: period.shown, end: max(period.shown, period.latest), shift: shift)
        }
    }

    /// Returns the amount added to the times of a period, or nil until it is known.
    func shift(of period: ClockPeriodID) -> Int64? { periods[period]?.shift }

    /// Returns the time between the start of the timeline and the end of a track so far.
    func elapsed(_ track: Int) -> Int64 {
        guard let track = tracks[track], let end = track.decodedEnd, let first = order.first.flatMap({ periods[$0] })
        else { return 0 }
        return end.addingClamped(periods[track.period]?.shift ?? 0).subtractingClamped(max(first.earliest, -.max))
    }

    /// Announces that the next samples of an input, after `number` discontinuities, are on another clock. `missing` is
    /// the duration of the media missing before them.
    mutating func leave(_ input: Int, number: Int, missing: Int64) {
        let ends = tracks.values.filter { $0.input == input }.compactMap(\.end)
        departures[input] = Departure(ends: ends, missing: missing.addingClamped(departures[input]?.missing ?? 0))
        floors[input] = ClockPeriodID(number: number)
    }

    /// Announces that samples of a track are missing. `missing` is their duration, or 0 if it's unknown.
    mutating func expectGap(_ track: Int, missing: Int64) { tracks[track]?.gap = missing }

    /// Returns whether a time is plausible for the next sample of a track: it continues the track, or the track may
    /// continue at any time.
    func isExpected(_ id: Int, of input: Int, at dts: Int64) -> Bool {
        guard let track = tracks[id], let end = track.decodedEnd, track.gap == nil else { return true }
        if let floor = floors[input], track.period < floor { return true }
        return dts >= track.lastDecoded.subtractingClamped(SuspectSamples.tolerance)
            && dts.subtractingClamped(end) <= SuspectSamples.tolerance
    }

    /// Returns the end of a track's last sample in decoding order, and its composition offset.
    func lastTimes(_ id: Int) -> (end: Int64, offset: Int64) {
        guard let track = tracks[id] else { return (0, 0) }
        return (track.decodedEnd ?? 0, track.lastOffset)
    }

    /// Adds the times of a sample. Returns its period.
    mutating func add(track id: Int, of input: Int, dts: Int64, pts: Int64, duration: Int64) -> ClockPeriodID {
        var track = tracks[id] ?? Track(input: input, period: ClockPeriodID(number: 0))
        let period = period(of: tracks[id], of: input, at: dts)
        var distance: Int64?
        if tracks[id]?.period == period {
            distance = max(0, dts.subtractingClamped(track.lastDecoded))
        } else {
            if periods[period] == nil { insert(period) }
            periods[period]?.beginnings.append(Beginning(decoded: dts, shown: pts, end: track.end))
            if let departure = departures.removeValue(forKey: input) {
                periods[period]?.departures.append(departure)
            }
            track.period = period
            track.shownEnd = .min
        }
        // A picture without a duration lasts as long as the one before it. Times of two clocks have no distance, and a
        // distance longer than the last one may be a gap.
        let length = duration > 0 ? duration : min(distance ?? .max, track.lastDistance ?? distance ?? 0)
        track.lastDistance = distance ?? track.lastDistance
        track.gap = nil
        let end = dts.addingClamped(length)
        track.decodedEnd = end
        track.shownEnd = max(track.shownEnd, pts.addingClamped(length))
        track.lastDecoded = dts
        track.lastOffset = pts.subtractingClamped(dts)
        tracks[id] = track
        periods[period]?.extend(dts, end, shown: pts)
        return period
    }

    /// Returns whether every track has left the previous period.
    func isComplete(_ period: ClockPeriodID) -> Bool {
        guard let before = order.last(where: { $0 < period }) else { return true }
        return !tracks.values.contains { $0.period == before }
    }

    /// Computes the shift of a period from the tracks that have begun in it.
    mutating func settle(_ id: ClockPeriodID) {
        guard let period = periods[id] else { return }
        let fit = period.beginnings.compactMap { beginning -> Int64? in
            guard let end = beginning.end, let shift = periods[end.period]?.shift else { return nil }
            let decoded = end.decoded.subtractingClamped(beginning.decoded)
            return shift.addingClamped(max(decoded, end.shown.subtractingClamped(beginning.shown)))
        }.max()
        // Media that one input lacks isn't missing if another input continues.
        let departed = period.departures.compactMap { departure -> (end: Int64, missing: Int64)? in
            let ends = departure.ends.compactMap { end in self.shift(of: end.period)?.addingClamped(end.shown) }
            return ends.max().map {
                ($0.addingClamped(departure.missing).subtractingClamped(period.shown), departure.missing)
            }
        }.min { $0.end < $1.end }
        let shift =
            switch (fit, departed) {
            // Audio and video of a period rarely end at the same time. Video doesn't wait for the last audio frame.
            case (let fit?, let departed?)
            where departed.missing == 0 && departed.end.subtractingClamped(fit) <= SuspectSamples.tolerance:
                fit
            case (let fit?, let departed?): max(fit, departed.end)
            case (let fit?, nil): fit
            case (nil, let departed?): departed.end
            case (nil, nil): shiftAfterPrevious(id)
            }
        periods[id]?.shift = shift
    }

    /// Returns the shift of a period that no track or input continues into: it begins where the previous period ends.
    private func shiftAfterPrevious(_ id: ClockPeriodID) -> Int64 {
        guard let period = periods[id], let before = order.last(where: { $0 < id }).flatMap({ periods[$0] }),
            before.latest != .min
        else { return 0 }
        return before.latest.addingClamped(before.shift ?? 0).subtractingClamped(period.earliest)
    }

    private mutating func insert(_ id: ClockPeriodID) {
        periods[id] = ClockPeriod(shift: periods.isEmpty ? 0 : nil)
        order.insert(id, at: (order.lastIndex { $0 < id } ?? -1) + 1)
    }

    /// Returns the period of a track's next sample.
    private func period(of track: Track?, of input: Int, at dts: Int64) -> ClockPeriodID {
        let floor = floors[input] ?? ClockPeriodID(number: 0)
        guard let track else {
            return nearest(to: dts, number: floor.number) ?? order.last { $0.number == floor.number } ?? floor
        }
        guard track.period >= floor else { return floor }
        guard jumps(track, to: dts) else { return track.period }
        if let next = nearest(to: dts, number: track.period.number, behind: track.period) { return next }
        let last = order.last { $0.number == track.period.number } ?? track.period
        return ClockPeriodID(number: last.number, clock: last.clock + 1)
    }

    private func jumps(_ track: Track, to dts: Int64) -> Bool {
        guard let end = track.decodedEnd else { return false }
        if dts < track.lastDecoded.subtractingClamped(SuspectSamples.tolerance) { return true }
        // A gap of known duration accounts only for a step of that duration.
        let limit = maximumGap.addingClamped(track.gap ?? 0)
        guard track.gap != 0, dts.subtractingClamped(end) > limit else { return false }
        // Another track of the same clock may already be at this time.
        return dts > (periods[track.period]?.latest ?? .min).addingClamped(Self.reach)
    }

    /// Returns the last period after `behind` that follows `number` announced discontinuities and has times near `dts`,
    /// or nil.
    private func nearest(to dts: Int64, number: Int, behind: ClockPeriodID? = nil) -> ClockPeriodID? {
        order.last { id in
            guard id.number == number, behind.map({ id > $0 }) ?? true else { return false }
            guard let period = periods[id], period.latest != .min else { return false }
            return dts >= period.earliest.subtractingClamped(Self.reach)
                && dts <= period.latest.addingClamped(Self.reach)
        }
    }
}

/// A part of a remuxer's output that comes from one clock. Times are in 90 kHz ticks.
public struct JoinedClockPeriod: Sendable, Hashable {
    /// The earliest presentation time, on the unwrapped clock of the period.
    public var start: Int64
    /// The latest end of a sample in decoding time, on the unwrapped clock of the period; at least ``start``.
    public var end: Int64
    /// The amount added to the times of the period to move them onto the timeline of the output.
    public var shift: Int64

    /// Creates a period.
    public init(start: Int64, end: Int64, shift: Int64) {
        self.start = start
        self.end = end
        self.shift = shift
    }
}

/// The id of a period. The order of the ids is the presentation order of the periods.
struct ClockPeriodID: Hashable, Comparable {
    /// The number of announced discontinuities before the period.
    var number: Int
    /// The number of unannounced changes of clock since the last announced discontinuity.
    var clock = 0

    static func < (left: ClockPeriodID, right: ClockPeriodID) -> Bool {
        (left.number, left.clock) < (right.number, right.clock)
    }
}
