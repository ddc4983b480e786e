internal import MediaCache

/// Says when segments are: by their playlist's clock (EXT-X-PROGRAM-DATE-TIME, RFC 8216bis §4.4.4.6), else by when they
/// came. It never goes back, and follows a clock that jumps while media goes on only when that has kept its own pace for a
/// few minutes.
///
/// Durations only say where a segment is expected. Where the clock, or the arrival of segments without one, says that the
/// next begins earlier, it does, and the one before is cut short: durations that are rounded up don't add up.
///
/// All times are nanoseconds since 1970-01-01T00:00:00Z.
struct TimelineClock: Sendable {
    private static let second: Int64 = 1_000_000_000
    /// How far a playlist's clock may be from where it was expected before it counts as having jumped.
    private static let tolerance = 5 * second
    /// How far it may be from when segments came, compared with how far it was.
    private static let arrivalTolerance = 60 * second
    /// How far a clock may be set back and still be followed: each segment gets half its time until the clock is reached.
    private static let longestStepBack = 60 * second

    /// The time after which a clock that disagrees with the timeline is followed, if it has kept its own pace.
    private static let patience = 180 * second
    /// How exactly the arrival of recorded segments is known.
    private static let precision = second / 100

    /// No time that is calculated with is longer: 30 years.
    private static let longest = 30 * 365 * 86_400 * second

    /// When the last segment ends by its duration; nil before the first.
    private(set) var end: Int64?
    /// When the last segment begins.
    private var begin: Int64 = 0
    /// What is added to a playlist's clock that has jumped.
    private var correction: Int64 = 0
    /// The lag of dates that this process has seen.
    private var ownLag: Int64?
    /// The lag that an earlier process left.
    private var earlierLag: Int64?
    /// When the last segment had arrived.
    private var arrived: Int64?
    /// The first of the dates that have kept their pace while the timeline was elsewhere: the arrival of its segment, and
    /// how far the date was behind that.
    private var pace: (arrival: Int64, lag: Int64)?

    init() {}

    /// How far a playlist's clock is behind the time at which segments come; nil where that isn't known yet.
    var lag: Int64? { ownLag ?? earlierLag }

    /// A clock that goes on after a segment.
    init(after last: RecordedSegment) {
        begin = last.start
        end = last.end
        arrived = last.arrival
        // Pages of earlier versions don't tell whether the segment was dated.
        let behind = last.clockLag ?? last.arrival.map { $0 - last.start.clampedSum(last.duration) }
        earlierLag = last.clockLag == 0 ? nil : behind
    }

    /// What is known of a segment that is to be placed.
    struct Segment {
        /// What its playlist's clock says, where the playlist has a date. One that has left the playlist implies none: that
        /// would add up the errors of durations.
        var programDateTime: Int64?
        /// When it began, had the playlist's last segment ended when the playlist came.
        var arrival: Int64
        var duration: Int64
        /// How much is known to be missing before it; nil where it follows the one before.
        var missing: Missing?
    }

    /// How a segment doesn't follow the one before.
    enum Missing {
        /// Segments that were never seen, which lasted so long by the measure of others.
        case time(Int64)
        /// Nobody knows.
        case unknown
    }

    /// Whether so many segments can have been missed since the last one, at a moment by the wall clock. Where they can't, a
    /// number that is so much greater isn't a count of them.
    func hasRoom(for missed: Int, of duration: Int64, at wall: Int64) -> Bool {
        guard let end else { return true }
        let elapsed = max(0, wall - (lag ?? 0) - end)
        return Self.product(missed, duration) <= 2 * elapsed + max(Self.arrivalTolerance, Self.product(10, duration))
    }

    /// So many times a duration, within what can be added to a time.
    static func product(_ count: Int, _ duration: Int64) -> Int64 {
        let (product, overflow) = Int64(count).multipliedReportingOverflow(by: duration)
        return overflow ? longest : min(product, longest)
    }

    /// Places the next segment. Returns when it begins.
    ///
    /// - Parameter otherLag: how far the clock of another track is behind the arrival of its segments: where this track has
    ///   no clock, its segments are as far behind theirs.
    mutating func place(_ segment: Segment, otherLag: Int64? = nil) -> Int64 {
        let placed = segment.programDateTime.map { clocked(segment, $0) } ?? unclocked(segment, lag ?? otherLag ?? 0)
        // What comes from outside may say anything; a timeline goes so far.
        let (first, last) = (TimelinePage.starts.lowerBound, TimelinePage.starts.upperBound)
        let start = min(max(first, placed), last)
        begin = start
        end = min(start.clampedSum(max(0, segment.duration)), last)
        arrived = max(arrived ?? .min, segment.arrival.clampedSum(max(0, segment.duration)))
        return start
    }

    /// Returns how many of a playlist's first segments are recorded already, where the playlist doesn't go on from the last
    /// segment: a backup encoder's window reaches back.
    ///
    /// The playlist's last segment decides: if its date is about where the live edge is expected, so are all dates right,
    /// and those before the timeline's end are recorded. Otherwise arrival decides, unless the recorder's clock was set back.
    mutating func recorded(of segments: [Segment]) -> Int {
        guard let end, let last = segments.last else { return 0 }
        if let date = last.programDateTime {
            let expected = max(end, last.arrival - (ownLag ?? 0))
            if let correction = [correction, 0].first(where: { isNear(date + $0, last, expected) }) {
                self.correction = correction
                return segments.prefix { segment in
                    // More than half of it.
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
        if hasKeptPace(clock, segment, expected) || correction != 0 && abs(clock - expected) <= Self.tolerance {
            // A clock that has come back, or has been right for long, is right again.
            correction = 0
        } else if !isNear(clock + correction, segment, expected) {
            correction = isNear(clock, segment, expected) ? 0 : expected - clock
        }
        let start = clock + correction > begin ? clock + correction : earliest
        ownLag = segment.arrival - start
        return start
    }

    /// Whether dates have kept the pace of arrivals for long while the timeline has been elsewhere, however late they are: an
    /// encoder's clock has been set, and stays so. The timeline then approaches it, from whichever side.
    private mutating func hasKeptPace(_ clock: Int64, _ segment: Segment, _ expected: Int64) -> Bool {
        guard abs(clock - expected) > Self.tolerance else {
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

    /// When the next segment begins while a clock is behind the last one: that keeps half its time.
    private var earliest: Int64 { begin + ((end ?? begin) - begin) / 2 }

    /// Whether a time is about where the segment is expected, or media stood still for as long as the clock says.
    private func isNear(_ time: Int64, _ segment: Segment, _ expected: Int64) -> Bool {
        if abs(time - expected) <= Self.tolerance { return true }
        guard let end, time >= min(begin, end - Self.longestStepBack) else { return false }
        if time <= expected { return true }
        // A clock that was wrong and is set right comes near the time at which segments come.
        if abs(segment.arrival - time) + Self.arrivalTolerance < abs(segment.arrival - expected) { return true }
        // What an earlier process recorded doesn't tell how late segments come, only that they don't come early.
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
            // Media that came much later than it lasts stood still.
            if -ahead > jitter { return arrival }
            // Durations that are rounded up have added up. By more than that, the recorder's clock was set back.
            if ahead > jitter, ahead - jitter <= Self.longestStepBack { return max(earliest, arrival + jitter) }
            return end
        case .time(let time):
            let expected = end + time
            return abs(arrival - expected) <= max(10 * Self.second, time / 4) ? expected : max(end, arrival)
        case .unknown:
            return max(end, arrival)
        }
    }
}
