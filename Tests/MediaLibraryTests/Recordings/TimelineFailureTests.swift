import MediaCache
import MediaCacheTesting
import Synchronization
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of timelines whose store fails, whose process ends, or whose files are damaged.
@Suite(.timeLimit(.minutes(60)))
struct TimelineFailureTests {
    private let recording = RecordingID()

    private func open(_ store: TimelineMemoryStore, _ rows: [RecordedSegment] = []) async throws -> Timeline {
        let timeline = try await Timeline.open(track: "video-1", of: recording, in: store)
        if !rows.isEmpty { try await timeline.append(rows) }
        return timeline
    }

    @Test func failedAppendAddsNoSegments() async throws {
        let store = TimelineMemoryStore()
        let timeline = try await open(store, TimelineRows.stored(0..<250))
        // The open page and the next one can be written, but the one after that can't.
        store.fail { $0.contains(".512.") }
        await #expect(throws: CacheError.self) { try await timeline.append(TimelineRows.stored(250..<600)) }
        #expect(timeline.next == 250)
        #expect(timeline.edge == 250)
        #expect(timeline.totals.segments == 250)
        #expect(try await timeline.rows(from: 0).count == 250)
        store.fail(nil)
        // The playlist has moved on: fewer segments, with other URLs, begin at the same number.
        let others = TimelineRows.stored(250..<300) { $0.url = "other-\($0.number).ts" }
        try await timeline.append(others)
        for timeline in [timeline, try await open(store)] {
            #expect(timeline.next == 300)
            #expect(try await timeline.rows(from: 0) == TimelineRows.stored(0..<250) + others)
        }
    }

    @Test func doesNotAppendExistingNumbers() async throws {
        let store = TimelineMemoryStore()
        let timeline = try await open(store, TimelineRows.stored(0..<300))
        try await timeline.append(TimelineRows.stored(290..<310))
        #expect(try await timeline.rows(from: 0) == TimelineRows.stored(0..<310))
        #expect(try await open(store).rows(from: 0) == TimelineRows.stored(0..<310))
    }

    @Test func retriesFailedSettling() async throws {
        let store = TimelineMemoryStore()
        let timeline = try await open(store, TimelineRows.awaited(0..<300))
        store.fail { $0.contains(".256.") }
        await #expect(throws: CacheError.self) { try await timeline.settle(TimelineRows.stored(250..<260)) }
        #expect(timeline.edge == 0)
        store.fail(nil)
        try await timeline.settle(TimelineRows.stored(0..<300))
        #expect(timeline.edge == 300)
        #expect(try await open(store).rows(from: 0) == TimelineRows.stored(0..<300))
    }

    @Test func removalContinuesAfterFailure() async throws {
        let store = TimelineMemoryStore()
        let timeline = try await open(store, TimelineRows.stored(0..<600))
        store.state.withLock { $0.parts = Set(timeline.names(0..<600, recording)) }
        store.fail { $0.hasSuffix(".gone") }
        await #expect(throws: CacheError.self) { try await timeline.remove([0, 1]) }
        #expect(try await timeline.segment(0)?.number == 0)
        store.fail { $0.hasSuffix("/1.ts") }
        await #expect(throws: CacheError.self) { try await timeline.remove([0, 1, 2]) }
        // The segments are removed from the timeline, although their bytes remain.
        #expect(try await timeline.first(from: 0, outside: [])?.number == 3)
        #expect(store.parts.count == 600)
        store.fail(nil)
        try await timeline.remove([3])
        #expect(store.parts.count == 596)
    }

    @Test func finishesInterruptedRemovalLater() async throws {
        let store = TimelineMemoryStore()
        let timeline = try await open(store, TimelineRows.stored(0..<2000))
        store.state.withLock { $0.parts = Set(timeline.names(0..<2000, recording)) }
        // The process ends after writing only the numbers.
        store.crash(.init(change: 1, isMade: false))
        await #expect(throws: CacheError.self) { try await timeline.remove(Array(100..<1900)) }
        let next = store.reopened()
        let again = try await open(next)
        #expect(next.parts.count == 2000)
        try await again.finishRemoval()
        #expect(next.parts == Set(timeline.names(0..<100, recording) + timeline.names(1900..<2000, recording)))
        #expect(next.files.keys.sorted() == ["video-1.0.page", "video-1.1792.page", "video-1.gone"])
        #expect(again.recordedRanges().count == 2)
    }

    // MARK: - Damage

