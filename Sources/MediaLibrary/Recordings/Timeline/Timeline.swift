internal import MediaCache
import Synchronization

/// The timeline of one track of a recording: its segments in order, in pages that are read when they're asked for.
///
/// A page is written anew when one of its segments changes, which is while it's the last one, or while segments of it are
/// awaited: so adding one costs the same however long the recording is. What is given up is a set of numbers in a file of
/// its own until a whole page is. One task changes it at a time; any may read.
package final class Timeline: Sendable {
    /// Pages that are remembered beside those that change.
    private static let mostRecent = 16

    private struct State {
        var index = TimelineIndex()
        /// Pages that may change: the last, and those with awaited segments.
        var hot: [Int64: TimelinePage] = [:]
        /// Pages that were read, the last one first.
        var recent: [TimelinePage] = []
        var gone = RangeSet<Int64>()
        var next: Int64 = 0

        /// Up to which number playlists may go.
        var edge: Int64 { hot.keys.compactMap { index.page(of: $0)?.firstAwaited }.min() ?? next }

        /// When what playlists may have ends; nil where there is nothing.
        var edgeTime: Int64? {
            let last = edge - 1
            guard let entry = index.page(of: last) else { return nil }
            return hot[entry.first]?[last]?.end ?? entry.end
        }
    }

    /// What its folder in URLs is called, as `video-1`.
    package let track: String
    private let recording: RecordingID
    private let store: any RecordingStore
    private let turns = Turns()
    private let state = Mutex(State())

    private init(track: String, of recording: RecordingID, in store: any RecordingStore) {
        self.track = track
        self.recording = recording
        self.store = store
    }

    // MARK: - Opening

    /// Opens a track's timeline; an empty one where nothing was recorded.
    ///
    /// A page that is damaged is left where it is, and what it tells of isn't served; its numbers aren't given again.
    ///
    /// - Throws: `CacheError` with `storage`.
    package static func open(
        track: String, of recording: RecordingID, in store: any RecordingStore
    ) async throws -> Timeline {
        let timeline = Timeline(track: track, of: recording, in: store)
        let names = try await store.files(of: recording)
        let firsts = names.compactMap(timeline.first(ofPage:)).sorted()
        let gone = try await store.read([timeline.goneName], of: recording)[0].flatMap(RangeSet.init(encoded:))
        var state = State()
        state.gone = gone ?? RangeSet()
        for start in stride(from: 0, to: firsts.count, by: 64) {
            let batch = firsts[start..<min(start + 64, firsts.count)]
            let files = try await store.read(batch.map(timeline.name(ofPage:)), of: recording)
            for (first, bytes) in zip(batch, files) {
                // Numbers of a page that can't be read aren't given again.
                state.next = max(state.next, first + Int64(TimelinePage.capacity))
                guard let page = bytes.flatMap(TimelinePage.init(encoded:)), page.first == first else { continue }
                state.next = page.end
                let entry = TimelineIndex.Entry(page, without: state.gone)
                state.index.set(entry)
                if entry.firstAwaited != nil || first == firsts.last { state.hot[first] = page }
            }
        }
        timeline.state.withLock { $0 = state }
        return timeline
    }

    private var goneName: String { "\(track).gone" }

    private func name(ofPage first: Int64) -> String { "\(track).\(first).page" }

    private func first(ofPage name: String) -> Int64? {
        guard name.hasPrefix(track + "."), name.hasSuffix(".page") else { return nil }
        return Int64(name.dropFirst(track.count + 1).dropLast(5))
    }

    // MARK: - What is known

    /// The number that the next segment gets.
    package var next: Int64 { state.withLock { $0.next } }

    /// Up to which number playlists may go: to the first that is awaited.
    package var edge: Int64 { state.withLock { $0.edge } }

    /// When what playlists may have ends, in nanoseconds since 1970; nil where there is nothing yet.
    package var edgeTime: Int64? { state.withLock { $0.edgeTime } }

    /// When the first page begins of which something is kept.
    package var start: Int64? { state.withLock { $0.index.entries.first?.start } }

    /// How many bytes and segments are kept, and how many segments are gaps, which last so many nanoseconds together.
    package var totals: (bytes: Int64, segments: Int, gaps: Int, gapDuration: Int64) {
        state.withLock { ($0.index.bytes, $0.index.kept, $0.index.gaps, $0.index.gapDuration) }
    }

    /// The last segment, whatever became of it.
    package var last: RecordedSegment? {
        state.withLock { state in state.hot.values.max { $0.first < $1.first }?.segments.last }
    }

    /// Segments that are awaited, in order.
    package var awaited: [RecordedSegment] {
        state.withLock { state in
            state.hot.values.flatMap { $0.segments.filter { $0.state == .awaited } }.sorted { $0.number < $1.number }
        }
    }

    /// Whether a number names a whole resource without anything around it, as far as that is known without reading.
    package func isPlain(_ number: Int64) -> Bool {
        state.withLock { state in
            !state.gone.contains(number) && state.index.page(of: number)?.isPlain == true
        }
    }

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

    /// A companion by its name, among those of the pages that need it.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func companion(_ name: String) async throws -> RecordedConditions.Companion? {
        guard let number = Int64(name.split(separator: "-").last?.prefix { $0 != "." } ?? "") else { return nil }
        let entries = state.withLock { state in state.index.entries.filter { $0.companions?.contains(number) == true } }
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
    /// - Throws: `CacheError` with `storage`.
    package func stretch(from start: Int64, to end: Int64) async throws -> TimelineStretch {
        let (entries, gone) = state.withLock { (Array($0.index.pages(from: start, to: end)), $0.gone) }
        let edge = edge
        var stretch = TimelineStretch(track: track)
        for page in try await pages(entries) {
            for segment in page.segments where segment.number < edge && segment.end > start && segment.start < end {
                guard !gone.contains(segment.number) else { continue }
                if stretch.segments.isEmpty {
                    let before = page.segments.prefix { $0.number < segment.number }
                    stretch.discontinuities = page.discontinuities + Int64(before.count { $0.isDiscontinuous })
                }
                stretch.segments.append(segment)
            }
        }
        return stretch
    }

    /// The stretches of time of which something is kept, in order, and each as long as it can be.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func kept() async throws -> [Range<Int64>] {
        let (entries, gone, edge) = (state.withLock { $0.index.entries }, state.withLock { $0.gone }, edge)
        var ranges: [Range<Int64>] = []
        func add(_ start: Int64, _ end: Int64) {
            guard start < end else { return }
            if let last = ranges.last, start - last.upperBound < 1_000_000_000 {
                ranges[ranges.count - 1] = last.lowerBound..<max(end, last.upperBound)
            } else {
                ranges.append(start..<end)
            }
        }
        for entry in entries {
            // Only pages of which a part was given up, or is awaited, have to be looked at.
            let isWhole = entry.numbers.upperBound <= edge && gone.intersection(RangeSet(entry.numbers)).isEmpty
            if isWhole {
                add(entry.start, entry.end)
            } else if let page = try await pages([entry]).first {
                for segment in page.segments where segment.number < edge && !gone.contains(segment.number) {
                    add(segment.start, segment.end)
                }
            }
        }
        return ranges
    }

    /// The first segment from a number on that is there still, and that doesn't begin in one of these stretches of time.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func first(from number: Int64, outside pinned: [Range<Int64>]) async throws -> RecordedSegment? {
        var number = number
        while true {
            let entry = state.withLock { state -> TimelineIndex.Entry? in
                number = state.gone.ranges.first { $0.contains(number) }?.upperBound ?? number
                let index = state.index.entries.partitioningIndex { $0.numbers.upperBound > number }
                return index < state.index.entries.count ? state.index.entries[index] : nil
            }
            guard let entry, let page = try await pages([entry]).first else { return nil }
            number = max(number, entry.first)
            guard let segment = page[number] else { return nil }
            if state.withLock({ $0.gone.contains(number) }) { continue }
            guard let pin = pinned.first(where: { segment.start < $0.upperBound && segment.end > $0.lowerBound }) else {
                return segment
            }
            // Behind what is pinned, however long that is.
            let behind = try await stretch(from: pin.upperBound, to: .max, atMost: 1).first?.number
            guard let behind else { return nil }
            number = max(number + 1, behind)
        }
    }

    private func stretch(from start: Int64, to end: Int64, atMost count: Int) async throws -> [RecordedSegment] {
        let entries = state.withLock { Array($0.index.pages(from: start, to: end).prefix(2)) }
        var found: [RecordedSegment] = []
        for page in try await pages(entries) {
            for segment in page.segments where segment.start >= start && found.count < count { found.append(segment) }
        }
        return found
    }

    // MARK: - Pages

    private func pages(_ entries: [TimelineIndex.Entry]) async throws -> [TimelinePage] {
        let known = state.withLock { state in
            entries.map { entry in state.hot[entry.first] ?? state.recent.first { $0.first == entry.first } }
        }
        let absent = zip(entries, known).filter { $0.1 == nil }.map(\.0.first)
        guard !absent.isEmpty else { return known.compactMap { $0 } }
        var read: [Int64: TimelinePage] = [:]
        let files = try await store.read(absent.map(name(ofPage:)), of: recording)
        for (first, bytes) in zip(absent, files) {
            // One that was given up meanwhile isn't there any more.
            read[first] = bytes.flatMap(TimelinePage.init(encoded:))
        }
        state.withLock { state in
            for first in absent.suffix(Self.mostRecent) {
                guard let page = read[first], state.hot[first] == nil else { continue }
                state.recent.removeAll { $0.first == first }
                state.recent.insert(page, at: 0)
            }
            state.recent = Array(state.recent.prefix(Self.mostRecent))
        }
        return zip(entries, known).compactMap { entry, page in page ?? read[entry.first] }
    }

    private func write(_ page: TimelinePage) async throws {
        try await store.write(page.encoded, as: name(ofPage: page.first), of: recording)
        state.withLock { state in
            let entry = TimelineIndex.Entry(page, without: state.gone)
            state.index.set(entry)
            state.next = max(state.next, page.end)
            state.hot[page.first] = page
            state.recent.removeAll { $0.first == page.first }
            for (first, page) in state.hot
            where first != state.index.entries.last?.first && !page.segments.contains(where: { $0.state == .awaited }) {
                state.hot[first] = nil
            }
        }
    }

    // MARK: - Changes

    /// Adds segments, numbered from ``next`` on. Returns when they're durable.
    ///
    /// - Throws: `CacheError` with `storage`; those that were written until then are there.
    package func append(_ segments: [RecordedSegment]) async throws {
        try await turns.take {
            var rest = segments[...]
            while let first = rest.first {
                var page = state.withLock { state -> TimelinePage in
                    if let last = state.index.entries.last, last.numbers.upperBound == first.number,
                        last.count < TimelinePage.capacity, let page = state.hot[last.first]
                    {
                        return page
                    }
                    let before = state.index.entries.last.map { $0.discontinuities + $0.ownDiscontinuities } ?? 0
                    return TimelinePage(first: first.number, discontinuities: before, segments: [])
                }
                let batch = rest.prefix(TimelinePage.capacity - page.segments.count)
                page.segments += batch
                rest = rest.dropFirst(batch.count)
                try await write(page)
            }
        }
    }

    /// Says what became of segments. Returns when that's durable.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func settle(_ segments: [RecordedSegment]) async throws {
        try await turns.take {
            var changed: [Int64: TimelinePage] = [:]
            for segment in segments {
                let first = state.withLock { $0.index.page(of: segment.number)?.first }
                guard let first, let page = changed[first] ?? state.withLock({ $0.hot[first] }) else { continue }
                changed[first] = page
                changed[first]?[segment.number] = segment
            }
            for page in changed.values.sorted(by: { $0.first < $1.first }) { try await write(page) }
        }
    }

    /// Gives segments up: they're out of the timeline, durably, before their bytes go.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func giveUp(_ numbers: [Int64]) async throws {
        guard !numbers.isEmpty else { return }
        try await turns.take {
            var gone = state.withLock { $0.gone }
            for number in numbers { gone.insert(contentsOf: number..<(number + 1)) }
            try await store.write(gone.encoded, as: goneName, of: recording)
            let firsts = Set(state.withLock { state in numbers.compactMap { state.index.page(of: $0)?.first } })
            var names: Set<String> = []
            for first in firsts.sorted() {
                guard let entry = state.withLock({ $0.index.page(of: first) }),
                    let page = try await pages([entry]).first
                else { continue }
                let own = Set(numbers).intersection(page.first..<page.end)
                for number in own {
                    guard let segment = page[number], segment.hasMedia else { continue }
                    names.insert(recording.keptName(segment.name, track: track))
                }
                state.withLock { state in
                    state.gone = gone
                    state.index.set(TimelineIndex.Entry(page, without: gone))
                }
            }
            state.withLock { $0.gone = gone }
            _ = try await store.removeParts(names.sorted())
            try await removeEmptyPages(firsts)
        }
    }

    /// Deletes pages of which nothing is left, and what only they needed.
    private func removeEmptyPages(_ firsts: Set<Int64>) async throws {
        for first in firsts.sorted() {
            let (entry, gone, isLast) = state.withLock { state in
                (state.index.page(of: first), state.gone, state.index.entries.last?.first == first)
            }
            // The last tells which number comes next.
            guard let entry, !isLast, RangeSet(entry.numbers).isSubset(of: gone),
                let page = try await pages([entry]).first
            else { continue }
            let needed = state.withLock { state in
                state.index.entries.filter { $0.first != first }.compactMap(\.companions)
            }
            let lost = Set(page.segments.flatMap(\.conditions.companions)).filter { companion in
                !needed.contains { $0.contains(companion.number) }
            }
            _ = try await store.removeParts(lost.map { recording.keptName($0.name, track: track) }.sorted())
            try await store.removeFiles([name(ofPage: first)], of: recording)
            state.withLock { state in
                state.index.remove(first)
                state.hot[first] = nil
                state.recent.removeAll { $0.first == first }
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
                    _ = try await store.removeParts(names.map { recording.keptName($0, track: track) })
                }
                try await store.removeFiles([name(ofPage: entry.first)], of: recording)
                state.withLock { state in
                    state.index.remove(entry.first)
                    state.hot[entry.first] = nil
                }
            }
            try await store.removeFiles([goneName], of: recording)
        }
    }

    /// Gives up again what an earlier process was ended over: its bytes may be here still.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func finishGivingUp() async throws {
        // Numbers of pages that are there still; a page at most is given up in part at each end of what is pinned.
        try await giveUp(
            state.withLock { state in state.gone.ranges.flatMap { Array($0.prefix(TimelinePage.capacity)) } })
    }
}

