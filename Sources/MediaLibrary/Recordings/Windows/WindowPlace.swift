package import HLS

/// Where a window lies in the segments that its playlists name: those begin before it, and end behind it.
package struct WindowPlace: Sendable {
    /// A segment that was lost.
    package struct Gap: Sendable, Hashable {
        /// When it was, in nanoseconds since 1970.
        package var wall: Int64
        /// The same in seconds from the beginning of its playlist.
        package var start: Double
        /// How long it would have lasted, in seconds.
        package var duration: Double
    }

    /// Where it begins, in seconds from the beginning of what the playlists play.
    package private(set) var from = 0.0
    /// Where it ends, likewise; nil where nothing of it is there.
    package private(set) var to: Double?
    /// What of it was lost.
    package private(set) var gaps: [Gap] = []

    /// The place of a window.
    ///
    /// - Parameters:
    ///   - playlists: what is played at once; of the first it's said where the window lies, and what was lost.
    ///   - from: when the window begins, in nanoseconds since 1970.
    ///   - to: when it ends, likewise.
    /// - Returns: nil where the first playlist doesn't say when its segments were.
    package init?(of playlists: [MediaPlaylist], from: Int64, to: Int64) {
        let begins = playlists.map { $0.resolvedSegments.first { _ in true }?.programDateTime?.nanosecondsSinceEpoch }
        guard let start = begins.first ?? nil, let first = begins.compactMap(\.self).min() else { return nil }
        find(from, to, in: playlists[0])
        // The film begins with what begins first.
        let lead = Double(start - first) / 1e9
        self.from += lead
        self.to = self.to.map { $0 + lead }
    }

    private mutating func find(_ from: Int64, _ to: Int64, in playlist: MediaPlaylist) {
        var isFound = false
        for (segment, place) in zip(playlist.resolvedSegments, playlist.places) {
            guard let wall = segment.programDateTime?.nanosecondsSinceEpoch else { continue }
            let duration = place.duration
            guard wall < to else { break }
            let start = Double(place.start) / 1e9
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
