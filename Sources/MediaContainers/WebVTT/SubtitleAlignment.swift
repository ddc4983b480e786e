/// Alignment of subtitle segments with the timeline of a remuxer's output. Times are in 90 kHz ticks.
///
/// X-TIMESTAMP-MAP places the cues of a segment on the clock of the stream's other segments. That clock has 33 bits and
/// may restart. Without the map, cues count from timestamp 0 (RFC 8216, 3.5), but in many streams they count from the
/// start of the stream. Of the possible alignments, the one that places the cues nearest to the position of their
/// segment in the playlist is used.
public struct SubtitleAlignment: Sendable {
    /// The distance into a segment after which its period is certain.
    private static let margin: Int64 = 90_000

    private let periods: [JoinedClockPeriod]
    /// The position on the timeline of time 0 in the playlists.
    private let zero: Int64

    /// Creates an alignment for the ``Remuxer/clockPeriods`` of a finished remuxer. `start` is the start of the first
    /// segment in the playlists, in seconds.
    public init(_ periods: [JoinedClockPeriod], from start: Double) {
        self.periods = periods
        zero = (periods.first.map { $0.start.addingClamped($0.shift) } ?? 0) - Self.ticks(start)
    }

    /// Returns the cues of a segment with times on the timeline. The start and the duration of the segment in its
    /// playlist are in seconds.
    public func cues(of document: WebVTTDocument, at start: Double, duration: Double) -> [WebVTTCue] {
        guard let first = document.cues.map(\.start).min(), let last = document.cues.map(\.end).max() else { return [] }
        let begin = zero + Self.ticks(start)
        let end = begin + Self.ticks(duration)
        let certain = begin + min(Self.margin, (end - begin) / 2)
        let byNearness = periods.sorted {
            Self.distance($0.placed, certain...certain) < Self.distance($1.placed, certain...certain)
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

    /// Returns an offset plus the multiple of the 33-bit clock's period that brings a time nearest to a target.
    private static func unwrapped(_ offset: Int64, of time: Int64, near target: Int64) -> Int64 {
        let period = TimestampUnwrapper.period
        return offset + Int64((Double(target - time - offset) / Double(period)).rounded()) * period
    }

    /// Returns the distance between two ranges, or 0 if they overlap.
    private static func distance(_ one: ClosedRange<Int64>, _ other: ClosedRange<Int64>) -> Int64 {
        max(0, one.lowerBound - other.upperBound, other.lowerBound - one.upperBound)
    }
}

extension JoinedClockPeriod {
    /// The range of the period on the timeline of the output.
    fileprivate var placed: ClosedRange<Int64> { start + shift...end + shift }
}