/// What is there of a stretch of time on one track.
package struct TimelineStretch: Sendable, Hashable {
    /// The track's folder.
    package var track: String
    /// How many discontinuities stand before the first segment (EXT-X-DISCONTINUITY-SEQUENCE, RFC 8216bis §4.4.3.3).
    package var discontinuities: Int64 = 0
    /// The segments, in order.
    package var segments: [RecordedSegment] = []
}

extension RangeSet<Int64> {
    /// As bytes, with a checksum at their end.
    var encoded: [UInt8] {
        var writer = VarintWriter()
        var last: Int64 = 0
        for range in ranges {
            writer.write(UInt64(range.lowerBound - last))
            writer.write(UInt64(range.count))
            last = range.upperBound
        }
        writer.write(fixed: writer.bytes.withUnsafeBytes { CRC32C.extend(with: $0) })
        return writer.bytes
    }

    /// Reads what ``encoded`` wrote; nil for anything else.
    init?(encoded bytes: [UInt8]) {
        var checksum = VarintReader(bytes.suffix(4))
        guard bytes.count >= 4,
            checksum.readFixed() == bytes.withUnsafeBytes({ CRC32C.extend(with: .init(rebasing: $0.dropLast(4))) })
        else { return nil }
        self.init()
        var reader = VarintReader(bytes.dropLast(4))
        var last: Int64 = 0
        while !reader.isAtEnd {
            guard let distance = reader.read(), let count = reader.read() else { return nil }
            let lower = last.clampedSum(Int64(clamping: distance))
            last = lower.clampedSum(Int64(clamping: count))
            insert(contentsOf: lower..<last)
        }
    }
}
