import MediaCacheAPI
import MediaLibrary

/// The gaps of a recording since the start of a command.
struct LostSegments: Sendable, Hashable {
    /// A missing segment.
    struct Gap: Encodable, Sendable, Hashable {
        /// The name of the track's folder.
        var track: String
        /// The media sequence number.
        var number: Int64
        /// The start in milliseconds since 1970.
        var start: Int64
        var duration: Double
        var reason: String?

        var text: String {
            "gap: \(track) at \(MomentText.exact(start)), \(SecondsText.describe(duration))"
                + (reason.map { ": \(Table.printable($0))" } ?? "")
        }
    }

    /// The identity of a segment.
    private struct Position: Hashable {
        var track: String
        var number: Int64

        init(_ segment: TimelineRecord.Segment) { (track, number) = (segment.track, segment.number) }
    }

    /// The gaps in the order they were found.
    private(set) var gaps: [Gap] = []
    /// The gaps before the start of the command, and those in ``gaps``.
    private var known: Set<Position> = []
    private var reasons: [String: String] = [:]

    /// Excludes gaps that existed before the command started.
    mutating func begin(with segments: [TimelineRecord.Segment]) { known.formUnion(segments.map(Position.init)) }

    mutating func note(reason: String, track: String, start: Int64) { reasons["\(track) \(start)"] = reason }

    /// Adds the current gaps, and returns the new ones.
    mutating func add(_ segments: [TimelineRecord.Segment]) -> [Gap] {
        let new = segments.filter { known.insert(Position($0)).inserted }.map { segment in
            Gap(
                track: segment.track, number: segment.number, start: segment.start, duration: segment.duration,
                reason: reasons.removeValue(forKey: "\(segment.track) \(segment.start)"))
        }
        gaps += new
        return new
    }

    var count: Int { gaps.count }

    /// The duration in seconds, on the track where it's longest.
    var seconds: Double {
        gaps.reduce(into: [:]) { $0[$1.track, default: 0] += $1.duration }.values.max() ?? 0
    }

    /// The number and duration: `1 gap (4.000 s)`.
    var text: String { "\(count.counted("gap")) (\(SecondsText.describe(seconds)))" }
}
