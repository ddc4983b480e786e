internal import MediaCache
internal import Synchronization

extension Timeline {
    /// Returns the segment with this number; nil if there is none, it was removed, or its page is unreadable.
    package func segment(_ number: Int64) async throws -> RecordedSegment? {
        let entry = state.withLock { state in state.removed.contains(number) ? nil : state.index.page(of: number) }
        guard let entry else { return nil }
        return try await pages([entry]).first?[number]
    }

    /// Returns the rows at or after a number, in any state, including removed ones of existing pages.
    package func rows(from number: Int64) async throws -> [RecordedSegment] {
        let entries = state.withLock { state in state.index.entries.filter { $0.numbers.upperBound > number } }
        return try await pages(entries).flatMap { $0.segments.filter { $0.number >= number } }
    }

    /// Returns the companion with a name among those of the remaining segments; nil if there is none.
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

    /// Returns a time range of the timeline, up to the edge.
    ///
    /// - Parameters:
    ///   - start: The start in nanoseconds since 1970. A segment in progress at this time is included.
    ///   - end: The end. A segment that starts at this time isn't included.
    ///   - isOver: Whether no more segments are added to the range. If so, awaited segments are returned as gaps, and
    ///     the segments after them are included.
    package func range(from start: Int64, to end: Int64, isOver: Bool = false) async throws -> TimelineRange {
        let (entries, removed, edge) = state.withLock { state in
            (Array(state.index.pages(from: start, to: end)), state.removed, isOver ? state.next : state.edge)
        }
        var range = TimelineRange(track: track)
        range.segments.reserveCapacity(entries.reduce(0) { $0 + $1.numbers.count })
        for page in try await pages(entries) {
            guard let first = page.segments.first, let last = page.segments.last else { continue }
            // Segments don't overlap, so the first and the last determine whether all are in the range.
            if page.end <= edge, first.end > start, last.start < end,
                removed.isDisjoint(RangeSet(page.first..<page.end))
            {
                range.add(page)
                continue
            }
            range.add(page) { index in
                let number = page.first + Int64(index)
                return number < edge && page.segments[index].end > start && page.segments[index].start < end
                    && !removed.contains(number)
            }
        }
        if isOver, entries.contains(where: { $0.firstAwaited != nil }) { range.loseAwaited() }
        return range
    }

    /// Returns the first segments of a time range, as ``range(from:to:isOver:)`` does, but reads only their pages.
    ///
    /// - Parameter number: The number after which the segments begin; nil to begin with the first one.
    package func segments(
        from start: Int64, to end: Int64, after number: Int64?, gapsOnly: Bool, limit: Int
    ) async throws -> [RecordedSegment] {
        let next = number.map { $0 &+ 1 } ?? 0
        let (entries, removed, edge) = state.withLock { state in
            (state.index.pages(from: start, to: end), state.removed, state.edge)
        }
        var rest = entries.filter { $0.numbers.upperBound > next && (!gapsOnly || $0.gaps > 0) }[...]
        var found: [RecordedSegment] = []
        while found.count < limit, !rest.isEmpty {
            // Reads as many pages as are expected to contain the remaining results.
            var expected = found.count
            let batch = rest.prefix(Self.maximumBatch).prefix { entry in
                defer { expected += gapsOnly ? entry.gaps : entry.live }
                return expected < limit
            }
            rest = rest.dropFirst(batch.count)
            for segment in try await pages(Array(batch)).flatMap(\.segments)
            where segment.number >= next && segment.number < edge && segment.end > start && segment.start < end
                && (!gapsOnly || segment.state == .gap) && !removed.contains(segment.number)
            {
                found.append(segment)
            }
        }
        return Array(found.prefix(limit))
    }

    /// Returns the first remaining segment at or after a number that is outside all pinned time ranges.
    package func first(from number: Int64, outside pinned: [Range<Int64>]) async throws -> RecordedSegment? {
        var number = number
        while true {
            let entry = state.withLock { state -> TimelineIndex.Entry? in
                number = state.removed.ranges.first { $0.contains(number) }?.upperBound ?? number
                return state.index.firstPage(from: number)
            }
            guard let entry else { return nil }
            // Reading removes an unreadable page from the index.
            guard let page = try await pages([entry]).first else { continue }
            number = max(number, entry.first)
            guard let segment = page[number] else { return nil }
            if state.withLock({ $0.removed.contains(number) }) { continue }
            let pin = pinned.filter { segment.start < $0.upperBound && segment.end > $0.lowerBound }.map(\.upperBound)
                .max()
            guard let pin else { return segment }
            // Continues after the pinned range.
            guard let behind = try await firstNumber(startingAt: pin) else { return nil }
            number = max(number + 1, behind)
        }
    }

