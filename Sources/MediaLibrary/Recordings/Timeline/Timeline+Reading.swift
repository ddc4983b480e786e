internal import MediaCache
internal import Synchronization

/// Reading what pages have.
extension Timeline {
    /// The segment of a number; nil where there is none, or none any more.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func segment(_ number: Int64) async throws -> RecordedSegment? {
        let entry = state.withLock { state in state.gone.contains(number) ? nil : state.index.page(of: number) }
        guard let entry else { return nil }
        return try await pages([entry]).first?[number]
    }

    /// The rows from a number on, whatever became of them.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func rows(from number: Int64) async throws -> [RecordedSegment] {
        let entries = state.withLock { state in state.index.entries.filter { $0.numbers.upperBound > number } }
        return try await pages(entries).flatMap { $0.segments.filter { $0.number >= number } }
    }

    /// A companion by its name, among those that segments need which are there.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func companion(_ name: String) async throws -> RecordedConditions.Companion? {
        guard let number = Int64(name.split(separator: "-").last?.prefix { $0 != "." } ?? "") else { return nil }
        let entries = state.withLock { state in state.index.entries.filter { $0.companions.contains(number) } }
        for entry in entries {
            for segment in try await pages([entry]).flatMap(\.segments) {
                if let found = segment.conditions.companions.first(where: { $0.name == name }) { return found }
            }
        }
        return nil
    }

    /// What is there of a stretch of time, up to the edge, and what stands before it.
    ///
    /// - Parameters:
    ///   - start: nanoseconds since 1970; a segment that is under way then belongs to it.
    ///   - end: a segment that begins then doesn't.
    ///   - isOver: whether nothing will be added. Awaited segments are gaps then, and those behind them are included.
    /// - Throws: `CacheError` with `storage`.
    package func stretch(from start: Int64, to end: Int64, isOver: Bool = false) async throws -> TimelineStretch {
        let (entries, gone, edge) = state.withLock { state in
            (Array(state.index.pages(from: start, to: end)), state.gone, isOver ? state.next : state.edge)
        }
        var stretch = TimelineStretch(track: track)
        stretch.segments.reserveCapacity(entries.reduce(0) { $0 + $1.numbers.count })
        for page in try await pages(entries) {
            guard let first = page.segments.first, let last = page.segments.last else { continue }
            // Segments don't overlap, so that the first and the last tell of all between.
            if page.end <= edge, first.end > start, last.start < end, gone.isDisjoint(RangeSet(page.first..<page.end)) {
                stretch.add(page)
                continue
            }
            stretch.add(page) { index in
                let number = page.first + Int64(index)
                return number < edge && page.segments[index].end > start && page.segments[index].start < end
                    && !gone.contains(number)
            }
        }
        if isOver, entries.contains(where: { $0.firstAwaited != nil }) { stretch.loseAwaited() }
        return stretch
    }

    /// The first segment from a number on that is there still, and that has nothing of these stretches of time.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func first(from number: Int64, outside pinned: [Range<Int64>]) async throws -> RecordedSegment? {
        var number = number
        while true {
            let entry = state.withLock { state -> TimelineIndex.Entry? in
                number = state.gone.ranges.first { $0.contains(number) }?.upperBound ?? number
                return state.index.firstPage(from: number)
            }
            guard let entry else { return nil }
            // One that can't be read any more isn't in the index then.
            guard let page = try await pages([entry]).first else { continue }
            number = max(number, entry.first)
            guard let segment = page[number] else { return nil }
            if state.withLock({ $0.gone.contains(number) }) { continue }
            let pin = pinned.filter { segment.start < $0.upperBound && segment.end > $0.lowerBound }.map(\.upperBound)
                .max()
            guard let pin else { return segment }
            // Behind what is pinned, however long that is.
            guard let behind = try await firstNumber(startingAt: pin) else { return nil }
            number = max(number + 1, behind)
        }
    }

    /// How many segments from a number on are kept.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func keptCount(from number: Int64) async throws -> Int {
        let (whole, entry) = state.withLock { state in
            (
                state.index.keptCount(inPagesFrom: number),
                state.index.page(of: number).flatMap { $0.first < number ? $0 : nil }
            )
        }
        guard let entry, let page = try await pages([entry]).first else { return whole }
        return state.withLock { state in
            whole
                + page.segments.count {
                    $0.number >= number && $0.state == .kept && !state.gone.contains($0.number)
                }
        }
    }

    /// The number of the first segment that begins at a moment or later.
    private func firstNumber(startingAt time: Int64) async throws -> Int64? {
        while let entry = state.withLock({ $0.index.firstPage(after: time) }) {
            guard let page = try await pages([entry]).first else { continue }
            // Where all of it has begun before, the next is behind.
            return page.segments.first { $0.start >= time }?.number ?? page.end
        }
        return nil
    }

    // MARK: - Pages

    /// What these pages have, as far as they can be read.
    func pages(_ entries: [TimelineIndex.Entry]) async throws -> [TimelinePage] {
        let known = state.withLock { state in
            entries.map { entry in state.hot[entry.first] ?? state.recent.first { $0.first == entry.first } }
        }
        let absent = zip(entries, known).filter { $0.1 == nil }.map(\.0.first)
        guard !absent.isEmpty else { return known.compactMap { $0 } }
        var read: [Int64: TimelinePage] = [:]
        let files = try await store.read(absent.map(name(ofPage:)), of: recording)
        for (first, page) in zip(absent, await Self.decoded(files)) where page?.first == first { read[first] = page }
        state.withLock { state in
            for first in absent where state.hot[first] == nil {
                // Given up meanwhile, or damaged: in either case it isn't there any more.
                if read[first] == nil { state.index.remove(first) }
            }
            for first in absent.suffix(Self.mostRecent) {
                if let page = read[first], state.hot[first] == nil, state.index.page(of: first) != nil {
                    state.remember(page)
                }
            }
        }
        return zip(entries, known).compactMap { entry, page in page ?? read[entry.first] }
    }

    /// Pages as they were written; nil for each that is damaged or isn't there. A day has 170 of them: those of a long
    /// stretch are read by several cores.
    private static func decoded(_ files: [[UInt8]?]) async -> [TimelinePage?] {
        let few = 32
        guard files.count > few else { return files.map { $0.flatMap(TimelinePage.init(encoded:)) } }
        return await withTaskGroup { group in
            for start in stride(from: 0, to: files.count, by: few) {
                let some = files[start..<min(start + few, files.count)]
                group.addTask { (start, some.map { $0.flatMap(TimelinePage.init(encoded:)) }) }
            }
            let pages = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return stride(from: 0, to: files.count, by: few).flatMap { pages[$0] ?? [] }
        }
    }
}
