/// Where the pages of a track's timeline lie in time: what of it is in memory, however long the recording is.
struct TimelineIndex: Sendable {
    /// What is known of a page without reading it.
    struct Entry: Sendable, Hashable {
        var first: Int64
        var count: Int
        /// When its first segment begins and its last one ends.
        var start: Int64
        var end: Int64
        /// The bytes and the segments that are kept of it; what was given up doesn't count.
        var bytes: Int64 = 0
        var kept = 0
        var gaps = 0
        /// How long its gaps last together.
        var gapDuration: Int64 = 0
        /// The longest target duration that its segments need, in seconds.
        var targetDuration = 1
        var discontinuities: Int64
        /// How many discontinuities are in it.
        var ownDiscontinuities: Int64 = 0
        /// How many of its segments weren't given up.
        var live = 0
        /// The stretches of time of these, in order.
        var spans: [Range<Int64>] = []
        /// The numbers of companions that these need.
        var companions = RangeSet<Int64>()
        /// Whether each of its segments is a whole resource without anything around it.
        var isPlain = true
        /// The first that is awaited.
        var firstAwaited: Int64?

        var numbers: Range<Int64> { first..<(first + Int64(count)) }

        init(_ page: TimelinePage, without gone: RangeSet<Int64>) {
            first = page.first
            count = page.segments.count
            start = page.segments.first?.start ?? 0
            end = page.segments.last?.end ?? 0
            discontinuities = page.discontinuities
            var joined: [RecordedConditions.Companion] = []
            for segment in page.segments {
                if segment.isDiscontinuous { ownDiscontinuities += 1 }
                targetDuration = max(targetDuration, segment.leastTarget)
                if segment.isWrapped || segment.range != nil || segment.state != .kept { isPlain = false }
                if segment.state == .awaited { firstAwaited = firstAwaited ?? segment.number }
                guard !gone.contains(segment.number) else { continue }
                live += 1
                spans.join(segment.start, segment.end)
                if segment.conditions.companions != joined {
                    joined = segment.conditions.companions
                    for companion in joined where companion.number < .max {
                        companions.insert(contentsOf: companion.number..<(companion.number + 1))
                    }
                }
                switch segment.state {
                case .kept:
                    kept += 1
                    bytes &+= segment.length
                case .gap:
                    gaps += 1
                    gapDuration &+= segment.duration
                case .awaited: break
                }
            }
        }
    }

    private(set) var entries: [Entry] = []
    private(set) var bytes: Int64 = 0
    private(set) var kept = 0
    private(set) var gaps = 0
    private(set) var gapDuration: Int64 = 0

    /// The page of a number.
    func page(of number: Int64) -> Entry? {
        let index = entries.partitioningIndex { $0.first > number }
        guard index > 0, entries[index - 1].numbers.contains(number) else { return nil }
        return entries[index - 1]
    }

    /// The page of the last segment before a number that is in any.
    func lastPage(before number: Int64) -> Entry? {
        let index = entries.partitioningIndex { $0.first >= number }
        return index > 0 ? entries[index - 1] : nil
    }

    /// The first page with a segment from a number on.
    func firstPage(from number: Int64) -> Entry? {
        let index = entries.partitioningIndex { $0.numbers.upperBound > number }
        return index < entries.count ? entries[index] : nil
    }

    /// How many segments are kept of the pages that begin with a number or later.
    func keptCount(inPagesFrom number: Int64) -> Int {
        entries[entries.partitioningIndex { $0.first >= number }...].reduce(0) { $0 + $1.kept }
    }

    /// The first page that ends after a moment.
    func firstPage(after time: Int64) -> Entry? {
        let index = entries.partitioningIndex { $0.end > time }
        return index < entries.count ? entries[index] : nil
    }

    /// The pages that have something of a stretch of time, in order.
    func pages(from start: Int64, to end: Int64) -> ArraySlice<Entry> {
        let lower = entries.partitioningIndex { $0.end > start }
        let upper = entries.partitioningIndex { $0.start >= end }
        return entries[lower..<max(lower, upper)]
    }

    /// Takes what a page is now.
    mutating func set(_ entry: Entry) {
        let index = entries.partitioningIndex { $0.first >= entry.first }
        if index < entries.count, entries[index].first == entry.first {
            count(entries[index], -1)
            entries[index] = entry
        } else {
            entries.insert(entry, at: index)
        }
        count(entry, 1)
    }

    mutating func remove(_ first: Int64) {
        let index = entries.partitioningIndex { $0.first >= first }
        guard index < entries.count, entries[index].first == first else { return }
        count(entries.remove(at: index), -1)
    }

    private mutating func count(_ entry: Entry, _ sign: Int) {
        bytes &+= Int64(sign) &* entry.bytes
        kept += sign * entry.kept
        gaps += sign * entry.gaps
        gapDuration &+= Int64(sign) &* entry.gapDuration
    }
}

extension [Range<Int64>] {
    /// Two stretches of time with less between them are told as one.
    private static let leastHole: Int64 = 1_000_000_000

    /// Adds a stretch of time that begins after all others do.
    mutating func join(_ start: Int64, _ end: Int64) {
        guard start < end else { return }
        if let last, start - last.upperBound < Self.leastHole {
            self[count - 1] = last.lowerBound..<Swift.max(end, last.upperBound)
        } else {
            append(start..<end)
        }
    }
}
