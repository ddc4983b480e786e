import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import TestSupport
import Testing

@testable import MediaLibrary

@Suite(.timeLimit(.minutes(60)))
struct RetentionTests {
    private static let second = TimelineRows.second

    private static func time(_ number: Int64) -> Int64 { TimelineRows.stored(number).start }

    private static func programme(_ numbers: Range<Int64>, _ name: String = "film") -> Programme {
        Programme(
            name: name, from: Date(nanosecondsSinceEpoch: time(numbers.lowerBound)),
            to: Date(nanosecondsSinceEpoch: time(numbers.upperBound)))
    }

    private func fixture(
        _ retention: Retention, tracks: [String] = ["video-1"], _ numbers: Range<Int64> = 0..<1000
    ) async throws -> WindowFixture {
        let fixture = try await WindowFixture(tracks: tracks, retention: retention)
        for timeline in fixture.recording.timelines {
            try await timeline.append(TimelineRows.stored(numbers))
            fixture.recordingStore.state.withLock { $0.parts.formUnion(timeline.names(numbers, fixture.recording.id)) }
        }
        fixture.pass(to: Self.time(numbers.upperBound))
        return fixture
    }

    private func numbers(_ fixture: WindowFixture, track: Int = 0) async throws -> [Int64] {
        try await fixture.recording.timelines[track].range(from: .min, to: .max).segments.map(\.number)
    }

