import HLS

/// What the tags of a live playlist say of its segments and parts, handed out in the order of the playlist.
struct LiveTags {
    private var segments: ArraySlice<LiveSegment> = []
    private var parts: ArraySlice<PartialSegment> = []
    private var hints: ArraySlice<PreloadHint> = []
    /// The place of the part that came last, or of the segment that comes next.
    private var place = LiveSegment(number: 0)

    /// No tags: what they'd say of is counted from 0.
    init() {}

    /// The tags of `playlist`.
    init(_ playlist: MediaPlaylist) {
        segments =
            playlist.resolvedSegments.enumerated().map { offset, resolved in
                LiveSegment(
                    number: resolved.mediaSequence, duration: resolved.segment.duration.nanoseconds,
                    start: resolved.programDateTime?.nanosecondsSinceEpoch,
                    isDiscontinuous: offset == 0 ? nil : resolved.segment.isDiscontinuous)
            }[...]
        parts = (playlist.segments.flatMap(\.parts) + (playlist.upcoming?.parts ?? []))[...]
        hints = playlist.preloadHints[...]
        place.number = playlist.firstMediaSequence
    }

    /// The next media segment.
    mutating func nextSegment() -> LiveSegment {
        let segment = segments.popFirst() ?? LiveSegment(number: place.number)
        place = LiveSegment(number: segment.number &+ 1)
        return segment
    }

    /// The next partial segment: which it is, whether it's a byte range, and whether it's a gap.
    mutating func nextPart() -> (part: LiveSegment, isRange: Bool, isGap: Bool) {
        place.part += 1
        let tag = parts.popFirst()
        return (place, tag?.byteRange != nil, tag?.isGap == true)
    }

    /// The part that the next hint is of, and whether it's a byte range; nil if it's of something else.
    mutating func nextHint() -> (part: LiveSegment, isRange: Bool)? {
        guard let tag = hints.popFirst(), tag.type == "PART" else { return nil }
        var part = place
        part.part += 1
        return (part, tag.byteRangeStart != nil || tag.byteRangeLength != nil)
    }
}
