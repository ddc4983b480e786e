/// Finds where the cues of a segment of subtitles lie on the timeline of what a remuxer made. Times are ticks of 90 kHz.
///
/// A segment's X-TIMESTAMP-MAP gives its cues times on the clock of the stream's other segments, which has 33 bits and may
/// begin anew on the way. Where there is none, cues are to count from time stamp 0 (RFC 8216, 3.5); streams are common
/// whose cues count from the beginning instead. Of what is possible that is taken which brings the cues nearest to the
/// place of their segment in its playlist.
public struct SubtitleAlignment: Sendable {
    /// A wrap of the clock.
    private static let wrap: Int64 = 1 << 33
    /// So far into a segment it's sure in which stretch it lies.
    private static let surely: Int64 = 90_000

    private let stretches: [JoinedStretch]
    /// Where time 0 of the playlists is on the timeline.
    private let zero: Int64

    /// An alignment with what was made.
    ///
    /// - Parameters:
    ///   - stretches: ``Remuxer/stretches`` after its end.
    ///   - start: The time in the playlists at which the first segment begins, in seconds.
    public init(_ stretches: [JoinedStretch], from start: Double) {
        self.stretches = stretches
        zero = (stretches.first.map { $0.start.addingClamped($0.shift) } ?? 0) - Self.ticks(start)
    }

    /// The cues of a segment with times on the timeline.
    ///
    /// - Parameters:
    ///   - document: The segment.
    ///   - start: When it begins in its playlist, in seconds.
    ///   - duration: How long it lasts by its playlist, in seconds.
    public func cues(of document: WebVTTDocument, at start: Double, lasting duration: Double) -> [WebVTTCue] {
        guard let first = document.cues.map(\.start).min(), let last = document.cues.map(\.end).max() else { return [] }
        let begin = zero + Self.ticks(start)
        let end = begin + Self.ticks(duration)
        let sure = begin + min(Self.surely, (end - begin) / 2)
        let byNearness = stretches.sorted {
            Self.distance($0.placed, sure...sure) < Self.distance($1.placed, sure...sure)
        }
        let map = document.timestampMap.map { $0.transport - $0.local }
        let mapped = byNearness.map { Self.unwrapped((map ?? 0) + $0.shift, of: first, near: begin) }
        let offset = (map == nil ? [zero] + mapped : mapped).min { left, right in
            Self.distance(first + left...last + left, begin...end)
                < Self.distance(first + right...last + right, begin...end)
        }
        return document.cues.map { cue in
            var cue = cue
            cue.start += offset ?? zero
            cue.end += offset ?? zero
            return cue
        }
    }

    private static func ticks(_ seconds: Double) -> Int64 { max(0, Timescale.ticks(of: seconds, in: 90_000)) }

    /// An offset of wraps more or fewer, so that it brings a time nearest to another.
    private static func unwrapped(_ offset: Int64, of time: Int64, near target: Int64) -> Int64 {
        offset + Int64((Double(target - time - offset) / Double(wrap)).rounded()) * wrap
    }

    /// How far apart two spans are; 0 where they meet.
    private static func distance(_ one: ClosedRange<Int64>, _ other: ClosedRange<Int64>) -> Int64 {
        max(0, one.lowerBound - other.upperBound, other.lowerBound - one.upperBound)
    }
}

extension JoinedStretch {
    /// Its time on the output's timeline.
    fileprivate var placed: ClosedRange<Int64> { start + shift...end + shift }
}
