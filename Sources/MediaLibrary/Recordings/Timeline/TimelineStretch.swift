/// What is there of a stretch of time on one track.
package struct TimelineStretch: Sendable, Hashable {
    /// The track's folder.
    package var track: String
    /// How many discontinuities stand before the first segment (EXT-X-DISCONTINUITY-SEQUENCE, RFC 8216bis §4.4.3.3).
    package var discontinuities: Int64 = 0
    /// The segments, in order.
    package var segments: [RecordedSegment] = []
    /// Where numbers are missing, since what had them was given up or is damaged: how many discontinuities stand before
    /// the segment behind, counted from the recording's beginning, by that segment's number.
    package var jumps: [Int64: Int64] = [:]

    /// Nothing of a track.
    package init(track: String) { self.track = track }

    /// Adds what a page has of it.
    ///
    /// - Parameter belongs: whether a segment, by its place in the page, does.
    mutating func add(_ page: TimelinePage, where belongs: (Int) -> Bool) {
        var discontinuities = page.discontinuities
        for index in page.segments.indices {
            if belongs(index) {
                note(page.segments[index].number, discontinuities)
                segments.append(page.segments[index])
            }
            if page.segments[index].isDiscontinuous { discontinuities += 1 }
        }
    }

    /// Adds all of a page.
    mutating func add(_ page: TimelinePage) {
        note(page.first, page.discontinuities)
        segments += page.segments
    }

    /// Makes gaps of the awaited segments.
    mutating func loseAwaited() {
        for index in segments.indices where segments[index].state == .awaited { segments[index].state = .gap }
    }

    /// What stands before a segment that is added.
    private mutating func note(_ number: Int64, _ discontinuities: Int64) {
        if let last = segments.last?.number {
            if last + 1 != number { jumps[number] = discontinuities }
        } else {
            self.discontinuities = discontinuities
        }
    }
}
