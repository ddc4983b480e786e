import HLS
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

/// Tests that the cost of a recording, which is counted, not timed, doesn't depend on its length.
struct RecordingCostTests {
    /// The number of segments added per load, which equals the capacity of a timeline page.
    private static let step = TimelinePage.capacity
    /// The number of segments in a playlist.
    private static let window = 300

    /// The cost of recording one load's segments.
    private struct Cost {
        var files = TimelineMemoryStore.Counts()
        /// The number of index entries of the timeline that were visited.
        var entries = 0
        /// The number of values that the recording keeps in memory, not counting timeline pages.
        var values = 0
        var pages = 0

        /// Returns the maximum of each kind of cost.
        func most(_ other: Cost) -> Cost {
            var most = self
            most.files.reads = max(files.reads, other.files.reads)
            most.files.writes = max(files.writes, other.files.writes)
            most.files.removals = max(files.removals, other.files.removals)
            most.files.bytesRead = max(files.bytesRead, other.files.bytesRead)
            most.files.bytesWritten = max(files.bytesWritten, other.files.bytesWritten)
            most.entries = max(entries, other.entries)
            most.values = max(values, other.values)
            most.pages = max(pages, other.pages)
            return most
        }
    }

    private func playlist(_ window: Int = RecordingCostTests.window, upTo end: Int) -> MediaPlaylist {
        var playlist = MediaPlaylist(targetDuration: 6)
        let numbers = max(0, end - window)..<end
        playlist.mediaSequence = numbers.lowerBound
        playlist.segments = numbers.map { number in
            var segment = MediaSegment(
                uri: "http://origin.example/live/\(number).ts", duration: DecimalValue(nanoseconds: 6_000_000_000))
            segment.programDateTime = DateTime(
                nanosecondsSinceEpoch: TimelineRows.epoch + Int64(number) * 6_000_000_000)
            return segment
        }
        return playlist
    }

    /// Records the segments of one load as the recorder does, and reports a download's progress.
    private func record(
        _ end: Int, _ fixture: WindowFixture, _ meter: DownloadMeter, countsValues: Bool
    ) async throws -> Cost {
        let recording = fixture.recording
        var cost = Cost()
        fixture.library.time.advance(by: .seconds(6 * Self.step))
        let entries = fixture.timeline.entriesPassed
        cost.files = try await fixture.recordingStore.counting {
            _ = try await recording.take(playlist(upTo: end), 0)
            try await recording.settleAll(0)
            await recording.applyRetention()
            await recording.exportFinishedProgrammes()
            meter.note(await recording.coverage, now: fixture.library.time.monotonic)
            _ = meter.progress(now: fixture.library.time.monotonic)
            _ = await recording.edge
        }
        cost.entries = fixture.timeline.entriesPassed - entries
        if countsValues { cost.values = await recording.countValues(0) + meter.valueCount }
        cost.pages = fixture.timeline.pagesInMemory
        return cost
    }

    @Test(arguments: [Retention(), Retention(segments: 2000)])
    func costPerSegmentIsIndependentOfLength(retention: Retention) async throws {
        let fixture = try await WindowFixture(retention: retention)
        // The whole download shares one meter, as in a real run.
        let meter = DownloadMeter()
        var early = Cost()
        var late = Cost()
        // Caches grow and shrink, so the maximum over 13 loads is compared, after about 2,000 segments and at the end.
        for load in 1...391 {
            let (isEarly, isLate) = ((8...20).contains(load), load > 378)
            let cost = try await record(load * Self.step, fixture, meter, countsValues: isEarly || isLate)
            if isEarly { early = early.most(cost) }
            if isLate { late = late.most(cost) }
        }
        #expect(fixture.timeline.next >= 100_000)
        #expect(late.files.reads <= early.files.reads)
        #expect(late.files.writes <= early.files.writes)
        #expect(late.files.removals <= early.files.removals)
        // The numbers have more digits.
        #expect(late.files.bytesWritten <= early.files.bytesWritten * 11 / 10)
        #expect(late.files.bytesRead <= early.files.bytesRead * 11 / 10)
        #expect(late.entries <= early.entries + 1, "\(late.entries) entries, \(early.entries) before")
        #expect(late.values <= early.values * 11 / 10, "\(late.values) values, \(early.values) before")
        #expect(late.pages <= early.pages + Timeline.maximumRecent)
        #expect(fixture.timeline.totals.segments == (retention.segments ?? 391 * Self.step))
        await fixture.close()
    }

    /// The segments of a long playlist arrive one at a time under a size limit.
    @Test func costPerSegmentIsIndependentOfBacklog() async throws {
        var visits: [Int] = []
        for count in [4000, 40_000] {
            let fixture = try await WindowFixture(retention: Retention(bytes: 1 << 40))
            let recording = fixture.recording
            fixture.recordingStore.state.withLock { $0.media = FetchedPart(length: 1000, isWrapped: false) }
            fixture.library.time.advance(by: .seconds(6 * count))
            _ = try await recording.take(playlist(count, upTo: count), 0)
            let rows = await recording.awaitedRows(0)
            #expect(rows.count == count)
            let before = await recording.visits(0)
            for row in rows.prefix(50) { await recording.fetch(row, 0) }
            visits.append(await recording.visits(0) - before)
            #expect(fixture.timeline.totals.segments == 50)
            await fixture.close()
        }
        #expect(visits[1] <= visits[0], "\(visits) segments visited")
    }
}

extension Recording {
    /// Marks a track's awaited segments as fetched.
    fileprivate func settleAll(_ index: Int) async throws {
        let rows = tracks[index].awaited.values.map { awaited in
            var row = awaited.row
            row.state = .stored
            row.length = 1000
            return row
        }
        tracks[index].forgetAwaitedSegments()
        try await tracks[index].timeline.settle(rows.sorted { $0.number < $1.number })
    }

    fileprivate func awaitedRows(_ index: Int) -> [RecordedSegment] {
        tracks[index].awaited.values.map(\.row).sorted { $0.number < $1.number }
    }

    fileprivate func fetch(_ row: RecordedSegment, _ index: Int) async { await fetch(row, tracks[index]) }

    fileprivate func visits(_ index: Int) -> Int { tracks[index].awaited.visits }

    /// Returns the number of values that the recording keeps for a track, not counting its timeline.
    fileprivate func countValues(_ index: Int) -> Int {
        let track = tracks[index]
        return Self.count(track.follower) + Self.count(track.queue) + Self.count(track.awaited) + arrivals.count
            + settled.count + companions.count
    }

    private static func count(_ value: Any) -> Int {
        if value is String || value is Int || value is Int64 { return 1 }
        return Mirror(reflecting: value).children.reduce(1) { $0 + count($1.value) }
    }
}
