internal import MediaCache
import Synchronization

/// The timeline of one track of a recording: its segments in order, in pages that are read on demand.
///
/// A page is rewritten when one of its segments changes. Only the last page and those with awaited segments change, so
/// the cost of appending is independent of the recording's length. The numbers of removed segments are stored in a
/// separate file until their whole page is removed. Changes are serialized. Methods throw `CacheError` with `storage`.
package final class Timeline: Sendable {
    /// The maximum number of pages in memory, in addition to those that may change.
    static let maximumRecent = 16
    /// The maximum number of pages that a search reads at once.
    static let maximumBatch = 32

    struct State {
        var index = TimelineIndex() { didSet { revision += 1 } }
        /// The pages that may change: the last one, and those with awaited segments.
        var mutablePages: [Int64: TimelinePage] = [:] { didSet { revision += 1 } }
        /// The pages most recently read from disk or no longer mutable, the latest first.
        var recent: [TimelinePage] = []
        /// The removed numbers in existing pages.
        var removed = RangeSet<Int64>() { didSet { revision += 1 } }
        /// A counter of changes. Windows are unchanged as long as it is.
        private(set) var revision = 0
        /// The removed numbers whose bytes may not be deleted yet.
        var undeleted = RangeSet<Int64>()
        var next: Int64 = 0
        /// The longest target duration of all pages since opening, in seconds. The target duration of a sliding
        /// playlist must not change (RFC 8216bis §6.2.1).
        var targetDuration = 1
        /// The number of index entries visited so far, by which tests measure the cost of long recordings.
        var entriesPassed = 0
        /// The maximum number of segments in unreadable pages after the last readable one. Each segment may have had a
        /// discontinuity.
        var unknown: Int64 = 0

        var discontinuities: Int64 {
            (index.entries.last.map { $0.discontinuities + $0.ownDiscontinuities } ?? 0) + unknown
        }

        var edge: Int64 { mutablePages.keys.compactMap { index.page(of: $0)?.firstAwaited }.min() ?? next }

        var edgeTime: Int64? {
            let edge = edge
            guard let entry = index.lastPage(before: edge) else { return nil }
            return mutablePages[entry.first]?[edge - 1]?.end ?? entry.end
        }

        mutating func remember(_ page: TimelinePage) {
            recent.removeAll { $0.first == page.first }
            recent.insert(page, at: 0)
            if recent.count > Timeline.maximumRecent { recent.removeLast(recent.count - Timeline.maximumRecent) }
        }
    }

    /// The folder in URLs, for example `video-1`.
    package let track: String
    let recording: RecordingID
    let store: any RecordingStore
    let changes = ConcurrencyLimit()
    let state = Mutex(State())

    private init(track: String, of recording: RecordingID, in store: any RecordingStore) {
        self.track = track
        self.recording = recording
        self.store = store
    }

    // MARK: - Opening

    /// Opens a track's timeline, which is empty if nothing was recorded.
    ///
    /// Damaged pages stay on disk. Their segments aren't served and their numbers aren't reused.
    package static func open(
        track: String, of recording: RecordingID, in store: any RecordingStore
    ) async throws -> Timeline {
        let timeline = Timeline(track: track, of: recording, in: store)
        let names = try await store.files(of: recording)
        let firsts = names.compactMap(timeline.first(ofPage:)).sorted()
        let removed = try await store.read([timeline.removedName], of: recording)[0].flatMap(RangeSet.init(encoded:))
        var state = State()
        var readable = RangeSet<Int64>()
        for start in stride(from: 0, to: firsts.count, by: 64) {
            let batch = firsts[start..<min(start + 64, firsts.count)]
            let files = try await store.read(batch.map(timeline.name(ofPage:)), of: recording)
            for (first, bytes) in zip(batch, files) {
                guard let page = bytes.flatMap(TimelinePage.init(encoded:)), page.first == first else {
                    // The numbers of an unreadable page aren't reused.
                    let end = first + Int64(TimelinePage.capacity)
                    // Each segment after the last readable page, or since the beginning if there is none, may have had a discontinuity.
                    state.unknown += state.index.entries.isEmpty ? end : end - state.next
                    state.next = max(state.next, end)
                    continue
                }
                state.next = page.end
                state.unknown = 0
                readable.insert(contentsOf: page.first..<page.end)
                let entry = TimelineIndex.Entry(page, without: removed ?? RangeSet())
                state.index.set(entry)
                state.targetDuration = max(state.targetDuration, entry.targetDuration)
                if entry.firstAwaited != nil || first == firsts.last { state.mutablePages[first] = page }
            }
        }
        state.removed = removed?.intersection(readable) ?? RangeSet()
        state.undeleted = state.removed
        timeline.state.withLock { $0 = state }
        return timeline
    }

    var removedName: String { "\(track).gone" }

    func name(ofPage first: Int64) -> String { "\(track).\(first).page" }

    private func first(ofPage name: String) -> Int64? {
        guard name.hasPrefix(track + "."), name.hasSuffix(".page"),
            let first = Int64(name.dropFirst(track.count + 1).dropLast(5)), (0...Int64.max >> 1).contains(first)
        else { return nil }
        return first
    }

    // MARK: - State

    /// The number of the next segment.
    package var next: Int64 { state.withLock { $0.next } }

    /// The number of discontinuities up to the last segment.
    var discontinuities: Int64 { state.withLock { $0.discontinuities } }

    /// The number before which playlists end: that of the first awaited segment, otherwise ``next``.
    package var edge: Int64 { state.withLock { $0.edge } }

    /// The end of the segments before ``edge``, in nanoseconds since 1970; nil without segments.
    package var edgeTime: Int64? { state.withLock { $0.edgeTime } }

    /// The start of the first remaining segment, in nanoseconds since 1970; nil without segments.
    package var start: Int64? {
        state.withLock { state in
            let index = state.index.entries.firstIndex { !$0.spans.isEmpty }
            state.entriesPassed += (index ?? state.index.entries.count - 1) + 1
            return index.flatMap { state.index.entries[$0].spans.first?.lowerBound }
        }
    }

    /// The numbers of cached bytes, cached segments and gaps, and the total duration of the gaps in nanoseconds.
    /// Consecutive lost segments are one gap.
    package var totals: (bytes: Int64, segments: Int, gaps: Int, gapDuration: Int64) {
        state.withLock { ($0.index.bytes, $0.index.stored, $0.index.gaps, $0.index.gapDuration) }
    }

    /// The number of segments in any state that weren't removed.
    var segmentCount: Int { state.withLock { $0.index.live } }

    var targetDuration: Int { state.withLock { $0.targetDuration } }

    var revision: Int { state.withLock { $0.revision } }

    var entriesPassed: Int { state.withLock { $0.entriesPassed } }

    package var pagesInMemory: Int { state.withLock { $0.mutablePages.count + $0.recent.count } }

    /// The last segment, in any state.
    package var last: RecordedSegment? {
        state.withLock { state in state.mutablePages.values.max { $0.first < $1.first }?.segments.last }
    }

    /// The awaited segments, in order.
    package var awaited: [RecordedSegment] {
        state.withLock { state in
            state.mutablePages.values.flatMap { $0.segments.filter { $0.state == .awaited } }.sorted {
                $0.number < $1.number
            }
        }
    }

    /// Returns whether the index shows that a segment is cached as a whole resource without wrapping.
    package func isPlain(_ number: Int64) -> Bool {
        state.withLock { state in
            !state.removed.contains(number) && state.index.page(of: number)?.isPlain == true
        }
    }

    /// Returns the recorded time ranges up to the edge, in order and merged, without gaps of a second or more. Reads no
    /// pages.
    ///
    /// - Parameter isOver: Whether the ranges include awaited segments and those after them.
    package func recordedRanges(isOver: Bool = false) -> [Range<Int64>] {
        let (covered, gaps) = ranges(isOver: isOver)
        return covered.excluding(gaps: gaps)
    }

    /// Returns the time ranges up to the edge that have segments in any state, in order and merged. Reads no pages.
    ///
    /// - Parameter isOver: Whether awaited segments count as gaps, so that later segments are included.
    package func coveredRanges(isOver: Bool = false) -> [Range<Int64>] { ranges(isOver: isOver).covered }

    /// Returns ``coveredRanges(isOver:)``, and the time ranges of gaps among them.
    private func ranges(isOver: Bool) -> (covered: [Range<Int64>], gaps: [Range<Int64>]) {
        state.withLock { state in
            let edge = isOver ? state.next : state.edge
            state.entriesPassed += state.index.entries.count
            var (covered, gaps): ([Range<Int64>], [Range<Int64>]) = ([], [])
            for entry in state.index.entries where entry.first < edge {
                if entry.numbers.upperBound <= edge {
                    for span in entry.spans { covered.join(span.lowerBound, span.upperBound) }
                    for gap in entry.gapSpans { gaps.joinAdjacent(gap) }
                } else if let page = state.mutablePages[entry.first] {
                    for segment in page.segments where segment.number < edge && !state.removed.contains(segment.number)
                    {
                        covered.join(segment.start, segment.end)
                        if segment.state == .gap, segment.start < segment.end {
                            gaps.joinAdjacent(segment.start..<segment.end)
                        }
                    }
                }
            }
            return (covered, gaps)
        }
    }
}

extension RangeSet<Int64> {
    /// The set as bytes, ending with a checksum. The numbers must not be negative.
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

    /// Decodes ``encoded``. Returns nil if the bytes are invalid.
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
