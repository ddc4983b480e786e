internal import MediaCache

/// Says when segments are: by their playlist's clock (EXT-X-PROGRAM-DATE-TIME, RFC 8216bis §4.4.4.6), else by when they
/// came. It never goes back, and doesn't follow a clock that jumps while media goes on.
///
/// All times are nanoseconds since 1970-01-01T00:00:00Z.
struct TimelineClock: Sendable {
    private static let second: Int64 = 1_000_000_000
    /// How far a playlist's clock may be from where it was expected before it counts as having jumped.
    private static let tolerance = 5 * second
    /// How far it may be from when segments came, compared with how far it was.
    private static let arrivalTolerance = 60 * second

    /// No time that is calculated with is longer: 30 years.
    private static let longest = 30 * 365 * 86_400 * second

    /// When the last segment ends; nil before the first.
    private(set) var end: Int64?
    /// What is added to a playlist's clock that has jumped.
    private var correction: Int64 = 0
    /// How far a playlist's clock is behind the time at which segments come; nil where that isn't known yet.
    private var lag: Int64?

    init(end: Int64? = nil) { self.end = end }

    /// What is known of a segment that is to be placed.
    struct Segment {
        /// What its playlist's clock says, where it has one.
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
    /// - Parameter shared: when another track's segment of the same number begins, for one without a clock of its own.
    mutating func place(_ segment: Segment, shared: Int64? = nil) -> Int64 {
        let placed = segment.programDateTime.map { clocked(segment, $0) } ?? unclocked(segment, shared)
        // What comes from outside may say anything; a timeline goes so far.
        let (first, last) = (TimelinePage.starts.lowerBound, TimelinePage.starts.upperBound)
        let start = min(max(first, placed), last)
        end = min(start.clampedSum(max(0, segment.duration)), last)
        return start
    }

    private mutating func clocked(_ segment: Segment, _ clock: Int64) -> Int64 {
        guard let end else {
            lag = segment.arrival - clock
            return clock
        }
        let expected: Int64 =
            switch segment.missing {
            case nil: end
            case .time(let time): end + time
            case .unknown: max(end, segment.arrival - (lag ?? 0))
            }
        // A clock that has come back is right again.
        if correction != 0, abs(clock - expected) <= Self.tolerance { correction = 0 }
        let corrected = clock + correction
        let isPlausible = isNear(corrected, segment, expected)
        if !isPlausible {
            correction = 0
            if !isNear(clock, segment, expected) { correction = expected - clock }
        }
        let start = max(end, clock + correction)
        lag = segment.arrival - start
        return start
    }

    /// Whether a time is about where the segment is expected, or media stood still for as long as the clock says.
    private func isNear(_ time: Int64, _ segment: Segment, _ expected: Int64) -> Bool {
        if abs(time - expected) <= Self.tolerance { return true }
        guard let end, time >= end - Self.tolerance else { return false }
        // What an earlier process recorded doesn't tell how late segments come, only that they don't come early.
        guard let lag else {
            return end > segment.arrival + Self.arrivalTolerance || time <= segment.arrival + Self.arrivalTolerance
        }
        return abs(segment.arrival - time - lag) <= Self.arrivalTolerance
    }

    private mutating func unclocked(_ segment: Segment, _ shared: Int64?) -> Int64 {
        // Another track may have had this number long ago.
        let shared = shared.flatMap { abs($0 - segment.arrival) <= Self.arrivalTolerance ? $0 : nil }
        guard let end else { return shared ?? segment.arrival }
        switch segment.missing {
        case nil:
            // Media that came much later than it lasts stood still.
            return segment.arrival - end > max(10 * Self.second, 4 * segment.duration) ? segment.arrival : end
        case .time(let time):
            let expected = end + time
            if let shared, shared >= end { return shared }
            return abs(segment.arrival - expected) <= max(10 * Self.second, time / 4)
                ? expected : max(end, segment.arrival)
        case .unknown:
            if let shared, shared >= end { return shared }
            return max(end, segment.arrival)
        }
    }
}
