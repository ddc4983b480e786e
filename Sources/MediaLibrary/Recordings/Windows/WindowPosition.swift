package import HLS

/// The position of a window within its playlists, whose segments usually begin before the window and end after it.
package struct WindowPosition: Sendable {
    /// A missing segment.
    package struct Gap: Sendable, Hashable {
        /// The start in nanoseconds since 1970.
        package var wall: Int64
        /// The start in seconds from the beginning of the playlist.
        package var start: Double
        /// The duration in seconds.
        package var duration: Double

        fileprivate func overlaps(_ other: Gap) -> Bool {
            Double(wall - other.wall) < other.duration * 1e9 && Double(other.wall - wall) < duration * 1e9
        }
    }

    /// The start of the window in seconds from the beginning of the playlists.
    package private(set) var from = 0.0
    /// The end of the window in seconds from the beginning of the playlists; nil if they begin after the window.
    package private(set) var to: Double?
    /// The missing segments of the window in order. Overlapping gaps of several playlists count once.
    package private(set) var gaps: [Gap] = []

    private init() {}

    /// Creates the position of a window between two times in nanoseconds since 1970; returns nil if the first playlist
    /// has no dates.
    ///
    /// - Parameter playlists: The media playlists that play together. The first one determines the position. Gaps are
    ///   collected from all.
    package init?(of playlists: [MediaPlaylist], from: Int64, to: Int64) {
        let begins = playlists.map { $0.resolvedSegments.first { _ in true }?.programDateTime?.nanosecondsSinceEpoch }
        guard let start = begins.first ?? nil, let first = begins.compactMap(\.self).min() else { return nil }
        find(from, to, in: playlists[0])
        for playlist in playlists.dropFirst() {
            var other = Self()
            other.find(from, to, in: playlist)
            gaps += other.gaps.filter { gap in !gaps.contains { $0.overlaps(gap) } }
        }
        gaps.sort { $0.wall < $1.wall }
        // Playback begins with the earliest playlist.
        let offset = Double(start - first) / 1e9
        self.from += offset
        self.to = self.to.map { $0 + offset }
    }

    private mutating func find(_ from: Int64, _ to: Int64, in playlist: MediaPlaylist) {
        var isFound = false
        for (segment, interval) in zip(playlist.resolvedSegments, playlist.segmentIntervals) {
            guard let wall = segment.programDateTime?.nanosecondsSinceEpoch else { continue }
            let duration = interval.duration
            guard wall < to else { break }
            let start = Double(interval.start) / 1e9
            if !isFound, wall + duration > from {
                self.from = start + Double(max(0, from - wall)) / 1e9
                isFound = true
            }
            self.to = start + Double(min(duration, to - wall)) / 1e9
            if segment.segment.isGap, wall + duration > from {
                gaps.append(Gap(wall: wall, start: start, duration: Double(duration) / 1e9))
            }
        }
    }
}
