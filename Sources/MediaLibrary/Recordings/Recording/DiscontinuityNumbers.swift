internal import MediaCache

/// Numbers a track's discontinuities so that tracks agree (RFC 8216bis §6.2.4): players and exports take segments of all
/// tracks behind the same number for parts of one clock.
///
/// A number is the origin's (EXT-X-DISCONTINUITY-SEQUENCE and the tags behind it), moved by one amount for all tracks while
/// these follow the same media sequences. It only goes up by one from row to row, as EXT-X-DISCONTINUITY does: a track that
/// is behind the others catches up row by row.
struct DiscontinuityNumbers: Sendable {
    /// Other tracks reach the same discontinuity at times that differ by no more than this, in nanoseconds.
    private static let tolerance: Int64 = 30_000_000_000
    /// A track doesn't catch up with numbers that are further off: those don't mean the same.
    private static let furthest: Int64 = 100

    /// The last row's number: how many discontinuities there are up to it.
    private(set) var number: Int64 = 0
    /// The last row's number at the origin; nil before the first row, and for rows of earlier versions.
    private(set) var origin: Int64?
    /// When the last discontinuity was, and when the origin's numbers began to be moved by the present amount.
    private var turned: Int64?
    private var since: Int64?
    /// Whether there was a row.
    private var hasBegun = false
    /// How many numbers the track is still behind.
    private var owed: Int64 = 0

    /// Before the first row.
    init() {}

    /// Goes on behind recorded rows.
    ///
    /// - Parameter number: the number of the last one.
    init(after rows: [RecordedSegment], number: Int64) {
        self.number = number
        hasBegun = !rows.isEmpty
        origin = rows.last?.originDiscontinuity
        var current = number
        for row in rows.reversed() {
            guard let origin = row.originDiscontinuity, current - origin == offset else { break }
            since = row.start
            if row.isDiscontinuous {
                turned = turned ?? row.start
                current -= 1
            }
        }
    }

    /// What the origin's numbers are moved by.
    private var offset: Int64? { origin.map { number - $0 } }

    /// How a row follows the one before.
    enum Step {
        /// At once.
        case next
        /// Behind so many that were never seen.
        case missed(Int)
        /// Its media sequence begins anew.
        case unknown
    }

    /// Takes the next row.
    ///
    /// - Parameters:
    ///   - origin: its number at the origin.
    ///   - isTagged: whether a discontinuity stands before it there.
    ///   - start: when it begins, in nanoseconds since 1970.
    ///   - gaps: how many rows of gaps stand before it.
    ///   - others: the numbers of the other tracks.
    /// - Returns: how many discontinuities stand before it: one in the row itself, the others in the gaps.
    mutating func take(
        origin own: Int64, isTagged: Bool, start: Int64, _ step: Step, gaps: Int, besides others: [DiscontinuityNumbers]
    ) -> Int {
        defer { origin = own }
        guard hasBegun else {
            // The first row has the number that other tracks have for the same one of the origin's, or at the same time
            // where that is very different: an origin needn't count what has left its playlist.
            let other = others.first { $0.since.map { $0 - Self.tolerance <= start } ?? false }
            number = max(isTagged ? 1 : 0, own + (other?.offset ?? 0))
            if let present = other?.inForce(at: start), abs(present - number) > 1 { number = present }
            // A discontinuity that the other tracks don't count isn't counted here either: no number is below 0.
            let isCounted = isTagged && number > 0
            (hasBegun, since, turned) = (true, start, isCounted ? start : nil)
            return isCounted ? 1 : 0
        }
        var target = number + (isTagged ? 1 : 0)
        switch step {
        case .next: break
        case .missed(let count):
            let lost = origin.map { own - $0 } ?? 0
            if lost > target - number { target = number + (lost <= Int64(count) + 1 ? lost : 1) }
            let present = others.compactMap { $0.inForce(at: start) }.max() ?? target
            if present <= number + Int64(gaps) + 1 { target = Self.inReach(present, of: target) ?? target }
        case .unknown:
            target = number + 1
            // Another track has seen the same beginning.
            let other = others.first { other in
                other.since.map { $0 > (since ?? .min) && abs($0 - start) <= Self.tolerance } ?? false
            }
            if let offset = other?.offset { target = Self.inReach(own + offset, of: target) ?? target }
            since = start
        }
        if target > number, case .next = step { target = meeting(own, start, target, others) }
        owed += target - number
        let steps = min(owed, Int64(gaps) + 1)
        if steps > 0 { turned = start }
        owed -= steps
        number += steps
        return Int(steps)
    }

    /// The number at a time; nil where that is before the last discontinuity.
    private func inForce(at time: Int64) -> Int64? { turned.map { $0 <= time } ?? true ? number + owed : nil }

    private static func inReach(_ number: Int64, of target: Int64) -> Int64? {
        (target...target + furthest).contains(number) ? number : nil
    }

    /// The number that other tracks have, or will have, behind a discontinuity of the origin. They may be further on since
    /// their media sequences began anew more often.
    private func meeting(_ own: Int64, _ time: Int64, _ target: Int64, _ others: [DiscontinuityNumbers]) -> Int64 {
        let numbers = others.compactMap { other -> Int64? in
            guard let offset = other.offset, offset + other.owed != self.offset.map({ $0 + owed }) else { return nil }
            // It counts as the origin does.
            if let origin = other.origin, (own - 1...own).contains(origin) { return own + offset + other.owed }
            guard let turned = other.turned else { return nil }
            if abs(turned - time) <= Self.tolerance { return other.number + other.owed }
            return turned < time ? other.number + other.owed + 1 : nil
        }
        return numbers.compactMap { Self.inReach($0, of: target) }.max() ?? target
    }
}
