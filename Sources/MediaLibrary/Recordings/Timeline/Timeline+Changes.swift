internal import MediaCache
internal import Synchronization

/// Changing the timeline: each change is durable before any reader knows of it.
extension Timeline {
    /// The longest that one segment lasts: what comes from outside may say anything.
    private static let longest: Int64 = 86_400_000_000_000

    /// Adds segments, numbered from ``next`` on. Returns when they're durable.
    ///
    /// Segments never overlap: one that lasts longer than until the next begins is cut short there.
    ///
    /// - Parameter first: how many discontinuities stand before the first segment of all.
    /// - Throws: `CacheError` with `storage`; then none of them is there.
    package func append(_ segments: [RecordedSegment], countingFrom first: Int64 = 0) async throws {
        try await turns.take {
            let pages = pages(with: Self.apart(segments.map(Self.bounded)), countingFrom: first)
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
        segment.overrun = min(max(0, segment.overrun), segment.duration)
        segment.start = min(max(TimelinePage.starts.lowerBound, segment.start), TimelinePage.starts.upperBound)
        if let arrival = segment.arrival {
            segment.arrival =
                min(max(TimelinePage.starts.lowerBound, arrival), TimelinePage.starts.upperBound) / 1_000_000
                * 1_000_000
        }
        return segment
    }

    /// Cuts each segment short where the next begins.
    private static func apart(_ segments: [RecordedSegment]) -> [RecordedSegment] {
        var segments = segments
        for index in segments.indices.dropFirst() {
            segments[index].start = max(segments[index].start, segments[index - 1].start)
            segments[index - 1].end(before: segments[index])
        }
        return segments
    }

    /// The pages that have these segments, whole.
    private func pages(with segments: [RecordedSegment], countingFrom first: Int64) -> [TimelinePage] {
        let (next, lastPage, count) = state.withLock { state in
            (
                state.next, state.index.entries.last.flatMap { state.hot[$0.first] },
                state.next == 0 ? first : state.discontinuities
            )
        }
        var rest = segments.drop { $0.number < next }
        var pages: [TimelinePage] = []
        var open = lastPage
        if let first = rest.first, let last = open?.segments.last {
            rest[rest.startIndex].start = max(first.start, last.start)
            if rest[rest.startIndex].start < last.end, let page = open {
                open?[last.number]?.end(before: rest[rest.startIndex])
                // A page that gets no more segments is written for this alone.
                if page.end != first.number || page.segments.count >= TimelinePage.capacity, let open {
                    pages.append(open)
                }
            }
        }
        var discontinuities = count
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
                var segment = Self.bounded(segment)
                // Segments behind it may have cut it short since it was named.
                segment.overrun = page[segment.number]?.overrun ?? 0
                page[segment.number] = segment
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
            state.entriesPassed += state.index.entries.count
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
        let entry = TimelineIndex.Entry(page, without: gone)
        index.set(entry)
        targetDuration = max(targetDuration, entry.targetDuration)
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

extension RecordedSegment {
    /// Cuts the segment short where the next begins.
    fileprivate mutating func end(before next: RecordedSegment) {
        overrun = min(duration, max(overrun, start.clampedSum(duration).clampedSum(-next.start)))
    }
}

extension RangeSet<Int64>.Ranges {
    /// Whether any of them has something of `range`.
    fileprivate func overlap(_ range: Range<Int64>) -> Bool { contains { $0.overlaps(range) } }
}
