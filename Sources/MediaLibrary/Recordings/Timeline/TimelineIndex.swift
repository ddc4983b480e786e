/// The in-memory index of a timeline's pages.
struct TimelineIndex: Sendable {
    /// The summary of a page.
    struct Entry: Sendable, Hashable {
        var first: Int64
        var count: Int
        /// The start of the first segment and the end of the last, in nanoseconds since 1970.
        var start: Int64
        var end: Int64
        /// The numbers of cached bytes and segments. Removed segments don't count.
        var bytes: Int64 = 0
        var stored = 0
        /// The number of segments that are gaps.
        var gaps = 0
        /// The total duration of the gaps in nanoseconds.
        var gapDuration: Int64 = 0
        /// The longest target duration that the segments need, in seconds.
        var targetDuration = 1
        /// The number of discontinuities before the page.
        var discontinuities: Int64
        /// The number of discontinuities in the page.
        var ownDiscontinuities: Int64 = 0
        /// The number of segments that weren't removed.
        var live = 0
        /// The time ranges of the remaining segments, in order.
        var spans: [Range<Int64>] = []
        /// The time ranges of the gaps, in order. Gaps of consecutive segments are merged.
        var gapSpans: [Range<Int64>] = []
        var beginsWithGap = false
        var endsWithGap = false
        /// The numbers of the companions that the remaining segments need.
        var companions = RangeSet<Int64>()
        /// Whether each segment is cached as a whole resource without wrapping.
        var isPlain = true
        /// The number of the first awaited segment.
        var firstAwaited: Int64?

        var numbers: Range<Int64> { first..<(first + Int64(count)) }

        init(_ page: TimelinePage, without removed: RangeSet<Int64>) {
            first = page.first
            count = page.segments.count
            start = page.segments.first?.start ?? 0
            end = page.segments.last?.end ?? 0
            discontinuities = page.discontinuities
            var joined: [RecordedConditions.Companion] = []
            var lastGap: Int64?
            for segment in page.segments {
                if segment.isDiscontinuous { ownDiscontinuities += 1 }
                targetDuration = max(targetDuration, segment.minimumTargetDuration)
                if segment.isWrapped || segment.range != nil || segment.state != .stored { isPlain = false }
                if segment.state == .awaited { firstAwaited = firstAwaited ?? segment.number }
                guard !removed.contains(segment.number) else { continue }
                live += 1
                spans.join(segment.start, segment.end)
                if segment.conditions.companions != joined {
                    joined = segment.conditions.companions
                    for companion in joined where companion.number < .max {
                        companions.insert(contentsOf: companion.number..<(companion.number + 1))
                    }
                }
                switch segment.state {
                case .stored:
                    stored += 1
                    bytes &+= segment.length
                case .gap:
                    gaps += 1
                    gapDuration &+= segment.duration
                    let isFirst = lastGap.map { $0 + 1 != segment.number } ?? true
                    let lower = isFirst ? segment.start : gapSpans.removeLast().lowerBound
                    gapSpans.append(lower..<max(lower, segment.end))
                    lastGap = segment.number
                    if segment.number == first { beginsWithGap = true }
                case .awaited: break
                }
            }
            endsWithGap = lastGap.map { $0 + 1 == numbers.upperBound } ?? false
        }
    }

    private(set) var entries: [Entry] = []
    private(set) var bytes: Int64 = 0
    private(set) var stored = 0
    /// The number of gaps. Consecutive segments that are gaps count as one.
    private(set) var gaps = 0
    private(set) var gapDuration: Int64 = 0
    private(set) var live = 0

    func page(of number: Int64) -> Entry? {
        let entry = entries[..<entries.partitioningIndex { $0.first > number }].last
        return entry?.numbers.contains(number) == true ? entry : nil
    }

    /// Returns the last page that begins before a number.
    func lastPage(before number: Int64) -> Entry? { entries[..<entries.partitioningIndex { $0.first >= number }].last }

