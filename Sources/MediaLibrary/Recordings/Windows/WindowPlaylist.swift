import HLS

/// A window of one track as a media playlist. The same rows always give the same bytes.
package struct WindowPlaylist: Sendable {
    /// What there is of the window.
    package var stretch: TimelineStretch
    /// The moment where playing is to begin, in nanoseconds since 1970; nil leaves that to the player.
    package var begins: Int64?
    /// Whether nothing will be added.
    package var isOver: Bool
    /// Whether what comes is added, and nothing that is there will go.
    package var isGrowing: Bool

    /// A playlist; without further arguments one that slides.
    package init(_ stretch: TimelineStretch, begins: Int64? = nil, isOver: Bool = false, isGrowing: Bool = false) {
        self.stretch = stretch
        self.begins = begins
        self.isOver = isOver
        self.isGrowing = isGrowing
    }

    /// The playlist, in UTF-8. Its segments' URIs are names in the track's folder.
    package var bytes: [UInt8] {
        var playlist = MediaPlaylist()
        guard let first = stretch.segments.first else { return PlaylistWriter().bytes(.media(playlist)) }
        playlist.mediaSequence = Int(first.number)
        playlist.discontinuitySequence = Int(clamping: stretch.discontinuities)
        playlist.hasEndList = isOver
        playlist.type = isOver ? .onDemand : isGrowing ? .event : nil
        if let begins {
            let offset = max(0, begins - first.start)
            playlist.start = StartPoint(
                timeOffset: DecimalValue(nanoseconds: offset / 1_000_000 * 1_000_000), isPrecise: true)
        }
        playlist.segments.reserveCapacity(stretch.segments.count)
        var target = 1
        var last: RecordedSegment?
        for row in stretch.segments {
            target = max(target, row.targetDuration, Int((row.duration + 500_000_000) / 1_000_000_000))
            playlist.segments.append(Self.segment(row, after: last))
            last = row
        }
        playlist.targetDuration = target
        return PlaylistWriter().bytes(.media(playlist))
    }

    private static func segment(_ row: RecordedSegment, after last: RecordedSegment?) -> MediaSegment {
        var segment = MediaSegment(
            uri: row.state == .gap ? LocalNames.gap : row.name, duration: DecimalValue(nanoseconds: row.duration))
        segment.isGap = row.state == .gap
        // What was given up between two that follow each other here leaves a discontinuity.
        segment.isDiscontinuous = row.isDiscontinuous || last.map { $0.number + 1 != row.number } ?? false
        if last == nil || segment.isDiscontinuous || last.map({ abs($0.end - row.start) > 1_000_000 }) == true {
            segment.programDateTime = DateTime(nanosecondsSinceEpoch: row.start / 1_000_000 * 1_000_000)
        }
        if !row.conditions.keys.isEmpty { segment.keys = row.conditions.keys }
        if row.conditions.map != nil { segment.map = row.conditions.map }
        for tag in row.tags {
            let parts = tag.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            segment.tags.append(
                .unknown(UnknownTag(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : nil)))
        }
        return segment
    }
}
