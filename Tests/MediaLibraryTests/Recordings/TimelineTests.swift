import HLS
import MediaCache
import Synchronization
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of a timeline's state and files.
struct TimelineTests {
    private let store = TimelineMemoryStore()
    private let recording = RecordingID()

    private func open(_ rows: [RecordedSegment] = []) async throws -> Timeline {
        let timeline = try await Timeline.open(track: "video-1", of: recording, in: store)
        if !rows.isEmpty { try await timeline.append(rows) }
        return timeline
    }

    @Test func emptyTimelineHasNoSegments() async throws {
        let timeline = try await open()
        #expect(timeline.next == 0)
        #expect(timeline.edge == 0)
        #expect(timeline.edgeTime == nil)
        #expect(timeline.start == nil)
        #expect(timeline.last == nil)
        #expect(timeline.recordedRanges() == [])
        #expect(try await timeline.range(from: .min, to: .max).segments == [])
        #expect(try await timeline.first(from: 0, outside: []) == nil)
        try await timeline.append([])
        try await timeline.finishRemoval()
        #expect(store.files == [:])
    }

    @Test func edgeIsFirstAwaitedSegment() async throws {
        let timeline = try await open(TimelineRows.awaited(100..<104))
        #expect(timeline.next == 104)
        #expect(timeline.edge == 100)
        #expect(timeline.edgeTime == nil)
        #expect(timeline.recordedRanges() == [])
        try await timeline.settle([TimelineRows.stored(101), TimelineRows.stored(102)])
        #expect(timeline.edge == 100)
        #expect(timeline.awaited.map(\.number) == [100, 103])
        var gap = TimelineRows.stored(100)
        gap.state = .gap
        try await timeline.settle([gap])
        #expect(timeline.edge == 103)
        #expect(timeline.edgeTime == TimelineRows.stored(102).end)
        #expect(try await timeline.range(from: .min, to: .max).segments.map(\.number) == [100, 101, 102])
        #expect(timeline.totals.segments == 2)
        #expect(timeline.totals.bytes == 2000)
        #expect(timeline.totals.gaps == 1)
        #expect(timeline.totals.gapDuration == 2 * TimelineRows.second)
        #expect(timeline.isPlain(101) == false)
        let again = try await open()
        #expect(again.next == 104)
        #expect(again.edge == 103)
        #expect(again.awaited.map(\.number) == [103])
        #expect(again.totals == timeline.totals)
    }

    @Test func lateSegmentDelaysEdge() async throws {
        let timeline = try await open(TimelineRows.awaited(0..<600))
        try await timeline.settle(TimelineRows.stored(1..<600))
        #expect(timeline.edge == 0)
        #expect(timeline.edgeTime == nil)
        #expect(timeline.recordedRanges() == [])
        #expect(timeline.pagesInMemory <= 3)
        try await timeline.settle([TimelineRows.stored(0)])
        #expect(timeline.edge == 600)
        #expect(timeline.recordedRanges() == [TimelineRows.stored(0).start..<TimelineRows.stored(599).end])
    }

    @Test func readsRowsInOrderAfterReopening() async throws {
        var random = SeededGenerator(seed: 1)
        let rows = TimelineRows.random(1500, from: 77, &random)
        let timeline = try await open()
        var rest = rows[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...40, using: &random)
            try await timeline.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        for timeline in [timeline, try await open()] {
            #expect(try await timeline.rows(from: 0) == rows)
            #expect(try await timeline.rows(from: 1000) == rows.filter { $0.number >= 1000 })
            #expect(try await timeline.range(from: .min, to: .max).segments == rows)
            for number in [77, 78, 332, 333, 1576] as [Int64] {
                #expect(try await timeline.segment(number) == rows[Int(number - 77)])
            }
            #expect(try await timeline.segment(76) == nil)
            #expect(try await timeline.segment(1577) == nil)
            #expect(timeline.next == 1577)
        }
        #expect(store.files.count == 6)
    }

    /// Compares time ranges, discontinuities and covered ranges with those found by searching all rows.
    @Test func timeRangesMatchAllRows() async throws {
        var random = SeededGenerator(seed: 2)
        let rows = TimelineRows.random(1200, &random)
        let timeline = try await open(rows)
        for _ in 0..<300 {
            let from = Int64.random(in: rows[0].start - 9...rows[1199].end + 9, using: &random)
            let to = from + Int64.random(in: 1...2000, using: &random) * TimelineRows.second
            let range = try await timeline.range(from: from, to: to)
            let expected = rows.filter { $0.end > from && $0.start < to }
            #expect(range.segments == expected)
            guard let first = expected.first else { continue }
            let before = rows.prefix { $0.number < first.number }.count { $0.isDiscontinuous }
            #expect(range.discontinuities == Int64(before))
            #expect(range.jumps == [:])
        }
        var ranges: [Range<Int64>] = []
        for row in rows {
            if let last = ranges.last, row.start - last.upperBound < TimelineRows.second {
                ranges[ranges.count - 1] = last.lowerBound..<row.end
            } else {
                ranges.append(row.start..<row.end)
            }
        }
        #expect(timeline.coveredRanges() == ranges)
        #expect(try await open().coveredRanges() == ranges)
    }

