import MediaCacheAPI

/// What was lost of a recording while a command followed it.
struct LostSegments: Sendable, Hashable {
    /// A segment that is a gap.
    struct Gap: Encodable, Sendable, Hashable {
        /// Its track's folder.
        var track: String
        /// Its number in the playlists.
        var number: Int64
        /// When it begins, in milliseconds since 1970.
        var start: Int64
        /// How long it lasts in seconds.
        var duration: Double
        /// Why, if it's known.
        var reason: String?

        /// A line about it.
        var text: String {
            "gap: \(track) at \(MomentText.exact(start)), \(SecondsText.describe(duration))"
                + (reason.map { ": \(Table.printable($0))" } ?? "")
        }
    }

    /// Which segment of which track.
    private struct Place: Hashable {
        var track: String
        var number: Int64

        init(_ segment: TimelineRecord.Segment) { (track, number) = (segment.track, segment.number) }
    }

    /// The segments, in the order in which they were found.
    private(set) var gaps: [Gap] = []
    /// Those that were gaps before, and those that are in ``gaps``.
    private var known: Set<Place> = []
    private var reasons: [String: String] = [:]

    /// Nothing as yet.
    init() {}

    /// Takes down what was lost before.
    mutating func begin(with segments: [TimelineRecord.Segment]) { known.formUnion(segments.map(Place.init)) }

    /// Takes down why a segment is a gap.
    mutating func note(reason: String, track: String, start: Int64) { reasons["\(track) \(start)"] = reason }

    /// Takes down the gaps that there are.
    ///
    /// - Returns: those that are new.
    mutating func add(_ segments: [TimelineRecord.Segment]) -> [Gap] {
        let new = segments.filter { known.insert(Place($0)).inserted }.map { segment in
            Gap(
                track: segment.track, number: segment.number, start: segment.start, duration: segment.duration,
                reason: reasons.removeValue(forKey: "\(segment.track) \(segment.start)"))
        }
        gaps += new
        return new
    }

    /// How many segments.
    var count: Int { gaps.count }

    /// How many seconds, on the track that lost most.
    var seconds: Double {
        gaps.reduce(into: [:]) { $0[$1.track, default: 0] += $1.duration }.values.max() ?? 0
    }

    /// `1 gap (4.000 s)`.
    var text: String { "\(count == 1 ? "1 gap" : "\(count) gaps") (\(SecondsText.describe(seconds)))" }
}
