import MediaCache
import Synchronization
import Testing

@testable import MediaLibrary

/// Tests that the cost of timelines doesn't depend on their length.
struct TimelineCostTests {
    private let recording = RecordingID()

    private func filled(_ count: Int64) async throws -> (TimelineMemoryStore, Timeline) {
        let store = TimelineMemoryStore()
        let timeline = try await Timeline.open(track: "video-1", of: recording, in: store)
        // Adds batches of ten pages, because the cost of single segments is tested separately.
        for start in stride(from: 0 as Int64, to: count, by: 2560) {
            try await timeline.append(TimelineRows.stored(start..<min(start + 2560, count)))
        }
        return (store, timeline)
    }

    private func add(_ number: Int64, to timeline: Timeline) async throws {
        try await timeline.append(TimelineRows.awaited(number..<number + 1))
        try await timeline.settle([TimelineRows.stored(number)])
    }

    @Test func costOfAppendingIsIndependentOfLength() async throws {
        let (short, early) = try await filled(300)
        let (long, late) = try await filled(130_000)
        // Both are at the same position in a page: 300 and 130,092 are each the 45th segment of their page.
        try await late.append(TimelineRows.stored(130_000..<130_092))
        let atStart = try await short.counting { try await add(300, to: early) }
        let atEnd = try await long.counting { try await add(130_092, to: late) }
        #expect(atStart.reads == 0 && atEnd.reads == 0)
        #expect(atStart.writes == 2 && atEnd.writes == 2)
        #expect(atEnd.bytesWritten < atStart.bytesWritten * 3 / 2)
        #expect(late.pagesInMemory <= early.pagesInMemory + 17)
    }

    @Test func memoryIsLimited() async throws {
        let (store, timeline) = try await filled(20_000)
        #expect(timeline.pagesInMemory <= 17)
        _ = try await timeline.range(from: .min, to: .max)
        #expect(timeline.pagesInMemory <= 17)
        let again = try await Timeline.open(track: "video-1", of: recording, in: store)
        #expect(again.pagesInMemory == 1)
        for number in stride(from: 0 as Int64, to: 20_000, by: 97) { _ = try await again.segment(number) }
        #expect(again.pagesInMemory <= 17)
    }

    @Test func readingAnHourReadsFewPages() async throws {
        let (store, timeline) = try await filled(20_000)
        let start = TimelineRows.stored(10_000).start
        let counts = try await store.counting {
            let range = try await timeline.range(from: start, to: start + 3600 * TimelineRows.second)
            #expect(range.segments.count == 1800)
        }
        #expect(counts.reads <= 9)
        // The live edge is in memory.
        let edge = try #require(timeline.edgeTime)
        let live = try await store.counting {
            let range = try await timeline.range(from: edge - 60 * TimelineRows.second, to: edge)
            #expect(range.segments.count == 30)
        }
        #expect(live.reads == 0)
        let known = store.state.withLock { $0.counts }
        #expect(timeline.recordedRanges().count == 1)
        #expect(store.state.withLock { $0.counts } == known)
    }

    @Test func findingSegmentsReadsOnlyTheirPages() async throws {
        let store = TimelineMemoryStore()
        let timeline = try await Timeline.open(track: "video-1", of: recording, in: store)
        let gaps: [Int64] = [100, 5000, 9000]
        for start in stride(from: 0 as Int64, to: 20_000, by: 2560) {
            try await timeline.append(
                TimelineRows.stored(start..<min(start + 2560, 20_000)) { row in
                    if gaps.contains(row.number) { row.state = .gap }
                })
        }
        func find(after number: Int64?, gapsOnly: Bool, limit: Int, reads: Int) async throws -> [Int64] {
            var numbers: [Int64] = []
            let counts = try await store.counting {
                numbers = try await timeline.segments(
                    from: .min, to: .max, after: number, gapsOnly: gapsOnly, limit: limit
                ).map(\.number)
            }
            #expect(counts.reads <= reads)
            return numbers
        }
        #expect(try await find(after: nil, gapsOnly: false, limit: 300, reads: 2) == Array(0..<300))
        #expect(try await find(after: 9_999, gapsOnly: false, limit: 2, reads: 1) == [10_000, 10_001])
        #expect(try await find(after: 19_997, gapsOnly: false, limit: 10, reads: 1) == [19_998, 19_999])
        #expect(try await find(after: nil, gapsOnly: true, limit: 10, reads: 3) == gaps)
        #expect(try await find(after: 100, gapsOnly: true, limit: 1, reads: 2) == [5000])
        #expect(try await find(after: 9000, gapsOnly: true, limit: 1, reads: 1) == [])
    }

    @Test func removalReadsAndWritesOnlyAffectedPages() async throws {
        let (store, timeline) = try await filled(20_000)
        var cost = TimelineMemoryStore.Counts()
        for number in 0..<1024 as Range<Int64> {
            let one = try await store.counting { try await timeline.remove([number]) }
            cost.reads += one.reads
            cost.writes += one.writes
            cost.removals += one.removals
            cost.bytesWritten += one.bytesWritten
        }
        #expect(cost.reads == 4)
        #expect(cost.writes == 1024)
        #expect(cost.removals == 4)
        #expect(cost.bytesWritten < 1024 * 64)
        let many = try await store.counting { try await timeline.remove(Array(1024..<1324)) }
        #expect(many.reads == 2)
        #expect(many.writes == 1)
        #expect(many.removals == 1)
    }

    @Test func storesThreeTracksInFolder() async throws {
        let fixture = LibraryFixture()
        let store = try await fixture.open()
        let recordingStore = CacheRecordingStore(store)
        for track in ["video-1", "video-2", "audio-1"] {
            let timeline = try await Timeline.open(track: track, of: recording, in: recordingStore)
            try await timeline.append(TimelineRows.stored(0..<3000))
            try await timeline.remove(Array(0..<1000))
        }
        for track in ["video-1", "video-2", "audio-1"] {
            let timeline = try await Timeline.open(track: track, of: recording, in: recordingStore)
            #expect(timeline.next == 3000)
            #expect(timeline.totals.segments == 2000)
            #expect(try await timeline.range(from: .min, to: .max).segments.count == 2000)
            try await timeline.finishRemoval()
            try await timeline.removeAll(keepingMedia: false)
        }
        #expect(try await recordingStore.files(of: recording) == [])
        await store.close()
    }
}
