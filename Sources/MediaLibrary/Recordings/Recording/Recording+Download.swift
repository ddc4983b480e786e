internal import Foundation
internal import MediaCache

extension Recording {
    /// The cached amount of a recording.
    struct Coverage: Sendable, Hashable {
        var bytes: Int64
        /// The numbers of complete segments, and of segments in any state, over all tracks.
        var segments: Int
        var observedSegments: Int
        /// The duration that is playable on every track except silent and removed ones, in seconds.
        var seconds: Double
    }

    /// Sets the end of the recording, running or not, unless an earlier end is set. Turns the recording on, because it
    /// only ends while it's running.
    ///
    /// - Parameter end: The end, not after the current time; nil for the current time.
    func setEnd(at end: Date? = nil) async throws {
        let now = end ?? dependencies.store.now
        try await change {
            $0.endsAt = min($0.endsAt ?? now, now)
            $0.endsAtOnce = true
            $0.isWanted = true
        }
    }

    var coverage: Coverage {
        let timelines = timelines
        let totals = timelines.map(\.totals)
        let silent = silentTracks
        let seconds = tracks.filter { $0.isNamed && !silent.contains($0.folder) }.map { track in
            guard let first = track.timeline.start, let edge = track.timeline.edgeTime else { return 0.0 }
            return max(0, Double(edge - first) / 1e9)
        }
        return Coverage(
            bytes: totals.reduce(0) { $0 + $1.bytes }, segments: totals.reduce(0) { $0 + $1.segments },
            observedSegments: timelines.reduce(0) { $0 + $1.segmentCount }, seconds: seconds.min() ?? 0)
    }

    /// Whether every playlist has EXT-X-ENDLIST (RFC 8216bis §4.4.3.4).
    var hasEndList: Bool { !tracks.isEmpty && tracks.allSatisfy(\.follower.hasEndList) }

    /// Returns the whole recording as an asset's contents; nil if it is empty.
    func whole() async throws -> RecordedWindow? {
        let ranges = coveredRanges()
        guard let first = ranges.first, let last = ranges.last else { return nil }
        return try await assembled(from: first.lowerBound, to: last.upperBound)
    }

    /// Returns the gaps of all tracks except subtitles, in order. Consecutive gaps with the same reason are merged. A
    /// track without segments is one gap.
    func holes() async throws -> [DownloadHole] {
        let ranges = coveredRanges()
        guard let first = ranges.first, let last = ranges.last else { return [] }
        var holes: [DownloadHole] = []
        let all = first.lowerBound..<last.upperBound
        for timeline in timelines {
            guard let expected = expectedTime(of: timeline)?.clamped(to: all) else { continue }
            let url = channel.tracks.first { $0.folder == timeline.track }?.url ?? channel.url
            let rows = try await timeline.range(from: all.lowerBound, to: all.upperBound).segments
            if rows.isEmpty, !expected.isEmpty {
                holes.append(
                    DownloadHole(
                        url: url, role: AssetPart.Role.mediaSegment.rawValue,
                        start: Double(expected.lowerBound - all.lowerBound) / 1e9,
                        duration: Double(expected.upperBound - expected.lowerBound) / 1e9,
                        reason: "no segment of this track could be recorded", isRetryable: false))
            }
            var previous: RecordedSegment?
            for row in rows where row.state == .gap {
                let start = Double(row.start - first.lowerBound) / 1e9
                if let previous, previous.number + 1 == row.number, previous.url.isEmpty == row.url.isEmpty {
                    holes[holes.count - 1].duration = start + Double(row.duration) / 1e9 - holes[holes.count - 1].start
                } else {
                    holes.append(
                        DownloadHole(
                            url: url, role: AssetPart.Role.mediaSegment.rawValue, start: start,
                            duration: Double(row.duration) / 1e9,
                            reason: row.url.isEmpty
                                ? "never appeared in a loaded playlist" : "couldn't be fetched while it was live",
                            isRetryable: false))
                }
                previous = row
            }
        }
        return holes.sorted { $0.start < $1.start }
    }
}
