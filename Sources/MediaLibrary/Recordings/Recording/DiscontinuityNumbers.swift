internal import MediaCache

/// The numbering of a track's discontinuities. It matches the other tracks' numbering (RFC 8216bis §6.2.4), because
/// players and exports assume that segments with the same discontinuity number share a clock.
///
/// A number is the sum of the origin's number (EXT-X-DISCONTINUITY-SEQUENCE plus the tags after it) and an offset,
/// which is the same for all tracks as long as their media sequences restart together. The number increases by at most
/// one per row, because EXT-X-DISCONTINUITY can't express more. A track that is behind the others catches up row by
/// row.
struct DiscontinuityNumbers: Sendable {
    /// The maximum difference, in nanoseconds, between the times at which tracks reach the same discontinuity.
    private static let tolerance: Int64 = 30_000_000_000
    /// The maximum number of discontinuities by which a track catches up. Numbers that differ more aren't comparable.
    private static let maximumDeficit: Int64 = 100

    /// The number of discontinuities up to and including the last row.
    private(set) var number: Int64 = 0
    /// The origin's number of the last row; nil before the first row, and for rows recorded by earlier versions.
    private(set) var origin: Int64?
    /// The time of the last discontinuity, and the time from which the current offset applies.
    private var lastDiscontinuity: Int64?
    private var offsetSince: Int64?
    private var hasBegun = false
    /// The number of discontinuities by which the track is still behind.
    private var deficit: Int64 = 0

    /// Creates a numbering that continues after recorded rows.
    ///
    /// - Parameter number: The number of the last row.
    init(after rows: [RecordedSegment], number: Int64) {
        self.number = number
        hasBegun = !rows.isEmpty
        origin = rows.last?.originDiscontinuity
        var current = number
        for row in rows.reversed() {
            guard let origin = row.originDiscontinuity, current - origin == offset else { break }
            offsetSince = row.start
            if row.isDiscontinuous {
                lastDiscontinuity = lastDiscontinuity ?? row.start
                current -= 1
            }
        }
    }

    /// The difference from the origin's numbers.
    private var offset: Int64? { origin.map { number - $0 } }

    /// The relation of a row to its predecessor.
    enum Step {
        /// The row follows its predecessor directly.
        case next
        /// The given number of segments before the row were never seen.
        case missed(Int)
        /// The media sequence restarts with the row.
        case unknown
    }

    /// Numbers the next row.
    ///
    /// - Parameters:
    ///   - origin: The row's number at the origin.
    ///   - isTagged: Whether the origin's playlist has EXT-X-DISCONTINUITY before the row.
    ///   - start: The start of the row, in nanoseconds since 1970.
    ///   - gaps: The number of gap rows before the row.
    /// - Returns: The number of discontinuities. The last one belongs to the row, the others to the gap rows.
    mutating func take(
        origin own: Int64, isTagged: Bool, start: Int64, _ step: Step, gaps: Int,
        otherTracks others: [DiscontinuityNumbers]
    ) -> Int {
        defer { origin = own }
        guard hasBegun else {
            // The first row is numbered like rows of another track with the same origin number. If that track's number
            // at the same time differs by more than one, it's used instead: an origin may not count discontinuities
            // that have left its playlist.
            let other = others.first { $0.offsetSince.map { $0 - Self.tolerance <= start } ?? false }
            number = max(isTagged ? 1 : 0, own + (other?.offset ?? 0))
            if let present = other?.numberInForce(at: start), abs(present - number) > 1 { number = present }
            // Not counted if the number before the discontinuity would be negative.
            let isCounted = isTagged && number > 0
            (hasBegun, offsetSince, lastDiscontinuity) = (true, start, isCounted ? start : nil)
            return isCounted ? 1 : 0
        }
        var target = number + (isTagged ? 1 : 0)
        switch step {
        case .next: break
        case .missed(let count):
            let lost = origin.map { own - $0 } ?? 0
            if lost > target - number { target = number + (lost <= Int64(count) + 1 ? lost : 1) }
            let present = others.compactMap { $0.numberInForce(at: start) }.max() ?? target
            if present <= number + Int64(gaps) + 1 { target = Self.reachable(present, of: target) ?? target }
        case .unknown:
            target = number + 1
            // A track that has seen the same restart.
            let other = others.first { other in
                other.offsetSince.map { $0 > (offsetSince ?? .min) && abs($0 - start) <= Self.tolerance } ?? false
            }
            if let offset = other?.offset { target = Self.reachable(own + offset, of: target) ?? target }
            offsetSince = start
        }
        if target > number, case .next = step { target = commonNumber(own, start, target, others) }
        deficit += target - number
        let steps = min(deficit, Int64(gaps) + 1)
        if steps > 0 { lastDiscontinuity = start }
        deficit -= steps
        number += steps
        return Int(steps)
    }

    /// Returns the number that applies at a time; nil for a time before the last discontinuity.
    private func numberInForce(at time: Int64) -> Int64? {
        lastDiscontinuity.map { $0 <= time } ?? true ? number + deficit : nil
    }

    private static func reachable(_ number: Int64, of target: Int64) -> Int64? {
        (target...target + maximumDeficit).contains(number) ? number : nil
    }

    /// Returns the number that other tracks have or will have after a discontinuity of the origin. Other tracks may be
    /// ahead if their media sequences restarted more often.
    private func commonNumber(_ own: Int64, _ time: Int64, _ target: Int64, _ others: [DiscontinuityNumbers]) -> Int64 {
        let numbers = others.compactMap { other -> Int64? in
            guard let offset = other.offset, offset + other.deficit != self.offset.map({ $0 + deficit }) else {
                return nil
            }
            // The origin numbers the discontinuities of both tracks alike.
            if let origin = other.origin, (own - 1...own).contains(origin) { return own + offset + other.deficit }
            guard let lastDiscontinuity = other.lastDiscontinuity else { return nil }
            if abs(lastDiscontinuity - time) <= Self.tolerance { return other.number + other.deficit }
            return lastDiscontinuity < time ? other.number + other.deficit + 1 : nil
        }
        return numbers.compactMap { Self.reachable($0, of: target) }.max() ?? target
    }
}
