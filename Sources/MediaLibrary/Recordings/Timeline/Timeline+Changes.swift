internal import MediaCache
internal import Synchronization

/// Changing the timeline: each change is durable before any reader knows of it.
extension Timeline {
    /// The longest that one segment lasts: what comes from outside may say anything.
    private static let longest: Int64 = 86_400_000_000_000

    /// Adds segments, numbered from ``next`` on. Returns when they're durable.
    ///
    /// - Throws: `CacheError` with `storage`; then none of them is there.
    package func append(_ segments: [RecordedSegment]) async throws {
        try await turns.take {
            let pages = pages(with: segments.map(Self.bounded))
            var written: [String] = []
            do {
                for page in pages {
                    try await store.write(page.encoded, as: name(ofPage: page.first), of: recording)
                    written.append(name(ofPage: page.first))
                }
            } catch {
                // The same numbers are given to others perhaps, which needn't be as many.
                if written.count > 1 { try? await store.removeFiles(Array(written.dropFirst()), of: recording) }
                throw error
            }
            state.withLock { state in
                for page in pages { state.note(page) }
            }
        }
    }

    private static func bounded(_ segment: RecordedSegment) -> RecordedSegment {
        var segment = segment
        segment.duration = min(max(0, segment.duration), longest)
        segment.start = min(max(TimelinePage.starts.lowerBound, segment.start), TimelinePage.starts.upperBound)
        return segment
    }

    /// The pages that have these segments, whole.
    private func pages(with segments: [RecordedSegment]) -> [TimelinePage] {
        let (next, last, open, unknown) = state.withLock { state in
            (
                state.next, state.index.entries.last, state.index.entries.last.flatMap { state.hot[$0.first] },
                state.unknown
            )
        }
        var rest = segments.drop { $0.number < next }
        var pages: [TimelinePage] = []
        var discontinuities = (last.map { $0.discontinuities + $0.ownDiscontinuities } ?? 0) + unknown
        if let first = rest.first, var page = open, page.end == first.number,
            page.segments.count < TimelinePage.capacity
        {
            let added = rest.prefix(TimelinePage.capacity - page.segments.count)
            page.segments += added
            pages.append(page)
            rest = rest.dropFirst(added.count)
            discontinuities += Int64(added.count { $0.isDiscontinuous })
        }
        while let first = rest.first {
            let page = TimelinePage(
                first: first.number, discontinuities: discontinuities,
                segments: Array(rest.prefix(TimelinePage.capacity)))
            pages.append(page)
            rest = rest.dropFirst(page.segments.count)
            discontinuities += Int64(page.segments.count { $0.isDiscontinuous })
        }
        return pages
    }

    /// Says what became of segments. Returns when that's durable.
    ///
    /// - Throws: `CacheError` with `storage`; of those in some pages it may be known then.
    package func settle(_ segments: [RecordedSegment]) async throws {
        try await turns.take {
            var changed: [Int64: TimelinePage] = [:]
            for segment in segments {
                let first = state.withLock { $0.index.page(of: segment.number)?.first }
                guard let first, var page = changed[first] ?? state.withLock({ $0.hot[first] }) else { continue }
                page[segment.number] = Self.bounded(segment)
                changed[first] = page
            }
            for page in changed.values.sorted(by: { $0.first < $1.first }) {
                try await store.write(page.encoded, as: name(ofPage: page.first), of: recording)
                state.withLock { $0.note(page) }
            }
        }
    }

    // MARK: - Giving up

    /// Gives segments up, with the keys and sections that no other needs: they're out of the timeline, durably, before
    /// their bytes go.
    ///
    /// - Throws: `CacheError` with `storage`. What is out of the timeline then goes with the next call.
    package func giveUp(_ numbers: [Int64]) async throws {
        try await turns.take { try await giveUpNow(numbers) }
    }

    /// Gives up again what an earlier process was ended over: its bytes may be here still.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func finishGivingUp() async throws { try await giveUp([]) }

