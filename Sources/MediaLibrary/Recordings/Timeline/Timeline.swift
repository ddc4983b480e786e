internal import MediaCache
import Synchronization

/// The timeline of one track of a recording: its segments in order, in pages that are read when they're asked for.
///
/// A page is written anew when one of its segments changes, which is while it's the last one, or while segments of it are
/// awaited: so adding one costs the same however long the recording is. What is given up is a set of numbers in a file of
/// its own until a whole page is. One task changes it at a time; any may read.
package final class Timeline: Sendable {
    /// Pages that are remembered beside those that change.
    static let mostRecent = 16

    struct State {
        var index = TimelineIndex() { didSet { revision += 1 } }
        /// Pages that may change: the last, and those with awaited segments.
        var hot: [Int64: TimelinePage] = [:] { didSet { revision += 1 } }
        /// Pages that were read, the last one first.
        var recent: [TimelinePage] = []
        /// The numbers in pages that are there which were given up.
        var gone = RangeSet<Int64>() { didSet { revision += 1 } }
        /// Where it's the same as before, all windows are.
        private(set) var revision = 0
        /// Those of them whose bytes may be here still.
        var unfinished = RangeSet<Int64>()
        var next: Int64 = 0
        /// The longest target duration of all pages since it was opened, in seconds: playlists that slide keep theirs
        /// (RFC 8216bis §6.2.1).
        var targetDuration = 1
        /// The number of index entries that were passed over one by one, for tests of what a long recording costs.
        var entriesPassed = 0
        /// How many numbers behind the last page can't be read: each may have a discontinuity.
        var unknown: Int64 = 0

        /// How many discontinuities there are up to the last segment.
        var discontinuities: Int64 {
            (index.entries.last.map { $0.discontinuities + $0.ownDiscontinuities } ?? 0) + unknown
        }

        /// Up to which number playlists may go.
        var edge: Int64 { hot.keys.compactMap { index.page(of: $0)?.firstAwaited }.min() ?? next }

        /// When what playlists may have ends; nil where there is nothing.
        var edgeTime: Int64? {
            let edge = edge
            guard let entry = index.lastPage(before: edge) else { return nil }
            return hot[entry.first]?[edge - 1]?.end ?? entry.end
        }

        mutating func remember(_ page: TimelinePage) {
            recent.removeAll { $0.first == page.first }
            recent.insert(page, at: 0)
            if recent.count > Timeline.mostRecent { recent.removeLast(recent.count - Timeline.mostRecent) }
        }
    }

    /// What its folder in URLs is called, as `video-1`.
    package let track: String
    let recording: RecordingID
    let store: any RecordingStore
    let turns = Turns()
    let state = Mutex(State())

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
        var readable = RangeSet<Int64>()
        for start in stride(from: 0, to: firsts.count, by: 64) {
            let batch = firsts[start..<min(start + 64, firsts.count)]
            let files = try await store.read(batch.map(timeline.name(ofPage:)), of: recording)
            for (first, bytes) in zip(batch, files) {
                guard let page = bytes.flatMap(TimelinePage.init(encoded:)), page.first == first else {
                    // Numbers of a page that can't be read aren't given again.
                    let end = first + Int64(TimelinePage.capacity)
                    // Nor is any discontinuity counted that it may have had.
                    state.unknown += state.index.entries.isEmpty ? end : end - state.next
                    state.next = max(state.next, end)
                    continue
                }
                state.next = page.end
                state.unknown = 0
                readable.insert(contentsOf: page.first..<page.end)
                let entry = TimelineIndex.Entry(page, without: gone ?? RangeSet())
                state.index.set(entry)
                state.targetDuration = max(state.targetDuration, entry.targetDuration)
                if entry.firstAwaited != nil || first == firsts.last { state.hot[first] = page }
            }
        }
        state.gone = gone?.intersection(readable) ?? RangeSet()
        state.unfinished = state.gone
        timeline.state.withLock { $0 = state }
        return timeline
    }

    var goneName: String { "\(track).gone" }

    func name(ofPage first: Int64) -> String { "\(track).\(first).page" }

    private func first(ofPage name: String) -> Int64? {
        guard name.hasPrefix(track + "."), name.hasSuffix(".page"),
            let first = Int64(name.dropFirst(track.count + 1).dropLast(5)), (0...Int64.max >> 1).contains(first)
        else { return nil }
        return first
    }

    // MARK: - What is known

    /// The number that the next segment gets.
    package var next: Int64 { state.withLock { $0.next } }

    /// How many discontinuities there are up to the last segment.
    var discontinuities: Int64 { state.withLock { $0.discontinuities } }

    /// Up to which number playlists may go: to the first that is awaited.
    package var edge: Int64 { state.withLock { $0.edge } }

    /// When what playlists may have ends, in nanoseconds since 1970; nil where there is nothing yet.
    package var edgeTime: Int64? { state.withLock { $0.edgeTime } }

    /// When the first begins that wasn't given up.
    package var start: Int64? {
        state.withLock { state in
            let index = state.index.entries.firstIndex { !$0.spans.isEmpty }
            state.entriesPassed += (index ?? state.index.entries.count - 1) + 1
            return index.flatMap { state.index.entries[$0].spans.first?.lowerBound }
        }
    }

    /// How many bytes and segments are kept, and how many segments are gaps, which last so many nanoseconds together.
    package var totals: (bytes: Int64, segments: Int, gaps: Int, gapDuration: Int64) {
        state.withLock { ($0.index.bytes, $0.index.kept, $0.index.gaps, $0.index.gapDuration) }
    }

    /// The longest target duration that any of its segments needs or has needed, in seconds.
    var targetDuration: Int { state.withLock { $0.targetDuration } }

    /// What tells its state from those before: where it's the same, all windows are.
    var revision: Int { state.withLock { $0.revision } }

    /// The number of index entries that were passed over one by one since it was opened.
    var entriesPassed: Int { state.withLock { $0.entriesPassed } }

    /// How many pages are in memory.
    package var pagesInMemory: Int { state.withLock { $0.hot.count + $0.recent.count } }

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

    /// The stretches of time of which something is there, up to the edge: in order, and each as long as it can be. Nothing
    /// is read for it.
    ///
    /// - Parameter isOver: whether awaited segments count as gaps, so that those behind them are included.
    package func kept(isOver: Bool = false) -> [Range<Int64>] {
        state.withLock { state in
            let edge = isOver ? state.next : state.edge
            state.entriesPassed += state.index.entries.count
            var ranges: [Range<Int64>] = []
            for entry in state.index.entries where entry.first < edge {
                if entry.numbers.upperBound <= edge {
                    for span in entry.spans { ranges.join(span.lowerBound, span.upperBound) }
                } else if let page = state.hot[entry.first] {
                    for segment in page.segments where segment.number < edge && !state.gone.contains(segment.number) {
                        ranges.join(segment.start, segment.end)
                    }
                }
            }
            return ranges
        }
    }
}