    /// An outage loses many segments, but is one gap.
    @Test func countsConsecutiveLostSegmentsAsOneGap() async throws {
        let lost: [Range<Int64>] = [100..<130, 250..<260, 400..<401]
        let rows = TimelineRows.stored(0..<600) { row in
            if lost.contains(where: { $0.contains(row.number) }) { row.state = .gap }
        }
        let timeline = try await open(rows)
        let bounds = [0..<100, 130..<250, 260..<400, 401..<600]
        let recorded = bounds.map { rows[$0.lowerBound].start..<rows[$0.upperBound - 1].end }
        for timeline in [timeline, try await open()] {
            #expect(timeline.totals.gaps == 3)
            #expect(timeline.totals.gapDuration == 82 * TimelineRows.second)
            #expect(timeline.recordedRanges() == recorded)
            #expect(timeline.coveredRanges() == [rows[0].start..<rows[599].end])
        }
        try await timeline.remove(Array(0..<256))
        #expect(timeline.totals.gaps == 2)
        try await timeline.append(TimelineRows.awaited(600..<602))
        try await timeline.settle(TimelineRows.stored(600..<602) { $0.state = .gap })
        #expect(timeline.totals.gaps == 3)
        #expect(timeline.recordedRanges().count == 2)
        #expect(timeline.recordedRanges().first?.lowerBound == rows[260].start)
    }

    @Test func removalDeletesRowsAndEmptyPages() async throws {
        let timeline = try await open(TimelineRows.stored(0..<600))
        store.state.withLock { $0.parts = Set(timeline.names(0..<600, recording)) }
        try await timeline.remove(Array(0..<300))
        #expect(store.parts == Set(timeline.names(300..<600, recording)))
        #expect(store.files.keys.sorted() == ["video-1.256.page", "video-1.512.page", "video-1.gone"])
        for timeline in [timeline, try await open()] {
            #expect(timeline.recordedRanges() == [TimelineRows.stored(300).start..<TimelineRows.stored(599).end])
            #expect(timeline.start == TimelineRows.stored(300).start)
            #expect(timeline.totals.bytes == 300_000)
            #expect(timeline.totals.segments == 300)
            #expect(try await timeline.segment(299) == nil)
            #expect(try await timeline.segment(300)?.number == 300)
            #expect(try await timeline.first(from: 0, outside: [])?.number == 300)
            #expect(try await timeline.range(from: .min, to: .max).segments.first?.number == 300)
            #expect(!timeline.isPlain(299))
            #expect(timeline.isPlain(300))
        }
        // When all segments are removed, the last page remains, because it determines the next number.
        try await timeline.remove(Array(300..<600))
        #expect(store.parts == [])
        #expect(store.files.keys.sorted() == ["video-1.512.page", "video-1.gone"])
        for timeline in [timeline, try await open()] {
            #expect(timeline.next == 600)
            #expect(timeline.recordedRanges() == [])
            #expect(timeline.start == nil)
        }
        try await timeline.append(TimelineRows.stored(600..<900))
        try await timeline.remove([600])
        #expect(store.files.keys.sorted() == ["video-1.512.page", "video-1.768.page", "video-1.gone"])
    }

    @Test func skipsPinnedSegments() async throws {
        let timeline = try await open(TimelineRows.stored(0..<1000))
        let time = { (number: Int64) in TimelineRows.stored(number).start }
        // Overlapping, separate and unordered ranges. The second begins and ends within a segment.
        let pinned = [time(700)..<time(900), time(2) + 5..<time(600) + 5, time(500)..<time(650)]
        let expected: [(from: Int64, first: Int64?)] = [
            (0, 0), (1, 1), (2, 650), (300, 650), (651, 651), (699, 699), (700, 900), (1000, nil),
        ]
        for (from, first) in expected {
            #expect(try await timeline.first(from: from, outside: pinned)?.number == first, "from \(from)")
        }
        #expect(try await timeline.first(from: 0, outside: [.min..<time(999)])?.number == 999)
        #expect(try await timeline.first(from: 0, outside: [.min..<Int64.max]) == nil)
        try await timeline.remove(Array(650..<700))
        #expect(try await timeline.first(from: 2, outside: pinned)?.number == 900)
    }