    private func giveUpNow(_ numbers: [Int64]) async throws {
        var added = RangeSet<Int64>()
        for number in numbers { added.insert(contentsOf: number..<(number + 1)) }
        let (unfinished, entries) = state.withLock { state in
            let unfinished = state.unfinished.union(added)
            return (unfinished, state.index.entries.filter { unfinished.ranges.overlap($0.numbers) })
        }
        guard !unfinished.isEmpty else { return }
        let pages = try await pages(entries)
        // Also those of pages that can't be read count as gone, which is what they are.
        let gone = state.withLock { $0.gone.union(added) }
        if !added.isEmpty { try await store.write(gone.encoded, as: goneName, of: recording) }
        let needed = state.withLock { state in
            state.gone = gone
            state.unfinished = unfinished
            for page in pages { state.index.set(TimelineIndex.Entry(page, without: gone)) }
            return state.index.entries.map(\.companions)
        }
        let lost = pages.flatMap(\.segments).filter { unfinished.contains($0.number) }
        let companions = Set(lost.flatMap(\.conditions.companions)).filter { companion in
            !needed.contains { $0.contains(companion.number) }
        }
        let names = lost.filter(\.hasMedia).map(\.name) + companions.map(\.name).sorted()
        if !names.isEmpty { try await store.removeParts(names.map { recording.keptName($0, track: track) }) }
        try await removeEmptyPages()
        state.withLock { $0.unfinished = RangeSet() }
    }

    /// Deletes pages of which nothing is left.
    private func removeEmptyPages() async throws {
        // The last tells which number comes next.
        let empty = state.withLock { $0.index.entries.dropLast().filter { $0.live == 0 } }
        guard !empty.isEmpty else { return }
        try await store.removeFiles(empty.map { name(ofPage: $0.first) }, of: recording)
        state.withLock { state in
            for entry in empty {
                state.index.remove(entry.first)
                state.hot[entry.first] = nil
                state.recent.removeAll { $0.first == entry.first }
                state.gone.remove(contentsOf: entry.numbers)
            }
        }
    }

    /// Gives up all of it. The timeline can't be used any more.
    ///
    /// - Parameter keepingMedia: whether segments, keys and sections stay: they are something else's now.
    /// - Throws: `CacheError` with `storage`; what was given up until then is gone.
    package func removeAll(keepingMedia: Bool) async throws {
        try await turns.take {
            for entry in state.withLock({ $0.index.entries }) {
                let page = try await pages([entry]).first
                if !keepingMedia, let page {
                    let companions = Set(page.segments.flatMap(\.conditions.companions)).map(\.name)
                    let names = page.segments.filter(\.hasMedia).map(\.name) + companions
                    try await store.removeParts(names.map { recording.keptName($0, track: track) })
                }
                try await store.removeFiles([name(ofPage: entry.first)], of: recording)
                state.withLock { state in
                    state.index.remove(entry.first)
                    state.hot[entry.first] = nil
                    state.recent.removeAll { $0.first == entry.first }
                }
            }
            try await store.removeFiles([goneName], of: recording)
        }
    }
}

extension Timeline.State {
    /// Takes a page as it's on the disk now.
    fileprivate mutating func note(_ page: TimelinePage) {
        index.set(TimelineIndex.Entry(page, without: gone))
        if page.end > next {
            next = page.end
            unknown = 0
        }
        hot[page.first] = page
        recent.removeAll { $0.first == page.first }
        let last = index.entries.last?.first
        for (first, page) in hot where first != last && index.page(of: first)?.firstAwaited == nil {
            hot[first] = nil
            remember(page)
        }
    }
}

extension RangeSet<Int64>.Ranges {
    /// Whether any of them has something of `range`.
    fileprivate func overlap(_ range: Range<Int64>) -> Bool { contains { $0.overlaps(range) } }
}