    /// Returns the first page with a segment at or after a number.
    func firstPage(from number: Int64) -> Entry? {
        entries[entries.partitioningIndex { $0.numbers.upperBound > number }...].first
    }

    /// Returns the number of cached segments in pages that begin at a number or later.
    func storedCount(inPagesFrom number: Int64) -> Int {
        entries[entries.partitioningIndex { $0.first >= number }...].reduce(0) { $0 + $1.stored }
    }

    /// Returns the first page that ends after a time.
    func firstPage(after time: Int64) -> Entry? { entries[entries.partitioningIndex { $0.end > time }...].first }

    /// Returns the pages that overlap a time range, in order.
    func pages(from start: Int64, to end: Int64) -> ArraySlice<Entry> {
        let lower = entries.partitioningIndex { $0.end > start }
        let upper = entries.partitioningIndex { $0.start >= end }
        return entries[lower..<max(lower, upper)]
    }

    mutating func set(_ entry: Entry) {
        let index = entries.partitioningIndex { $0.first >= entry.first }
        if index < entries.count, entries[index].first == entry.first {
            count(index, -1)
            entries[index] = entry
        } else {
            entries.insert(entry, at: index)
        }
        count(index, 1)
    }

    mutating func remove(_ first: Int64) {
        let index = entries.partitioningIndex { $0.first >= first }
        guard index < entries.count, entries[index].first == first else { return }
        count(index, -1)
        entries.remove(at: index)
    }

    /// Adds an entry to the totals, or subtracts it.
    private mutating func count(_ index: Int, _ sign: Int) {
        let entry = entries[index]
        bytes &+= Int64(sign) &* entry.bytes
        stored += sign * entry.stored
        gaps += sign * (entry.gapSpans.count - joints(index - 1) - joints(index))
        gapDuration &+= Int64(sign) &* entry.gapDuration
        live += sign * entry.live
    }

    /// Returns 1 if an entry ends with a gap that the next entry continues; otherwise 0.
    private func joints(_ index: Int) -> Int {
        guard entries.indices.contains(index), entries.indices.contains(index + 1) else { return 0 }
        let (entry, next) = (entries[index], entries[index + 1])
        return entry.endsWithGap && next.beginsWithGap && entry.numbers.upperBound == next.first ? 1 : 0
    }
}

extension [Range<Int64>] {
    /// The minimum gap between two time ranges in nanoseconds. Ranges with a smaller gap are merged.
    private static let minimumHole: Int64 = 1_000_000_000

    /// Appends a time range that begins after all others, or merges it with the last one.
    mutating func join(_ start: Int64, _ end: Int64) {
        guard start < end else { return }
        if let last, start - last.upperBound < Self.minimumHole {
            self[count - 1] = last.lowerBound..<Swift.max(end, last.upperBound)
        } else {
            append(start..<end)
        }
    }

    /// Appends a time range that begins after all others, or merges it with the last one if nothing is between them.
    mutating func joinAdjacent(_ range: Range<Int64>) {
        guard let last, range.lowerBound <= last.upperBound else { return append(range) }
        self[count - 1] = last.lowerBound..<Swift.max(range.upperBound, last.upperBound)
    }

    /// Returns the ranges without those of gaps. Both are in order. Gaps shorter than the minimum are ignored.
    func excluding(gaps: [Range<Int64>]) -> [Range<Int64>] {
        var (result, gaps): ([Range<Int64>], ArraySlice) = ([], gaps[...])
        for range in self {
            var start = range.lowerBound
            while let gap = gaps.first, gap.lowerBound < range.upperBound {
                if gap.upperBound - gap.lowerBound >= Self.minimumHole {
                    if start < gap.lowerBound { result.append(start..<gap.lowerBound) }
                    start = Swift.max(start, gap.upperBound)
                }
                guard gap.upperBound <= range.upperBound else { break }
                gaps.removeFirst()
            }
            if start < range.upperBound { result.append(start..<range.upperBound) }
        }
        return result
    }
}
