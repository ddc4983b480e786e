import HLS

extension MediaPlaylist {
    /// The longest target duration in seconds, and the longest segment.
    private static let longestTarget = 600
    private static let longestSegment: Int64 = 86_400_000_000_000
    /// Media sequence numbers and times beyond these count for none: a number so far off is a mistake, and could only be
    /// calculated with at the risk of leaving 64 bits.
    private static let greatestSequence = 1 << 52
    fileprivate static let times: ClosedRange<Int64> = 0...4_000_000_000_000_000_000

    /// The playlist with numbers that can be calculated with, whatever its origin says.
    var withinBounds: MediaPlaylist {
        var playlist = self
        if let target = targetDuration { playlist.targetDuration = min(max(1, target), Self.longestTarget) }
        if !(0...Self.greatestSequence).contains(discontinuitySequence) { playlist.discontinuitySequence = 0 }
        if let skip { playlist.skip?.count = min(max(0, skip.count), Self.greatestSequence) }
        if mediaSequence.magnitude > Self.greatestSequence.magnitude { playlist.mediaSequence = 0 }
        for (index, segment) in segments.enumerated() {
            let duration = segment.duration.nanoseconds
            if !(0...Self.longestSegment).contains(duration) {
                playlist.segments[index].duration = DecimalValue(
                    nanoseconds: min(max(0, duration), Self.longestSegment))
            }
            guard let time = segment.programDateTime?.nanosecondsSinceEpoch, !Self.times.contains(time) else {
                continue
            }
            playlist.segments[index].programDateTime = nil
        }
        return playlist
    }
}

extension ResolvedSegment {
    /// The time at which the segment begins by its playlist's dates, in nanoseconds since 1970; nil where no date implies a
    /// time within bounds. The durations between a date and the segment may add up to any number.
    var boundedDate: Int64? {
        programDateTime?.nanosecondsSinceEpoch.flatMap { MediaPlaylist.times.contains($0) ? $0 : nil }
    }
}