    /// Returns the number of cached segments at or after a number.
    package func storedCount(from number: Int64) async throws -> Int {
        let (whole, entry) = state.withLock { state in
            (
                state.index.storedCount(inPagesFrom: number),
                state.index.page(of: number).flatMap { $0.first < number ? $0 : nil }
            )
        }
        guard let entry, let page = try await pages([entry]).first else { return whole }
        return state.withLock { state in
            whole
                + page.segments.count {
                    $0.number >= number && $0.state == .stored && !state.removed.contains($0.number)
                }
        }
    }

    /// Returns the number of the first segment that starts at a time or later, which may not exist yet; nil if no
    /// segment ends after that time.
    private func firstNumber(startingAt time: Int64) async throws -> Int64? {
        while let entry = state.withLock({ $0.index.firstPage(after: time) }) {
            guard let page = try await pages([entry]).first else { continue }
            // If all segments of the page start earlier, the result is the number after the page's last one.
            return page.segments.first { $0.start >= time }?.number ?? page.end
        }
        return nil
    }

    // MARK: - Pages

    /// Returns the pages of entries. Unreadable pages are omitted and removed from the index.
    func pages(_ entries: [TimelineIndex.Entry]) async throws -> [TimelinePage] {
        let known = state.withLock { state in
            entries.map { entry in state.mutablePages[entry.first] ?? state.recent.first { $0.first == entry.first } }
        }
        let absent = zip(entries, known).filter { $0.1 == nil }.map(\.0.first)
        guard !absent.isEmpty else { return known.compactMap { $0 } }
        var read: [Int64: TimelinePage] = [:]
        let files = try await store.read(absent.map(name(ofPage:)), of: recording)
        for (first, page) in zip(absent, await Self.decoded(files)) where page?.first == first { read[first] = page }
        state.withLock { state in
            for first in absent where state.mutablePages[first] == nil {
                // The page was removed in the meantime or is damaged.
                if read[first] == nil { state.index.remove(first) }
            }
            for first in absent.suffix(Self.maximumRecent) {
                if let page = read[first], state.mutablePages[first] == nil, state.index.page(of: first) != nil {
                    state.remember(page)
                }
            }
        }
        return zip(entries, known).compactMap { entry, page in page ?? read[entry.first] }
    }

    /// Decodes pages in parallel; nil for damaged or missing ones.
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

/// A time range of one track's timeline.
package struct TimelineRange: Sendable, Hashable {
    /// The track's folder.
    package var track: String
    /// The number of discontinuities before the first segment (EXT-X-DISCONTINUITY-SEQUENCE, RFC 8216bis §4.4.3.3).
    package var discontinuities: Int64 = 0
    package var segments: [RecordedSegment] = []
    /// The numbers of the segments that follow missing numbers, each with the number of discontinuities before the
    /// segment since the recording's beginning. Numbers are missing because segments were removed or are damaged.
    package var jumps: [Int64: Int64] = [:]

    /// Adds the segments of a page at the indices for which `belongs` returns true.
    mutating func add(_ page: TimelinePage, where belongs: (Int) -> Bool) {
        var discontinuities = page.discontinuities
        for index in page.segments.indices {
            if belongs(index) {
                note(page.segments[index].number, discontinuities)
                segments.append(page.segments[index])
            }
            if page.segments[index].isDiscontinuous { discontinuities += 1 }
        }
    }

    mutating func add(_ page: TimelinePage) {
        note(page.first, page.discontinuities)
        segments += page.segments
    }

    mutating func loseAwaited() {
        for index in segments.indices where segments[index].state == .awaited { segments[index].state = .gap }
    }

    /// Notes the discontinuities before a segment that is about to be added.
    private mutating func note(_ number: Int64, _ discontinuities: Int64) {
        if let last = segments.last?.number {
            if last + 1 != number { jumps[number] = discontinuities }
        } else {
            self.discontinuities = discontinuities
        }
    }
}
