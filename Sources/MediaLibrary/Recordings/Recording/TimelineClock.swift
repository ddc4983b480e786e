internal import MediaCache

/// A clock that determines where segments start on a timeline: by the dates in their playlist (EXT-X-PROGRAM-DATE-TIME,
/// RFC 8216bis §4.4.4.6), otherwise by their arrival. It never goes backward. If the dates jump although the media
/// continues, the clock follows them only after they have advanced steadily for a few minutes.
///
/// Durations only predict the start of the next segment. If its date or, without dates, its arrival shows an earlier
/// start, the previous segment is cut short, because rounding errors of durations accumulate.
///
/// All times are nanoseconds since 1970-01-01T00:00:00Z.
struct TimelineClock: Sendable {
    private static let second: Int64 = 1_000_000_000
    /// The maximum deviation of a playlist's clock from the expected time. A larger one is a jump.
    private static let tolerance = 5 * second
    /// The maximum deviation of a clock's lag behind arrivals.
    private static let arrivalTolerance = 60 * second
    /// The maximum backward step of a clock that is followed by shortening segments to half their duration.
    private static let maximumStepBack = 60 * second

    /// The maximum time by which a clock that is followed after ``patience`` may be behind the timeline. Time zone
    /// errors are smaller, but the dates of inserted media may be years old. A corrected clock, which is closer to the
    /// arrival of segments than the timeline is, has no limit.
    private static let furthestBehind = 24 * 3600 * second

    /// The time after which a clock that disagrees with the timeline is followed, if it has advanced steadily.
    private static let patience = 180 * second
    /// The precision of the arrival times of recorded segments.
    private static let precision = second / 100

    /// The maximum duration in calculations: 30 years.
    private static let longest = 30 * 365 * 86_400 * second

    /// The end of the last segment by its duration; nil before the first.
    private(set) var end: Int64?
    /// The start of the last segment.
    private var begin: Int64 = 0
    /// The correction added to a playlist's clock that has jumped.
    private var correction: Int64 = 0
    /// The lag of dates behind arrivals, as measured by this clock.
    private var ownLag: Int64?
    /// The lag of dates behind arrivals according to the recorded segment after which the clock continues; nil if unknown.
    private var earlierLag: Int64?
    /// The arrival time of the last segment.
    private var arrived: Int64?
    /// The first date in a steady series that disagrees with the timeline: its segment's arrival, and its lag.
    private var pace: (arrival: Int64, lag: Int64)?

    init() {}

    /// The lag of the playlist's clock behind the arrival of segments; nil if unknown.
    var lag: Int64? { ownLag ?? earlierLag }

    /// Creates a clock that continues after a segment.
    init(after last: RecordedSegment) {
        begin = last.start
        end = last.end
        arrived = last.arrival
        // Pages of earlier versions don't record whether the segment was dated.
        let behind = last.clockLag ?? last.arrival.map { $0 - last.start.clampedSum(last.duration) }
        earlierLag = last.clockLag == 0 ? nil : behind
    }

    /// The known properties of a segment to place.
    struct Segment {
        /// The segment's date; nil if the playlist has none. A date that has left the playlist isn't used, because
        /// rounding errors of durations would accumulate.
        var programDateTime: Int64?
        /// The start of the segment, assuming that the playlist's last segment ended when the playlist was loaded.
        var arrival: Int64
        var duration: Int64
        /// The amount of media missing before the segment; nil if it follows its predecessor.
        var missing: Missing?
    }

    /// The amount of media missing before a segment.
    enum Missing {
        /// Segments that were never seen, with their estimated duration.
        case time(Int64)
        /// An unknown amount.
        case unknown
    }

    /// Returns whether enough time has passed since the last segment for a number of segments to have been missed. If
    /// not, the media sequence number has jumped without any segments in between.
    func hasSpace(for missed: Int, of duration: Int64, at wall: Int64) -> Bool {
        guard let end else { return true }
        let elapsed = max(0, wall - (lag ?? 0) - end)
        return Self.product(missed, duration) <= 2 * elapsed + max(Self.arrivalTolerance, Self.product(10, duration))
    }

    /// Returns the time from the arrival of the last segment to a time of the wall clock. The segment's date is only
    /// used if its arrival is unknown, since dates may be far from the wall clock.
    func elapsed(at wall: Int64) -> Int64 {
        guard let last = arrived ?? end?.clampedSum(lag ?? 0) else { return 0 }
        return max(0, wall.clampedSum(-last))
    }

    /// Returns a duration multiplied by a count, limited so that it can be added to a time.
    static func product(_ count: Int, _ duration: Int64) -> Int64 {
        let (product, overflow) = Int64(count).multipliedReportingOverflow(by: duration)
        return overflow ? longest : min(product, longest)
    }

