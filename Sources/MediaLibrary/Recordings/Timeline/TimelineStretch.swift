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
    mutating func add(_ page: TimelinePage, where belongs: (RecordedSegment) -> Bool) {
        var discontinuities = page.discontinuities
        for segment in page.segments {
            if belongs(segment) {
                if let last = segments.last {
                    if last.number + 1 != segment.number { jumps[segment.number] = discontinuities }
                } else {
                    self.discontinuities = discontinuities
                }
                segments.append(segment)
            }
            if segment.isDiscontinuous { discontinuities += 1 }
        }
    }
}
