import HLS
internal import MediaCache

/// The first pictures of a window's segments as an I-frame playlist (EXT-X-I-FRAMES-ONLY, RFC 8216bis §4.4.3.6), which
/// players display while seeking.
package struct PicturePlaylist: Sendable {
    /// The segments of the window.
    package var stretch: TimelineStretch
    /// The prefix of the segments' names.
    package var prefix: String
    /// Whether no more segments will be added.
    package var isOver: Bool

    /// Whether no segment begins with a picture that can be decoded by itself.
    package var isEmpty: Bool { !stretch.segments.contains { $0.firstPicture > 0 } }

    /// The playlist in UTF-8. Segments have the same numbers as in other playlists.
    package var bytes: [UInt8] {
        var playlist = MediaPlaylist(targetDuration: 1)
        playlist.hasIFramesOnly = true
        playlist.mediaSequence = Int(stretch.segments.first?.number ?? 0)
        playlist.discontinuitySequence = Int(clamping: stretch.discontinuities)
        playlist.hasEndList = isOver
        var last: RecordedSegment?
        var dates = SegmentDates()
        for row in stretch.segments {
            let hasPicture = row.firstPicture > 0
            var segment = MediaSegment(
                uri: hasPicture ? prefix + row.name : LocalNames.gap,
                duration: DecimalValue(nanoseconds: row.duration))
            segment.isGap = !hasPicture
            if hasPicture { segment.byteRange = ByteRange(length: Int(row.firstPicture), offset: 0) }
            segment.isDiscontinuous = row.isDiscontinuous || last.map { $0.number + 1 != row.number } ?? false
            segment.programDateTime = dates.date(of: row, isDiscontinuous: segment.isDiscontinuous)
            playlist.targetDuration = max(playlist.targetDuration ?? 1, row.leastTarget)
            playlist.segments.append(segment)
            last = row
        }
        return LocalPlaylistWriter.bytes(of: .media(playlist))
    }
}
