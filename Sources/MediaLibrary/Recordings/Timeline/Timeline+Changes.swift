internal import MediaCache
internal import Synchronization

/// Changes to the timeline. Each change is durable before readers see it.
extension Timeline {
    /// The maximum duration of a segment in nanoseconds, since durations are untrusted input.
    private static let longest: Int64 = 86_400_000_000_000

    /// Appends segments with numbers starting at ``next``. Returns when they are durable.
    ///
    /// Segments never overlap: a segment that extends beyond the start of the next one is cut short. If the call fails,
    /// no segment is appended.
    ///
    /// - Parameter first: The number of discontinuities before the track's first segment.
    package func append(_ segments: [RecordedSegment], countingFrom first: Int64 = 0) async throws {
        try await changes.runUncancelled {
            let pages = pages(with: Self.withoutOverlaps(segments.map(Self.bounded)), countingFrom: first)
            var written: [String] = []
            do {
                for page in pages {
                    try await store.write(page.encoded, as: name(ofPage: page.first), of: recording)
                    written.append(name(ofPage: page.first))
                }
            } catch {
                // The next call may append fewer segments, and wouldn't replace these pages.
                if written.count > 1 { try? await store.removeFiles(Array(written.dropFirst()), of: recording) }
                throw error
            }
            state.withLock { state in
                for page in pages { state.note(page) }
            }
        }
    }

    /// Returns a segment with its times limited to valid ranges.
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

    /// Cuts each segment short at the start of the next.
    private static func withoutOverlaps(_ segments: [RecordedSegment]) -> [RecordedSegment] {
        var segments = segments
        for index in segments.indices.dropFirst() {
            segments[index].start = max(segments[index].start, segments[index - 1].start)
            segments[index - 1].end(before: segments[index])
        }
        return segments
    }

    /// Returns the whole pages to write: those with the segments, and the last page if its last segment is cut short.
    private func pages(with segments: [RecordedSegment], countingFrom first: Int64) -> [TimelinePage] {
        let (next, lastPage, count) = state.withLock { state in
            (
                state.next, state.index.entries.last.flatMap { state.mutablePages[$0.first] },
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
                // Otherwise, the code below adds segments to the page, and returns it.
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

    /// Stores the results of segments. Returns when they are durable. If the call fails, some of them may be stored.
    package func settle(_ segments: [RecordedSegment]) async throws {
        try await changes.runUncancelled {
            var changed: [Int64: TimelinePage] = [:]
            for segment in segments {
                let first = state.withLock { $0.index.page(of: segment.number)?.first }
                guard let first, var page = changed[first] ?? state.withLock({ $0.mutablePages[first] }) else {
                    continue
                }
                var segment = Self.bounded(segment)
                // Later segments may have cut this one short.
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

    // MARK: - Removal

    /// Removes segments, with the keys and sections that no other segment needs. The segments are removed from the
    /// timeline durably before any bytes are deleted. Bytes that can't be deleted now are deleted by the next call.
    package func remove(_ numbers: [Int64]) async throws {
        try await changes.runUncancelled { try await removeNow(numbers) }
    }

    /// Completes a removal that an earlier process began, by deleting the remaining bytes.
    package func finishRemoval() async throws { try await remove([]) }

    private func removeNow(_ numbers: [Int64]) async throws {
        var added = RangeSet<Int64>()
        for number in numbers { added.insert(contentsOf: number..<(number + 1)) }
        let (undeleted, entries) = state.withLock { state in
            let undeleted = state.undeleted.union(added)
            state.entriesPassed += state.index.entries.count
            let entries = state.index.entries.filter { entry in
                undeleted.ranges.contains { $0.overlaps(entry.numbers) }
            }
            return (undeleted, entries)
        }
        guard !undeleted.isEmpty else { return }
        let pages = try await pages(entries)
        // Segments of unreadable pages count as removed, too.
        let removed = state.withLock { $0.removed.union(added) }
        if !added.isEmpty { try await store.write(removed.encoded, as: removedName, of: recording) }
        let needed = state.withLock { state in
            state.removed = removed
            state.undeleted = undeleted
            for page in pages { state.index.set(TimelineIndex.Entry(page, without: removed)) }
            return state.index.entries.map(\.companions)
        }
        let lost = pages.flatMap(\.segments).filter { undeleted.contains($0.number) }
        let companions = Set(lost.flatMap(\.conditions.companions)).filter { companion in
            !needed.contains { $0.contains(companion.number) }
        }
        let names = lost.filter(\.hasMedia).map(\.name) + companions.map(\.name).sorted()
        if !names.isEmpty { try await store.removeParts(names.map { recording.storedName($0, track: track) }) }
        try await removeEmptyPages()
        state.withLock { $0.undeleted = RangeSet() }
    }

    /// Deletes pages without remaining segments.
    private func removeEmptyPages() async throws {
        // The last page determines the next number.
        let empty = state.withLock { $0.index.entries.dropLast().filter { $0.live == 0 } }
        guard !empty.isEmpty else { return }
        try await store.removeFiles(empty.map { name(ofPage: $0.first) }, of: recording)
        state.withLock { state in
            for entry in empty {
                state.index.remove(entry.first)
                state.mutablePages[entry.first] = nil
                state.recent.removeAll { $0.first == entry.first }
                state.removed.remove(contentsOf: entry.numbers)
            }
        }
    }

    /// Removes all segments. The timeline can't be used afterwards.
    ///
    /// - Parameter keepingMedia: Whether media, keys and sections remain, because an asset owns them now.
    package func removeAll(keepingMedia: Bool) async throws {
        try await changes.runUncancelled {
            for entry in state.withLock({ $0.index.entries }) {
                let page = try await pages([entry]).first
                if !keepingMedia, let page {
                    let companions = Set(page.segments.flatMap(\.conditions.companions)).map(\.name)
                    let names = page.segments.filter(\.hasMedia).map(\.name) + companions
                    try await store.removeParts(names.map { recording.storedName($0, track: track) })
                }
                try await store.removeFiles([name(ofPage: entry.first)], of: recording)
                state.withLock { state in
                    state.index.remove(entry.first)
                    state.mutablePages[entry.first] = nil
                    state.recent.removeAll { $0.first == entry.first }
                }
            }
            try await store.removeFiles([removedName], of: recording)
        }
    }
}

extension Timeline.State {
    /// Replaces a page with the version that was written to disk.
    fileprivate mutating func note(_ page: TimelinePage) {
        let entry = TimelineIndex.Entry(page, without: removed)
        index.set(entry)
        targetDuration = max(targetDuration, entry.targetDuration)
        if page.end > next {
            next = page.end
            unknown = 0
        }
        mutablePages[page.first] = page
        recent.removeAll { $0.first == page.first }
        let last = index.entries.last?.first
        for (first, page) in mutablePages where first != last && index.page(of: first)?.firstAwaited == nil {
            mutablePages[first] = nil
            remember(page)
        }
    }
}

extension RecordedSegment {
    /// Cuts the segment short at the start of the next.
    fileprivate mutating func end(before next: RecordedSegment) {
        overrun = min(duration, max(overrun, start.clampedSum(duration).clampedSum(-next.start)))
    }
}
