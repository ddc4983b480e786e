import HLS
package import MediaContainers

/// The segments of a media playlist for a player that requests them one by one.
package struct SegmentTable: Sendable {
    /// A segment.
    package struct Row: Sendable, Hashable {
        /// The media sequence number.
        package var number: Int
        /// The start in seconds, from the start of the playlist's first segment.
        package var start: Double
        /// The duration in seconds.
        package var duration: Double
        /// The discontinuity sequence number. Segments with the same number share a clock.
        package var discontinuity: Int
        /// Whether the playlist marks the segment as a gap (EXT-X-GAP).
        package var isGap: Bool
        /// The wall-clock time in nanoseconds since 1970; nil if the playlist has none.
        package var date: Int64?

        package var end: Double { start + duration }
    }

    /// The maximum number of segments, which is enough for four days of segments of 2 s.
    private static let maximumSegments = 200_000

    /// The segments in order, with consecutive numbers.
    package let rows: [Row]
    /// Whether segments may be added.
    package let isLive: Bool
    /// The maximum duration of a segment in seconds.
    package let targetDuration: Int
    /// The URL of the playlist.
    package let location: String
    private let segments: [ResolvedSegment]
    private let intervals: [MediaPlaylist.SegmentInterval]

    /// Reads a media playlist.
    ///
    /// - Parameter variables: The variables that the playlist may import.
    /// - Throws: `ContainerError`: `notThisFormat` if the resource isn't a playlist; `malformed`; `unsupported` if it's
    ///   a multivariant or I-frame playlist; `limitExceeded` for too many segments; the errors of `resources`.
    package init(
        playlist url: String, variables: [String: String] = [:], resources: some StreamResources
    ) throws(ContainerError) {
        let (parsed, location) = try StreamPlan.load(url, variables: variables, resources: resources)
        guard case .media(let playlist) = parsed.playlist else {
            throw ContainerError(
                .unsupported, "\(url) is a multivariant playlist", advice: "Use the URLs in its media.json")
        }
        try self.init(playlist, at: location)
    }

    init(_ playlist: MediaPlaylist, at location: String) throws(ContainerError) {
        guard !playlist.hasIFramesOnly else {
            throw ContainerError(
                .unsupported, "\(location) is an I-frame playlist", advice: "Use the playlist of the whole stream")
        }
        guard playlist.segments.count <= Self.maximumSegments else {
            throw ContainerError(.limitExceeded, "\(location) has more than \(Self.maximumSegments) segments")
        }
        segments = Array(playlist.resolvedSegments)
        intervals = playlist.segmentIntervals
        rows = zip(segments, intervals).map { resolved, interval in
            Row(
                number: resolved.mediaSequence, start: Double(interval.start) / 1e9,
                duration: Double(interval.duration) / 1e9, discontinuity: resolved.discontinuitySequence,
                isGap: resolved.segment.isGap, date: resolved.programDateTime?.nanosecondsSinceEpoch)
        }
        isLive = !playlist.hasEndList
        targetDuration = playlist.targetDuration ?? 0
        self.location = location
    }

    /// The end of the last segment in seconds.
    package var duration: Double { rows.last?.end ?? 0 }

    /// Returns the row of a segment; nil if the playlist doesn't list it.
    package func row(_ number: Int) -> Row? { index(of: number).map { rows[$0] } }

    private func index(of number: Int) -> Int? {
        guard let first = rows.first?.number else { return nil }
        let (index, overflow) = number.subtractingReportingOverflow(first)
        return !overflow && rows.indices.contains(index) ? index : nil
    }

    /// Returns a segment as a part; nil if the playlist doesn't list it.
    ///
    /// - Throws: `ContainerError` with `malformed` if a reference isn't an HTTP URL.
    package func part(_ number: Int) throws(ContainerError) -> StreamPart? {
        guard let index = index(of: number) else { return nil }
        let (found, obstacle) = try StreamPlan.part(segments[index], intervals[index], at: location, join: .continuous)
        var part = found
        part.obstacle = obstacle?.summary
        return part
    }
}