    /// Places the next segment and returns its start.
    ///
    /// - Parameter otherLag: The lag of another track's clock, used if this track has no clock.
    mutating func place(_ segment: Segment, otherLag: Int64? = nil) -> Int64 {
        let placed = segment.programDateTime.map { clocked(segment, $0) } ?? unclocked(segment, lag ?? otherLag ?? 0)
        // Dates are untrusted input, and timelines cover a limited range.
        let (first, last) = (TimelinePage.starts.lowerBound, TimelinePage.starts.upperBound)
        let start = min(max(first, placed), last)
        begin = start
        end = min(start.clampedSum(max(0, segment.duration)), last)
        arrived = max(arrived ?? .min, segment.arrival.clampedSum(max(0, segment.duration)))
        return start
    }

    /// Returns how many of a playlist's first segments are recorded already, for a playlist that doesn't continue from
    /// the last segment. The playlist of a backup encoder may reach further back.
    ///
    /// If the last segment's date is close to the expected live edge, all dates are trusted, and segments before the
    /// timeline's end count as recorded. Otherwise, arrival times decide, unless the recorder's clock was set back.
    mutating func recorded(of segments: [Segment]) -> Int {
        guard let end, let last = segments.last else { return 0 }
        if let date = last.programDateTime {
            let expected = max(end, last.arrival - (ownLag ?? 0))
            if let correction = [correction, 0].first(where: { isNear(date + $0, last, expected) }) {
                self.correction = correction
                return segments.prefix { segment in
                    // More than half of the segment is recorded.
                    segment.programDateTime.map { $0 + correction + segment.duration / 2 < end } ?? false
                }.count
            }
        }
        guard let arrived, last.arrival + last.duration + Self.precision >= arrived else { return 0 }
        return segments.prefix { $0.arrival + $0.duration <= arrived + Self.precision }.count
    }

    private mutating func clocked(_ segment: Segment, _ clock: Int64) -> Int64 {
        guard let end else {
            ownLag = segment.arrival - clock
            return clock
        }
        let expected: Int64 =
            switch segment.missing {
            case nil: end
            case .time(let time): end + time
            case .unknown: max(end, segment.arrival - (ownLag ?? 0))
            }
        if isKeepingPace(clock, segment, expected) || correction != 0 && abs(clock - expected) <= Self.tolerance {
            // The clock has jumped back, or has advanced steadily for a long time, so its dates are trusted again.
            correction = 0
        } else if !isNear(clock + correction, segment, expected) {
            correction = isNear(clock, segment, expected) ? 0 : expected - clock
        }
        let start = clock + correction > begin ? clock + correction : earliest
        ownLag = segment.arrival - start
        return start
    }

    /// Returns whether dates that disagree with the timeline have advanced at the pace of arrivals for a long time. If
    /// so, the encoder's clock was changed permanently, and the timeline follows it in either direction.
    private mutating func isKeepingPace(_ clock: Int64, _ segment: Segment, _ expected: Int64) -> Bool {
        let isPlausible =
            clock >= expected - Self.furthestBehind || abs(segment.arrival - clock) < abs(segment.arrival - expected)
        guard abs(clock - expected) > Self.tolerance, isPlausible else {
            pace = nil
            return false
        }
        let lag = segment.arrival - clock
        guard let first = pace, abs(lag - first.lag) <= Self.arrivalTolerance else {
            pace = (segment.arrival, lag)
            return false
        }
        return segment.arrival - first.arrival >= Self.patience
    }

    /// The earliest start of the next segment while the clock is behind: the middle of the last segment.
    private var earliest: Int64 { begin + ((end ?? begin) - begin) / 2 }

    /// Returns whether a time is plausible as a segment's start: near the expected one or after a pause of the stream.
    private func isNear(_ time: Int64, _ segment: Segment, _ expected: Int64) -> Bool {
        if abs(time - expected) <= Self.tolerance { return true }
        guard let end, time >= min(begin, end - Self.maximumStepBack) else { return false }
        if time <= expected { return true }
        // After a correction, the clock is closer to the arrival of segments.
        if abs(segment.arrival - time) + Self.arrivalTolerance < abs(segment.arrival - expected) { return true }
        // Until this process has measured a lag, only this is known: a segment doesn't arrive before its start, unless
        // the timeline is already ahead of arrivals.
        guard let ownLag else {
            return end > segment.arrival + Self.arrivalTolerance || time <= segment.arrival + Self.arrivalTolerance
        }
        return abs(segment.arrival - time - ownLag) <= Self.arrivalTolerance
    }

    private func unclocked(_ segment: Segment, _ lag: Int64) -> Int64 {
        let arrival = segment.arrival - lag
        guard let end else { return arrival }
        switch segment.missing {
        case nil:
            let (ahead, jitter) = (end - arrival, max(10 * Self.second, 4 * segment.duration))
            // The stream paused if segments arrive much later than their durations suggest.
            if -ahead > jitter { return arrival }
            // Rounded durations have accumulated. A larger difference means that the recorder's clock was set back.
            if ahead > jitter, ahead - jitter <= Self.maximumStepBack { return max(earliest, arrival + jitter) }
            return end
        case .time(let time):
            let expected = end + time
            return abs(arrival - expected) <= max(10 * Self.second, time / 4) ? expected : max(end, arrival)
        case .unknown:
            return max(end, arrival)
        }
    }
}