    @Test func removesCompanionsWithLastDependentSegment() async throws {
        let timeline = try await open()
        let rows = TimelineRows.stored(0..<700) { row in
            // Key 1 is used at first and once much later, key 2 in the middle, and section 9 throughout.
            let number = row.number
            row.conditions = TimelineRows.conditions(
                key: number < 250 || number == 600 ? 1 : number < 400 ? 2 : nil, map: 9)
        }
        try await timeline.append(rows)
        store.state.withLock { state in
            state.parts = Set(
                rows.flatMap { row in
                    ([row.name] + row.conditions.companions.map(\.name)).map {
                        recording.storedName($0, track: "video-1")
                    }
                })
        }
        func has(_ name: String) -> Bool { store.parts.contains(recording.storedName(name, track: "video-1")) }
        func remove(_ numbers: Range<Int64>) async throws { try await timeline.remove(Array(numbers)) }
        try await remove(0..<399)
        #expect(has("key-1.key.ts") && has("key-2.key.ts") && has("init-9.mp4"))
        #expect(try await timeline.companion("key-2.key.ts")?.number == 2)
        try await remove(399..<400)
        #expect(has("key-1.key.ts") && !has("key-2.key.ts") && has("init-9.mp4"))
        #expect(try await timeline.companion("key-2.key.ts") == nil)
        try await remove(400..<600)
        #expect(has("key-1.key.ts") && has("init-9.mp4"))
        try await remove(600..<601)
        #expect(!has("key-1.key.ts") && has("init-9.mp4"))
        #expect(try await timeline.companion("init-9.mp4")?.name == "init-9.mp4")
        try await remove(601..<700)
        #expect(store.parts == [])
    }

    @Test func removeAllDeletesEverything() async throws {
        let timeline = try await open(TimelineRows.stored(0..<600))
        store.state.withLock { $0.parts = Set(timeline.names(0..<600, recording)) }
        try await timeline.remove([5])
        try await timeline.removeAll(keepingMedia: false)
        #expect(store.parts == [])
        #expect(store.files == [:])
    }

    // MARK: - Durations that are too long

    /// By the clock, each segment begins before the previous one ends. Rows must not overlap within a page, across
    /// pages, after reopening, or when they are settled with earlier values.
    @Test(arguments: [1, 7, 256, 300]) func segmentsDoNotOverlap(batch: Int) async throws {
        let (recording, store) = (RecordingID(), TimelineMemoryStore())
        let timeline = try await Timeline.open(track: "video-1", of: recording, in: store)
        let step = 1_920_000_000 as Int64
        let rows = TimelineRows.stored(0..<600) { row in
            row.start = TimelineRows.epoch + row.number * step
            row.state = .awaited
        }
        for start in stride(from: 0, to: rows.count, by: batch) {
            try await timeline.append(Array(rows[start..<min(start + batch, rows.count)]))
        }
        try await timeline.settle(
            rows.map { row in
                var row = row
                row.state = .stored
                return row
            })
        for timeline in [timeline, try await Timeline.open(track: "video-1", of: recording, in: store.reopened())] {
            let found = try await timeline.rows(from: 0)
            #expect(found.map(\.start) == rows.map(\.start))
            #expect(found.dropLast().allSatisfy { $0.end == $0.start + step && $0.duration == 2 * TimelineRows.second })
            #expect(timeline.recordedRanges() == [rows[0].start..<rows[599].end])
            // Exactly one segment is in progress at any time.
            for number in [0, 255, 256, 400] as [Int64] {
                let start = TimelineRows.epoch + number * step
                for moment in [start, start + step - 1] {
                    let range = try await timeline.range(from: moment, to: moment + 1)
                    #expect(range.segments.map(\.number) == [number])
                }
            }
        }
        // A window's playlist has a date for each of them and the durations of the original playlist.
        let range = try await timeline.range(from: rows[250].start, to: rows[260].start)
        let text = String(decoding: WindowPlaylist(range: range, isOver: true).bytes, as: UTF8.self)
        let playlist = try WindowFixture.parsed(text)
        #expect(playlist.segments.map { $0.programDateTime?.nanosecondsSinceEpoch } == rows[250..<260].map(\.start))
        #expect(playlist.segments.allSatisfy { $0.duration.nanoseconds == 2 * TimelineRows.second })
    }
}

extension Timeline {
    func names(_ numbers: Range<Int64>, _ recording: RecordingID) -> [String] {
        numbers.map { recording.storedName("\($0).ts", track: track) }
    }
}
