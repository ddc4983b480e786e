import HLS

/// What tells a live segment from an older one of the same name.
struct LiveSegment: Sendable, Hashable {
    /// The media sequence number (RFC 8216bis §4.4.3.2).
    var number: Int
    /// Nanoseconds; 0 of a part.
    var duration: Int64 = 0
    /// The time of its first sample, as it's written or follows from others, in nanoseconds since 1970.
    var start: Int64?
    /// Whether a discontinuity stands before it. Nil of the first in its playlist: servers drop the tag there.
    var isDiscontinuous: Bool?
    /// The place of a partial segment within, counted from 1; 0 is the whole segment.
    var part: Int32 = 0

    /// What segments need and what isn't numbered: a key, a media initialization section.
    static let companion = LiveSegment(number: -1)

    /// Whether both have one place in the stream.
    func hasPlace(of other: LiveSegment) -> Bool { number == other.number && part == other.part }

    /// Whether two segments of one name and place can't be the same, since what a playlist says of a segment never
    /// changes (RFC 8216bis §6.2.1). Times that follow from rounded durations drift; less than `tolerance` is no other
    /// time.
    func contradicts(_ other: LiveSegment, tolerance: Duration) -> Bool {
        if duration != other.duration { return true }
        if let mine = isDiscontinuous, let theirs = other.isDiscontinuous, mine != theirs { return true }
        guard let mine = start, let theirs = other.start else { return false }
        // Dates are the origin's: two of them may be more than 64 bits of nanoseconds apart.
        let (distance, overflow) = mine.subtractingReportingOverflow(theirs)
        return overflow || .nanoseconds(distance.magnitude) > tolerance
    }
}
