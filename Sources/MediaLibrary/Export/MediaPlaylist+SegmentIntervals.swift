package import HLS
internal import MediaCache

extension MediaPlaylist {
    /// The position of a segment on its playlist's timeline.
    package struct SegmentInterval: Sendable, Hashable {
        /// The start in nanoseconds from the beginning of the first segment.
        package var start: Int64
        /// The duration in nanoseconds.
        package var duration: Int64

        package var end: Int64 { start.clampedSum(duration) }
    }

    /// The minimum tolerance for rounding when dates are compared with durations, in nanoseconds.
    private static let minimumRounding: Int64 = 500_000_000

    /// The positions of all segments, in order.
    ///
    /// The timeline follows EXT-X-PROGRAM-DATE-TIME (RFC 8216bis §4.4.4.6), because the sum of rounded durations
    /// drifts. If the difference between two dates deviates too much from the duration, the cause isn't rounding, but
    /// perhaps an outage that isn't visible in the media. The duration is then used instead.
    package var segmentIntervals: [SegmentInterval] {
        var intervals: [SegmentInterval] = []
        var wall: Int64?
        for resolved in resolvedSegments {
            let next = resolved.programDateTime?.nanosecondsSinceEpoch
            if let last = intervals.indices.last, let wall, let next {
                let (span, overflow) = next.subtractingReportingOverflow(wall)
                let duration = intervals[last].duration
                let rounding = max(Self.minimumRounding, duration / 4)
                if !overflow, span > 0, (span - duration).magnitude <= rounding.magnitude {
                    intervals[last].duration = span
                }
            }
            wall = next
            intervals.append(
                SegmentInterval(
                    start: intervals.last?.end ?? 0, duration: max(0, resolved.segment.duration.nanoseconds)))
        }
        return intervals
    }
}