    @Test(arguments: [0, 256, 512] as [Int64])
    func omitsDamagedPage(_ damaged: Int64) async throws {
        let store = TimelineMemoryStore()
        var random = SeededGenerator(seed: 5)
        let rows = TimelineRows.random(600, &random)
        try await open(store).append(rows)
        store.damage("video-1.\(damaged).page") { $0[$0.count / 2] ^= 0x40 }
        let timeline = try await open(store)
        let bad = damaged..<min(damaged + 256, 600)
        #expect(timeline.next == (damaged == 512 ? 768 : 600))
        #expect(timeline.edge == timeline.next)
        #expect(timeline.edgeTime == rows.last { !bad.contains($0.number) }?.end)
        let range = try await timeline.range(from: .min, to: .max)
        #expect(range.segments == rows.filter { !bad.contains($0.number) })
        for row in rows { #expect(try await timeline.segment(row.number) == (bad.contains(row.number) ? nil : row)) }
        let next = timeline.next
        var added = TimelineRows.stored(next, from: TimelineRows.epoch * 2)
        added.isDiscontinuous = true
        try await timeline.append([added])
        for timeline in [timeline, try await open(store)] {
            #expect(timeline.next == next + 1)
            #expect(try await timeline.segment(next) == added)
            let last = try await timeline.range(from: added.start, to: .max)
            // The count must not be too low.
            #expect(last.discontinuities >= rows.count { $0.isDiscontinuous })
        }
        #expect(store.files["video-1.\(damaged).page"] != nil)
    }

    @Test func opensWithOnlyDamagedPages() async throws {
        let store = TimelineMemoryStore()
        try await open(store).append(TimelineRows.stored(1000..<1010))
        store.damage("video-1.1000.page") { $0 = [] }
        let timeline = try await open(store)
        #expect(timeline.next == 1256)
        #expect(timeline.edgeTime == nil)
        try await timeline.append(TimelineRows.stored(1256..<1257))
        #expect(try await open(store).rows(from: 0).map(\.number) == [1256])
    }

    @Test func omitsPageDamagedAfterOpening() async throws {
        let store = TimelineMemoryStore()
        try await open(store).append(TimelineRows.stored(0..<600))
        let timeline = try await open(store)
        store.damage("video-1.0.page") { $0[9] ^= 1 }
        #expect(try await timeline.first(from: 0, outside: [])?.number == 256)
        #expect(timeline.totals.segments == 344)
        try await timeline.remove([0, 256])
        #expect(timeline.totals.segments == 343)
        #expect(try await timeline.range(from: .min, to: .max).segments.count == 343)
    }

    @Test func ignoresOtherFiles() async throws {
        let store = TimelineMemoryStore()
        try await open(store).append(TimelineRows.stored(0..<10))
        let names = [
            "video-1.9223372036854775807.page", "video-1.-1.page", "video-1.x.page", "video-11.0.page",
            "audio-1.0.page",
        ]
        store.state.withLock { state in
            for name in names { state.files[name] = [1, 2, 3] }
        }
        #expect(try await open(store).next == 10)
    }

    @Test func removedSegmentsReturnWhenRemovalFileIsDamaged() async throws {
        let store = TimelineMemoryStore()
        let timeline = try await open(store, TimelineRows.stored(0..<600))
        try await timeline.remove(Array(0..<300))
        store.damage("video-1.gone") { $0[0] ^= 1 }
        // The removed segments of remaining pages return, without their bytes, until they are removed again. Nothing
        // else is affected.
        let again = try await open(store)
        #expect(again.next == 600)
        #expect(try await again.first(from: 0, outside: [])?.number == 256)
        try await again.remove(Array(256..<300))
        #expect(again.totals.segments == 300)
    }

    /// One track's timeline can't be opened for two minutes. The other track is followed in the meantime.
    @Test func retriesUnreadableTrackLessAndLessOften() async throws {
        let fixture = try await WindowFixture(tracks: ["video-1", "audio-1"])
        let time = fixture.library.time
        await time.waitForSleepers(1)
        let idleSleepers = time.sleepers
        let attempts = Mutex(0)
        fixture.recordingStore.fail { name in
            guard name.hasPrefix("audio-1.") else { return false }
            attempts.withLock { $0 += 1 }
            return true
        }
        let recording = Recording(await fixture.recording.channel, dependencies: fixture.dependencies)
        await #expect(throws: CacheError.self) { try await recording.open() }
        #expect(recording.timelines.map(\.track) == ["video-1"])
        await recording.start()
        func pass(seconds: Int) async throws {
            for _ in 0..<2 * seconds {
                time.advance(by: .milliseconds(500))
                while true {
                    try await Task.yieldUnlessCancelled()
                    let (isIdle, followers) = (await recording.isIdle(), await recording.followers)
                    if isIdle, time.sleepers > idleSleepers + followers { break }
                }
            }
        }
        try await pass(seconds: 120)
        #expect((8...12).contains(attempts.withLock { $0 }))
        #expect(recording.timelines.map(\.track) == ["video-1"])
        fixture.recordingStore.fail(nil)
        try await pass(seconds: 60)
        #expect(recording.timelines.map(\.track) == ["video-1", "audio-1"])
        await recording.stop()
        await fixture.close()
    }

    // MARK: - Crashes

    /// A short recording is interrupted at each change. Durable segments must be present, and no number is reused.
    @Test func everyCrashLeavesConsistentTimeline() async throws {
        let full = TimelineMemoryStore()
        let script = RecorderScript(recording)
        try await script.run(on: full)
        let changes = full.changes
        #expect(changes > 40)
        for change in 0..<changes {
            for isMade in [false, true] {
                let store = TimelineMemoryStore()
                store.crash(.init(change: change, isMade: isMade))
                let script = RecorderScript(recording)
                try? await script.run(on: store)
                try await script.check(store.reopened(), "change \(change), \(isMade)")
            }
        }
    }

    /// A recorder's sequence of actions, and the segments that it reported as durable.
    private final class RecorderScript {
        let recording: RecordingID
        private var settled: [Int64: RecordedSegment] = [:]
        private var removed: Set<Int64> = []
        /// Segments whose removal was requested and may be complete.
        private var beingRemoved: Set<Int64> = []
        private var highest: Int64 = -1

        init(_ recording: RecordingID) { self.recording = recording }

        private func row(_ number: Int64, _ state: RecordedSegment.State) -> RecordedSegment {
            var row = TimelineRows.stored(number)
            row.state = state
            row.isDiscontinuous = number % 7 == 0
            row.conditions = TimelineRows.conditions(key: 1 + number / 90, map: 100)
            return row
        }

        /// Returns the stored names of a segment and its companions.
        private func parts(_ row: RecordedSegment) -> [String] {
            ([row.name] + row.conditions.companions.map(\.name)).map { recording.storedName($0, track: "video-1") }
        }

        func run(on store: TimelineMemoryStore) async throws {
            let timeline = try await Timeline.open(track: "video-1", of: recording, in: store)
            var next: Int64 = 0
            for step in 0..<12 as Range<Int64> {
                let rows = (next..<next + 14 + step * 2).map { row($0, .awaited) }
                next += Int64(rows.count)
                try await timeline.append(rows)
                highest = next - 1
                let done = rows.map { row($0.number, $0.number % 11 == 0 ? .gap : .stored) }
                store.state.withLock { state in
                    for row in done where row.state == .stored { state.parts.formUnion(parts(row)) }
                }
                try await timeline.settle(done)
                for row in done { settled[row.number] = row }
                // Removes all but the last hundred segments and those of a programme.
                let old = settled.keys.filter { $0 < next - 100 && !(150..<170).contains($0) && !removed.contains($0) }
                    .sorted()
                beingRemoved = Set(old)
                try await timeline.remove(old)
                removed.formUnion(old)
                beingRemoved = []
            }
        }

        func check(_ store: TimelineMemoryStore, _ hint: String) async throws {
            let timeline = try await Timeline.open(track: "video-1", of: recording, in: store)
            try await timeline.finishRemoval()
            #expect(timeline.next > highest, "\(hint)")
            let rows = try await timeline.rows(from: 0).filter { row in
                settled[row.number] == nil || !removed.contains(row.number)
            }
            for row in rows where settled[row.number] != nil && row.state != .awaited {
                #expect(row == settled[row.number], "\(hint)")
            }
            let range = try await timeline.range(from: .min, to: .max)
            let present = Set(range.segments.map(\.number))
            #expect(present.isDisjoint(with: removed), "\(hint)")
            for number in settled.keys where !removed.contains(number) && !beingRemoved.contains(number) {
                #expect(present.contains(number), "\(hint): \(number)")
            }
            // Listed segments have their parts, and no media of removed segments remains.
            let own = range.segments.filter { $0.state == .stored }.flatMap(parts)
            for name in own { #expect(store.parts.contains(name), "\(hint): \(name)") }
            let needed = own + timeline.awaited.flatMap(parts)
            #expect(
                store.parts.subtracting(needed).filter { !$0.contains("/init") && !$0.contains("/key") } == [],
                "\(hint)")
            // Recording can continue.
            let next = timeline.next
            try await timeline.settle(timeline.awaited.map { row($0.number, .gap) })
            try await timeline.append([row(next, .stored)])
            #expect(timeline.edge == next + 1)
            #expect(try await timeline.segment(next)?.url == row(next, .stored).url)
        }
    }
}
