/// A selection of the segments that retention removes. The oldest segments of all tracks are removed first, so that the
/// tracks begin together, until every limit is met.
struct Pruning: Sendable {
    struct Limits: Sendable, Hashable {
        /// The arrival time up to which segments are too old, in nanoseconds since 1970.
        var oldest: Int64
        /// The maximum number of cached segments on each track, where values below 1 count as 1; nil for no limit.
        var segments: Int?
        /// The number of bytes to remove.
        var excess: Int64
        /// The number of newest segments per track that aren't removed because of ``excess``.
        var spared: Int64
    }

    /// The segments to remove.
    struct Choice: Sendable {
        var rows: [String: [RecordedSegment]] = [:]
        /// Whether no other segments have to be removed.
        var isComplete = true
    }

    /// The first removable segment of a track.
    private struct Head {
        var row: RecordedSegment
        /// The number of cached segments after it; 0 unless they are counted.
        var laterStoredCount: Int
    }

    /// The number before which every segment is removed or pinned, by track.
    private var cursors: [String: Int64] = [:]

    /// Chooses segments outside the pinned time ranges, which are in nanoseconds since 1970.
    mutating func choose(
        of timelines: [Timeline], limits: Limits, outside pinned: [Range<Int64>], atMost count: Int
    ) async throws -> Choice {
        var choice = Choice()
        var (excess, chosen) = (limits.excess, 0)
        var heads: [Int: Head] = [:]
        // The last chosen segment of each track.
        var last: [Int: Head] = [:]
        var waiting = Set(timelines.indices)
        while true {
            for index in waiting {
                waiting.remove(index)
                heads[index] = try await head(
                    of: timelines[index], outside: pinned, after: last[index], isCounted: limits.segments != nil)
            }
            let oldest = heads.min { ($0.value.row.start, $0.key) < ($1.value.row.start, $1.key) }
            guard let (index, found) = oldest else { return choice }
            let head = found.row
            heads[index] = nil
            let timeline = timelines[index]
            let isOld = head.arrived <= limits.oldest
            let isSurplus = limits.segments.map { found.laterStoredCount >= max(1, $0) } ?? false
            let isSpare = excess > 0 && head.number + limits.spared < timeline.edge
            // Later segments of other tracks may exceed a limit.
            guard isOld || isSurplus || isSpare else { continue }
            guard chosen < count else {
                choice.isComplete = false
                return choice
            }
            chosen += 1
            choice.rows[timeline.track, default: []].append(head)
            if head.state == .stored { excess -= head.length }
            cursors[timeline.track] = head.number + 1
            last[index] = found
            waiting.insert(index)
        }
    }

    /// Returns a track's first removable segment. Awaited segments and those after them aren't removable.
    private mutating func head(
        of timeline: Timeline, outside pinned: [Range<Int64>], after last: Head?, isCounted: Bool
    ) async throws -> Head? {
        let head = try await timeline.first(from: cursors[timeline.track] ?? 0, outside: pinned)
        guard let head, head.number < timeline.edge else { return nil }
        cursors[timeline.track] = head.number
        guard isCounted else { return Head(row: head, laterStoredCount: 0) }
        // The previous count is reused, unless pinned or removed segments are in between.
        if let last, last.row.number + 1 == head.number {
            return Head(row: head, laterStoredCount: last.laterStoredCount - (head.state == .stored ? 1 : 0))
        }
        return Head(row: head, laterStoredCount: try await timeline.storedCount(from: head.number + 1))
    }
}
