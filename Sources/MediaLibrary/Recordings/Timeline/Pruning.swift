/// Decides what of a recording is given up: of all tracks the oldest first, so that they begin together, until every limit
/// holds. It looks at no more than it gives up.
package struct Pruning: Sendable {
    /// What is to hold.
    package struct Limits: Sendable, Hashable {
        /// Segments that arrived until then are too old, in nanoseconds since 1970.
        package var oldest: Int64
        /// How many segments may be kept of a track behind those that are pinned. Gaps and what is awaited don't count.
        package var segments: Int?
        /// How many bytes are too many.
        package var excess: Int64
        /// Of the newest of a track so many stay, however many bytes are too many.
        package var spared: Int64

        /// Limits; without arguments none.
        package init(oldest: Int64 = .min, segments: Int? = nil, excess: Int64 = 0, spared: Int64 = 0) {
            self.oldest = oldest
            self.segments = segments
            self.excess = excess
            self.spared = spared
        }
    }

    /// What is to be given up.
    package struct Choice: Sendable {
        /// The segments, by track.
        package var rows: [String: [RecordedSegment]] = [:]
        /// Whether the limits hold without them, as far as they can.
        package var isComplete = true
    }

    /// The first of a track that could go.
    private struct Head {
        var row: RecordedSegment
        /// How many are kept behind it, where that matters.
        var keptBehind: Int
    }

    /// Up to where everything is given up or pinned, by track.
    private var cursors: [String: Int64] = [:]

    /// Begins at the front.
    package init() {}

    /// Chooses up to `count` segments.
    ///
    /// - Parameter pinned: stretches of time that stay, in nanoseconds since 1970.
    /// - Throws: `CacheError` with `storage`.
    package mutating func choose(
        of timelines: [Timeline], limits: Limits, outside pinned: [Range<Int64>], atMost count: Int
    ) async throws -> Choice {
        var choice = Choice()
        var (excess, chosen) = (limits.excess, 0)
        var heads: [Int: Head] = [:]
        // What was chosen last of each.
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
            let isSurplus = limits.segments.map { found.keptBehind >= max(1, $0) } ?? false
            let isSpare = excess > 0 && head.number + limits.spared < timeline.edge
            // Later ones of other tracks may be too many.
            guard isOld || isSurplus || isSpare else { continue }
            guard chosen < count else {
                choice.isComplete = false
                return choice
            }
            chosen += 1
            choice.rows[timeline.track, default: []].append(head)
            if head.state == .kept { excess -= head.length }
            cursors[timeline.track] = head.number + 1
            last[index] = found
            waiting.insert(index)
        }
    }

    /// The first of a track that could go; what is awaited can't, nor what is behind it.
    private mutating func head(
        of timeline: Timeline, outside pinned: [Range<Int64>], after last: Head?, isCounted: Bool
    ) async throws -> Head? {
        let head = try await timeline.first(from: cursors[timeline.track] ?? 0, outside: pinned)
        guard let head, head.number < timeline.edge else { return nil }
        cursors[timeline.track] = head.number
        guard isCounted else { return Head(row: head, keptBehind: 0) }
        // Counted once, but where something pinned is between.
        if let last, last.row.number + 1 == head.number {
            return Head(row: head, keptBehind: last.keptBehind - (head.state == .kept ? 1 : 0))
        }
        return Head(row: head, keptBehind: try await timeline.keptCount(from: head.number + 1))
    }
}