    private func expect(
        _ expected: [Range<Int64>], _ fixture: WindowFixture, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await numbers(fixture) == expected.flatMap(Array.init), sourceLocation: sourceLocation)
        let timeline = fixture.timeline
        let parts = Set(expected.flatMap { timeline.names($0, fixture.recording.id) })
        #expect(
            fixture.recordingStore.parts.filter { $0.contains("/video-1/") } == parts, sourceLocation: sourceLocation)
    }

    @Test func removesNothingWithoutLimits() async throws {
        let fixture = try await fixture(Retention())
        await fixture.recording.retentionChanged()
        try await expect([0..<1000], fixture)
        await fixture.close()
    }

    @Test func removesOldSegments() async throws {
        let fixture = try await fixture(Retention(seconds: 600))
        await fixture.recording.retentionChanged()
        // The segment that ended 600 s ago is too old, but the one that was in progress then isn't.
        try await expect([700..<1000], fixture)
        fixture.pass(to: Self.time(1000) + 1)
        await fixture.recording.applyRetention()
        try await expect([700..<1000], fixture)
        fixture.pass(to: Self.time(1001))
        await fixture.recording.applyRetention()
        try await expect([701..<1000], fixture)
        // Eventually all segments are removed, because none is needed.
        fixture.pass(to: Self.time(5000))
        await fixture.recording.retentionChanged()
        try await expect([], fixture)
        #expect(fixture.timeline.next == 1000)
        await fixture.close()
    }

    /// The stream's clock is three hours behind. Segments that arrived within the last ten minutes remain.
    @Test func ageCountsFromArrival() async throws {
        let fixture = try await WindowFixture(retention: Retention(seconds: 600))
        let lag = 3 * 3600 * Self.second
        try await fixture.timeline.append(TimelineRows.stored(0..<1000) { $0.arrival = $0.end + lag })
        fixture.pass(to: Self.time(1000) + lag)
        await fixture.recording.retentionChanged()
        #expect(try await numbers(fixture) == Array(700..<1000))
        fixture.pass(to: Self.time(1001) + lag)
        await fixture.recording.applyRetention()
        #expect(try await numbers(fixture) == Array(701..<1000))
        await fixture.close()
    }

    @Test(arguments: [86_400, -86_400] as [Int64]) func clockStepDoesNotChangeAge(step: Int64) async throws {
        let fixture = try await fixture(Retention(seconds: 600))
        fixture.setClock(to: Self.time(1000) + step * Self.second)
        await fixture.recording.retentionChanged()
        #expect(try await numbers(fixture) == Array(700..<1000))
        fixture.library.time.advance(by: .seconds(20))
        await fixture.recording.applyRetention()
        #expect(try await numbers(fixture) == Array(710..<1000))
        await fixture.close()
    }

    @Test func removesSegmentsBeyondSizeLimit() async throws {
        let fixture = try await fixture(Retention(bytes: 100_500))
        await fixture.recording.retentionChanged()
        try await expect([900..<1000], fixture)
        try await fixture.recording.change { $0.retention = Retention(bytes: 0) }
        await fixture.recording.start()
        await fixture.recording.retentionChanged()
        // Players at the live edge need a few segments to continue.
        try await expect([997..<1000], fixture)
        await fixture.recording.stop()
        await fixture.recording.retentionChanged()
        try await expect([], fixture)
        await fixture.close()
    }

    @Test func sparesProgrammeAddedDuringRemoval() async throws {
        let fixture = try await fixture(Retention(seconds: 600), tracks: ["video-1", "audio-1"], 0..<6000)
        let recording = fixture.recording
        fixture.recordingStore.state.withLock { state in
            state.reading = { try? await recording.change { $0.programmes.append(Self.programme(100..<110)) } }
        }
        await recording.retentionChanged()
        try await expect([100..<110, 5700..<6000], fixture)
        #expect(try await numbers(fixture, track: 1) == Array(100..<110) + Array(5700..<6000))
        // The segments are removed when the programme is.
        try await recording.change { $0.programmes = [] }
        await recording.retentionChanged()
        try await expect([5700..<6000], fixture)
        await fixture.close()
    }

    @Test func sizeLimitIncludesAllTracks() async throws {
        let fixture = try await fixture(Retention(bytes: 100_000), tracks: ["video-1", "audio-1"])
        await fixture.recording.retentionChanged()
        #expect(try await numbers(fixture) == Array(950..<1000))
        #expect(try await numbers(fixture, track: 1) == Array(950..<1000))
        await fixture.close()
    }

    @Test func removesSegmentsBeyondCountLimit() async throws {
        let fixture = try await fixture(Retention(segments: 5), tracks: ["video-1", "audio-1"])
        await fixture.recording.retentionChanged()
        #expect(try await numbers(fixture) == Array(995..<1000))
        #expect(try await numbers(fixture, track: 1) == Array(995..<1000))
        #expect(fixture.recordingStore.parts.count == 10)
        await fixture.close()
    }

    @Test(arguments: [true, false]) func countLimitIgnoresGapsAndAwaitedSegments(isPinned: Bool) async throws {
        let fixture = try await fixture(Retention(segments: 2), 0..<10)
        if isPinned {
            try await fixture.recording.change { $0.programmes = [Self.programme(3..<5), Self.programme(7..<8)] }
        }
        func gaps(_ numbers: Range<Int64>) -> [RecordedSegment] { TimelineRows.stored(numbers) { $0.state = .gap } }
        let pinned: [Int64] = isPinned ? [3, 4, 7] : []
        try await fixture.timeline.append(gaps(10..<13) + TimelineRows.awaited(13..<20))
        await fixture.recording.retentionChanged()
        #expect(try await numbers(fixture) == pinned + Array(8..<13))
        #expect(fixture.timeline.totals.segments == pinned.count + 2)
        // A cached segment between awaited ones counts, too.
        try await fixture.timeline.settle(TimelineRows.stored(15..<16))
        await fixture.recording.applyRetention()
        #expect(try await numbers(fixture) == pinned + Array(9..<13))
        #expect(fixture.timeline.awaited.count == 6)
        try await fixture.timeline.settle(gaps(13..<15) + gaps(16..<20))
        await fixture.recording.applyRetention()
        #expect(try await numbers(fixture) == pinned + Array(9..<20))
        try await fixture.timeline.append(TimelineRows.stored(20..<21))
        await fixture.recording.applyRetention()
        #expect(try await numbers(fixture) == pinned + Array(15..<21))
        await fixture.close()
    }

    @Test func removesOldestWhenDiskIsFull() async throws {
        let fixture = try await fixture(Retention(freeBytes: 1_000_000))
        fixture.recordingStore.state.withLock { $0.freeBytes = 1_000_000 }
        await fixture.recording.applyRetention()
        try await expect([0..<1000], fixture)
        fixture.recordingStore.state.withLock { $0.freeBytes = 989_500 }
        // The free space isn't measured each time.
        await fixture.recording.applyRetention()
        try await expect([0..<1000], fixture)
        fixture.library.time.advance(by: .seconds(10))
        await fixture.recording.applyRetention()
        try await expect([11..<1000], fixture)
        fixture.recordingStore.state.withLock { $0.freeBytes = 1_000_000 }
        await fixture.recording.applyRetention()
        try await expect([11..<1000], fixture)
        await fixture.close()
    }

    /// The disk needs more space than one batch of segments occupies, and isn't measured before each batch.
    @Test(arguments: [true, false]) func freesDiskInSeveralBatches(isChange: Bool) async throws {
        let fixture = try await fixture(Retention(freeBytes: 1_000_000))
        fixture.recordingStore.state.withLock { $0.freeBytes = 500_500 }
        if isChange {
            await fixture.recording.retentionChanged()
        } else {
            for _ in 0..<3 { await fixture.recording.applyRetention() }
        }
        try await expect([500..<1000], fixture)
        await fixture.close()
    }

    /// Both channels must leave the same disk space free.
    @Test func channelsShareMeasuredShortage() async throws {
        let fixture = try await fixture(Retention(freeBytes: 1_000_000))
        var channel = await fixture.recording.channel
        channel.tracks = [Channel.Track(folder: "video-2", url: "http://origin.example/live/video-2.m3u8")]
        let other = Recording(channel, dependencies: fixture.dependencies)
        try await other.open()
        let timeline = other.timelines[0]
        try await timeline.append(TimelineRows.stored(0..<1000))
        fixture.recordingStore.state.withLock { $0.freeBytes = 899_500 }
        await fixture.recording.applyRetention()
        await other.applyRetention()
        #expect(fixture.timeline.totals.segments == 1000 - 101)
        #expect(timeline.totals.segments == 1000)
        await other.stop()
        await fixture.close()
    }

    /// The shortage measured earlier may be over.
    @Test func failedMeasurementRemovesNothing() async throws {
        let fixture = try await fixture(Retention(freeBytes: 1_000_000))
        fixture.recordingStore.state.withLock { $0.freeBytes = 500_500 }
        await fixture.recording.applyRetention()
        try await expect([256..<1000], fixture)
        fixture.library.time.advance(by: .seconds(10))
        fixture.recordingStore.fail { $0 == "free space" }
        for _ in 0..<2 { await fixture.recording.applyRetention() }
        try await expect([256..<1000], fixture)
        // The space is measured as soon as that's possible again.
        fixture.recordingStore.fail(nil)
        fixture.recordingStore.state.withLock { $0.freeBytes = 999_500 }
        await fixture.recording.applyRetention()
        try await expect([257..<1000], fixture)
        await fixture.close()
    }

    @Test func sparesProgrammes() async throws {
        let fixture = try await fixture(Retention(seconds: 20))
        // Programmes at the front, in the middle, overlapping, at the edge, and in the future.
        let programmes = [0..<10, 300..<310, 305..<320, 985..<1005, 2000..<2010].map { Self.programme($0) }
        try await fixture.recording.change { $0.programmes = programmes }
        await fixture.recording.retentionChanged()
        try await expect([0..<10, 300..<320, 985..<1000], fixture)
        try await fixture.timeline.append(TimelineRows.stored(1000..<2030))
        fixture.recordingStore.state.withLock {
            $0.parts.formUnion(fixture.timeline.names(1000..<2030, fixture.recording.id))
        }
        fixture.pass(to: Self.time(2030))
        await fixture.recording.retentionChanged()
        try await expect([0..<10, 300..<320, 985..<1005, 2000..<2010, 2020..<2030], fixture)
        // When a programme is removed, the next pass removes those of its segments that no other programme includes.
        try await fixture.recording.change { $0.programmes.remove(at: 1) }
        await fixture.recording.retentionChanged()
        try await expect([0..<10, 305..<320, 985..<1005, 2000..<2010, 2020..<2030], fixture)
        try await fixture.recording.change { $0.programmes = [] }
        await fixture.recording.retentionChanged()
        try await expect([2020..<2030], fixture)
        await fixture.close()
    }

    @Test func sparesEdgeDespiteLargeProgrammes() async throws {
        let fixture = try await fixture(Retention(bytes: 50_000, segments: 20))
        try await fixture.recording.change { $0.programmes = [Self.programme(100..<400)] }
        await fixture.recording.start()
        await fixture.recording.retentionChanged()
        try await expect([100..<400, 997..<1000], fixture)
        await fixture.close()
    }

    @Test func sparesAwaitedSegments() async throws {
        let fixture = try await fixture(Retention(segments: 1))
        try await fixture.timeline.append(TimelineRows.awaited(1000..<1001) + TimelineRows.stored(1001..<1010))
        await fixture.recording.retentionChanged()
        #expect(fixture.timeline.awaited.map(\.number) == [1000])
        #expect(try await fixture.timeline.rows(from: 1000).count == 10)
        #expect(try await numbers(fixture) == [])
        try await fixture.timeline.settle([TimelineRows.stored(1000)])
        await fixture.recording.applyRetention()
        #expect(try await numbers(fixture) == [1009])
        await fixture.close()
    }

    @Test func retriesFailedRemoval() async throws {
        let fixture = try await fixture(Retention(segments: 100))
        fixture.recordingStore.fail { $0.hasSuffix(".gone") }
        await fixture.recording.retentionChanged()
        #expect(fixture.timeline.totals.segments == 1000)
        fixture.recordingStore.fail(nil)
        await fixture.recording.applyRetention()
        await fixture.recording.retentionChanged()
        try await expect([900..<1000], fixture)
        await fixture.close()
    }

    /// Large removals are split into batches, so that recording waits for at most one batch.
    @Test func removesManySegmentsInBatches() async throws {
        let fixture = try await fixture(Retention(seconds: 2))
        await fixture.recording.applyRetention()
        #expect(fixture.timeline.totals.segments == 1000 - 256)
        await fixture.recording.retentionChanged()
        try await expect([999..<1000], fixture)
        await fixture.close()
    }

    /// After each step, the limits are met, and programmes are complete. The cost depends only on the step's length.
    @Test func recordingStaysWithinLimitsForTwoWeeks() async throws {
        let length = 240 * Self.second
        let (total, step) = (14 * 24 * 15 as Int64, 10 as Int64)
        let day = 24 * 15 as Int64
        let retention = Retention(seconds: 2 * 86_400, bytes: 2 * 2 * day * 1000 * 3 / 4)
        let fixture = try await WindowFixture(tracks: ["video-1", "audio-1"], retention: retention)
        @Sendable func time(_ number: Int64) -> Int64 { TimelineRows.epoch + number * length }
        func row(_ number: Int64) -> RecordedSegment {
            var row = TimelineRows.stored(number, length: 500 + number % 7 * 166)
            row.start = time(number)
            row.duration = length
            row.targetDuration = 240
            if number % 500 == 499 { row.state = .gap }
            return row
        }
        // The segments last four minutes. Programmes of 88 minutes every 20 hours are created in advance.
        let starts = stride(from: 150 as Int64, to: total, by: 300)
        try await fixture.recording.change { channel in
            channel.programmes = starts.map {
                Programme(
                    name: "\($0)", from: Date(nanosecondsSinceEpoch: time($0)),
                    to: Date(nanosecondsSinceEpoch: time($0 + 22)))
            }
        }
        var most = TimelineMemoryStore.Counts()
        for first in stride(from: 0, to: total, by: Int(step)) {
            let counts = try await fixture.recordingStore.counting {
                for timeline in fixture.recording.timelines {
                    try await timeline.append((first..<first + step).map(row))
                }
                fixture.pass(to: time(first + step))
                await fixture.recording.applyRetention()
            }
            most.reads = max(most.reads, counts.reads)
            most.writes = max(most.writes, counts.writes)
            most.removals = max(most.removals, counts.removals)
            let pinned = starts.filter { $0 < first }
            for timeline in fixture.recording.timelines {
                let rest = try await timeline.first(from: 0, outside: pinned.map { time($0)..<time($0 + 22) })
                // Older segments belong to programmes.
                #expect(try #require(rest).end > time(first + step) - 2 * 86_400 * Self.second)
            }
            #expect(fixture.recording.timelines.reduce(0) { $0 + $1.totals.bytes } <= retention.bytes ?? 0)
            guard first % (day / 2) == 0 else { continue }
            for start in pinned {
                for timeline in fixture.recording.timelines {
                    let range = try await timeline.range(from: time(start), to: min(time(start + 22), time(first)))
                    #expect(range.segments.count == Int(min(22, first - start)), "\(start) at \(first)")
                }
            }
        }
        // Two appends write at most two pages each, and the removed numbers are written once per track.
        #expect(most.writes <= 6)
        #expect(most.reads <= 8)
        #expect(most.removals <= 100)
        #expect(fixture.recording.timelines[0].pagesInMemory <= 18)
        // Each track has the pages with remaining segments, and one file of removed numbers.
        var pages = 0
        for timeline in fixture.recording.timelines {
            let rest = try await timeline.range(from: .min, to: .max).segments
            pages += Set(rest.map { $0.number / Int64(TimelinePage.capacity) }).count
        }
        #expect(fixture.recordingStore.files.count == pages + 2)
        let again = fixture.recordingStore.reopened()
        let timeline = try await Timeline.open(track: "video-1", of: fixture.recording.id, in: again)
        #expect(timeline.totals == fixture.timeline.totals)
        #expect(timeline.recordedRanges() == fixture.timeline.recordedRanges())
        await fixture.close()
    }

    @Test func removesSegmentInUseWhenReaderFinishes() async throws {
        let library = LibraryFixture()
        let store = try await library.open()
        let recordingStore = CacheRecordingStore(store)
        let recording = RecordingID()
        let timeline = try await Timeline.open(track: "video-1", of: recording, in: recordingStore)
        var rows: [RecordedSegment] = []
        for number in 0..<3 as Range<Int64> {
            var row = TimelineRows.stored(number)
            let bytes = DownloadFixture.packets(Int(number))
            library.origin[try ResourceURL(row.url)] = ScriptedResource(
                .bytes(bytes), entityTag: "\"1\"", contentType: "video/mp2t")
            row.length = try await recordingStore.fetch(
                part(row, recording), settings: TransferSettings(), group: TransferGroup(name: "test")
            ).length
            rows.append(row)
        }
        try await recordingStore.commit()
        try await timeline.append(rows)
        let session = try await store.read(part(rows[0], recording).request(settings: TransferSettings()))
        try await timeline.remove([0, 1])
        #expect(try await store.resources().count == 2)
        #expect(try await timeline.segment(0) == nil)
        session.cancel()
        while try await store.resources().count > 1 { try await Task.yieldUnlessCancelled() }
        #expect(try await store.resources().count == 1)
        await store.close()
    }

    private func part(_ row: RecordedSegment, _ recording: RecordingID) -> AssetPart {
        var part = AssetPart(role: .mediaSegment, name: "video-1/\(row.name)", url: row.url)
        part.storedAs = recording.storedName(row.name, track: "video-1")
        return part
    }
}
