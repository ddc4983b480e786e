package import HLS
internal import MediaCache

extension MediaPlaylist {
    /// Where a segment lies on its playlist's timeline.
    package struct Place: Sendable, Hashable {
        /// Nanoseconds from the beginning of the first segment.
        package var start: Int64
        /// Nanoseconds.
        package var duration: Int64

        /// The end, in nanoseconds from the beginning of the first segment.
        package var end: Int64 { start.clampedSum(duration) }
    }

    /// The longest distance between two clocks that rounding explains, in nanoseconds, for short segments.
    private static let leastRounding: Int64 = 500_000_000

    /// The places of all segments, in their order.
    ///
    /// EXT-X-PROGRAM-DATE-TIME is the timeline's clock (RFC 8216bis, 4.4.4.6): durations are rounded, and their sum runs
    /// ahead of it. A date that differs from the durations by more than a quarter of a segment tells of something
    /// else, such as an outage that left no trace in the media; there the duration counts.
    package var places: [Place] {
        var places: [Place] = []
        var wall: Int64?
        for resolved in resolvedSegments {
            let next = resolved.programDateTime?.nanosecondsSinceEpoch
            if let last = places.indices.last, let wall, let next {
                let (span, overflow) = next.subtractingReportingOverflow(wall)
                let duration = places[last].duration
                let rounding = max(Self.leastRounding, duration / 4)
                if !overflow, span > 0, (span - duration).magnitude <= rounding.magnitude {
                    places[last].duration = span
                }
            }
            wall = next
            places.append(
                Place(start: places.last?.end ?? 0, duration: max(0, resolved.segment.duration.nanoseconds)))
        }
        return places
    }
}
