import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// The live edge, and windows that end at or after it.
@Suite(.timeLimit(.minutes(10)))
struct LiveEdgeTests {
    private static let second = TimelineRows.second

    private static func time(_ number: Int64) -> Int64 { TimelineRows.stored(number).start }

    private func fixture(_ change: (LiveOrigin) -> Void = { _ in }) async throws -> RecordingFixture {
        let live = LiveOrigin()
        change(live)
        let fixture = RecordingFixture(live)
        live.publish()
        try await fixture.open()
        return fixture
    }

    private func edge(_ fixture: RecordingFixture) async throws -> Int64 {
        try #require(await (try fixture.recording).edge)
    }

    private func now(_ fixture: RecordingFixture) -> Int64 { fixture.live.library.time.now.nanosecondsSinceEpoch }

    // MARK: - Dead renditions

    @Test func deadRenditionDoesNotHoldEdge() async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        fixture.live.library.origin.always(fixture.live.playlist("a1"), .status(404))
        let died = now(fixture)
        try await fixture.pass(300)
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        // A window up to the edge, on the dead track too.
        let recording = try fixture.recording
        for track in ["video-1", "audio-1"] {
            let bytes = try await recording.playlist(.all, track: track)
            #expect(try WindowFixture.parsed(String(decoding: bytes, as: UTF8.self)).hasEndList, "\(track)")
        }
        // A window that ended long after the rendition died is complete.
        let window = try await recording.finished(from: died - 30 * Self.second, to: died + 120 * Self.second)
        #expect(window.contents.parts.contains { $0.name.hasPrefix("video-1/") })
        // The live entry omits the rendition.
        #expect(try await recording.entry(.live(nil)).text.contains("audio-1") == false)
        // The rendition counts again when it recovers.
        fixture.live.heal()
        try await fixture.pass(60)
        #expect(await recording.silentTracks == [])
        #expect(try await recording.entry(.live(nil)).text.contains("audio-1"))
        let edges = recording.timelines.compactMap(\.edgeTime)
        #expect(edges.count == 2)
        #expect(try await edge(fixture) == edges.min())
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        try await fixture.check("video-1", in: "v1") { _ in true }
        await fixture.close()
    }

    /// Segments awaited when the origin became unavailable don't hold the edge.
    @Test func renditionThatDiesWithAwaitedSegmentsDoesNotHoldEdge() async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        for number in fixture.live.next..<fixture.live.next + 4 {
            fixture.live.library.origin.always(fixture.live.segment(number, in: "a1"), .unreachable)
        }
        try await fixture.pass(7)
        fixture.live.library.origin.always(fixture.live.playlist("a1"), .unreachable)
        try await fixture.pass(200)
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        await fixture.close()
    }

    /// The playlist keeps listing all segments, as that of an event does.
    @Test(arguments: [404, 403, 500]) func renditionWithFailingSegmentsDoesNotHoldEdge(status: Int) async throws {
        let fixture = try await fixture { $0.window = 10_000 }
        try await fixture.record()
        try await fixture.pass(60)
        let live = fixture.live
        for number in live.next..<live.next + 200 {
            live.fail(live.segment(number, in: "a1"), .status(status))
        }
        let failed = now(fixture)
        try await fixture.pass(200)
        let recording = try fixture.recording
        #expect(await recording.silentTracks == ["audio-1"])
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        // The segments are given up after ten minutes, so that the number of awaited segments is bounded.
        #expect(try await fixture.gapCount("audio-1") == 0)
        try await fixture.pass(600)
        #expect(await recording.silentTracks == ["audio-1"])
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        #expect(try await fixture.gapCount("audio-1") >= 25)
        #expect(try await fixture.rows("audio-1").count { $0.state == .awaited } <= 105)
        #expect(try await fixture.gapCount("video-1") == 0)
        let window = try await recording.finished(from: failed - 30 * Self.second, to: failed + 120 * Self.second)
        #expect(window.gaps >= 15)
        // The rendition counts again when its segments recover.
        live.heal()
        try await fixture.pass(60)
        #expect(await recording.silentTracks == [])
        try await fixture.check("video-1", in: "v1") { _ in true }
        await fixture.close()
    }

    /// The host of one track's segments is unavailable, and the playlist keeps all segments.
    @Test func losesNoListedSegmentInPartialOutage() async throws {
        let fixture = try await fixture { $0.window = 10_000 }
        try await fixture.record()
        try await fixture.pass(60)
        let live = fixture.live
        for number in live.next..<live.next + 25 { live.fail(live.segment(number), .status(503)) }
        try await fixture.pass(120)
        #expect(await (try fixture.recording).silentTracks == ["video-1"])
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        live.heal()
        try await fixture.pass(60)
        #expect(await (try fixture.recording).silentTracks == [])
        for (track, folder) in ["video-1": "v1", "audio-1": "a1"] {
            #expect(try await fixture.gapCount(track) == 0)
            try await fixture.check(track, in: folder) { _ in true }
        }
        await fixture.close()
    }

    /// The channel keeps recording, and loads the playlist every other minute.
    @Test func loadsRemovedRenditionRarely() async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        let (live, origin) = (fixture.live, fixture.live.library.origin)
        live.isSoundNamed = false
        origin.always(live.playlist("a1"), .status(404))
        try await fixture.pass(300)
        #expect(await (try fixture.recording).state == .recording)
        let before = [live.playlist("a1"), live.entry].map { origin.requests(for: $0).count }
        try await fixture.pass(600)
        let asked = [live.playlist("a1"), live.entry].map { origin.requests(for: $0).count }
        #expect(zip(asked, before).allSatisfy { $0 - $1 <= 6 }, "\(before) \(asked)")
        #expect(await (try fixture.recording).state == .recording)
        // The rendition is followed again when it returns.
        live.isSoundNamed = true
        live.heal()
        try await fixture.pass(180)
        #expect(await (try fixture.recording).silentTracks == [])
        try await fixture.check("video-1", in: "v1") { _ in true }
        await fixture.close()
    }

    @Test(arguments: [false, true]) func removedRenditionStaysInPastWindows(restarts: Bool) async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        let live = fixture.live
        let removed = now(fixture)
        live.isSoundNamed = false
        live.library.origin.always(live.playlist("a1"), .status(404))
        try await fixture.pass(120)
        if restarts {
            await fixture.close()
            try await fixture.open()
            try await fixture.pass(30)
        }
        let recording = try fixture.recording
        let (from, to) = (removed - 40 * Self.second, removed - 15 * Self.second)
        let entry = try await recording.entry(.span(from: from, to: to)).text
        #expect(entry.contains("AUDIO=\"live a\"") && entry.contains("audio-1/"), "\(entry)")
        let window = try await recording.finished(from: from, to: to)
        #expect(window.contents.playlists.map(\.name).contains("audio-1/index.m3u8"))
        #expect(window.contents.playlists[0].text.contains("audio-1/index.m3u8"))
        #expect(try await recording.entry(.live(nil)).text.contains("audio-1") == false)
        // No gap is counted before or after the removal.
        for end in [to, removed + 30 * Self.second, removed + 80 * Self.second] {
            for start in [from, removed + 20 * Self.second] where start < end {
                #expect(try await recording.finished(from: start, to: end).gaps == 0)
            }
        }
        await fixture.close()
    }

    /// The origin removes the first of two renditions. The other one keeps its track even if its links change.
    @Test(arguments: [("live", ""), ("live", "?token=2"), ("token-2", "")])
    func renditionKeepsTrackWhenEarlierOneIsRemoved(place: String, query: String) async throws {
        let fixture = try await fixture { live in
            live.folders.append("a2")
            live.definitions.entry =
                #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="live a",NAME="B",LANGUAGE="de",URI="live/a2/index.m3u8""#
        }
        try await fixture.record()
        try await fixture.pass(60)
        let live = fixture.live
        for folder in live.folders where folder == "a2" || place != live.place || query != live.query {
            live.library.origin.always(live.playlist(folder), .status(404))
        }
        (live.place, live.query, live.definitions.entry) = (place, query, "")
        live.renewLinks()
        try await fixture.pass(120)
        let recording = try fixture.recording
        #expect(recording.timelines.map(\.track) == ["video-1", "audio-1", "audio-2"])
        for (track, folder) in ["audio-1": "a2", "audio-2": "a1"] {
            #expect(try await fixture.rows(track).allSatisfy { $0.url.contains("/\(folder)/") }, "\(track)")
        }
        try await fixture.check("audio-2", in: "a1") { _ in true }
        let entry = try await recording.entry(.live(nil)).text
        #expect(entry.contains(#"NAME="A",URI="audio-2/index.m3u8""#), "\(entry)")
        await fixture.close()
    }

    /// A rendition in another language replaces one in the multivariant playlist.
    @Test func renditionInAnotherLanguageGetsItsOwnTrack() async throws {
        func rendition(_ language: String, _ folder: String) -> String {
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"live a\",NAME=\"B\",LANGUAGE=\"\(language)\","
                + "URI=\"live/\(folder)/index.m3u8\""
        }
        let fixture = try await fixture { live in
            live.folders += ["a2", "a3"]
            live.definitions.entry = rendition("de", "a2")
        }
        try await fixture.record()
        try await fixture.pass(60)
        fixture.live.definitions.entry = rendition("fr", "a3")
        fixture.live.library.origin.always(fixture.live.playlist("a2"), .status(404))
        try await fixture.pass(120)
        #expect(try fixture.recording.timelines.map(\.track) == ["video-1", "audio-1", "audio-2", "audio-3"])
        for (track, folder) in ["audio-1": "a2", "audio-2": "a1", "audio-3": "a3"] {
            #expect(try await fixture.rows(track).allSatisfy { $0.url.contains("/\(folder)/") }, "\(track)")
        }
        await fixture.close()
    }

    /// A rendition that fails briefly is still listed, and is loaded as before.
    @Test func loadsDeadButListedRenditionContinuously() async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        let (live, origin) = (fixture.live, fixture.live.library.origin)
        origin.always(live.playlist("a1"), .status(404))
        try await fixture.pass(300)
        #expect(await (try fixture.recording).state == .recording)
        let before = origin.requests(for: live.playlist("a1")).count
        try await fixture.pass(60)
        #expect(origin.requests(for: live.playlist("a1")).count - before >= 15)
        await fixture.close()
    }

    /// Loading the multivariant playlist takes longer than the interval between loads.
    @Test func followsAddedRenditionOnce() async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(30)
        let (live, gate) = (fixture.live, ScriptedGate())
        live.definitions.entry =
            #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="live a",NAME="B",URI="live/v2/index.m3u8""#
        try await fixture.pass(6)
        live.library.origin.always(live.entry, .holdHead(gate))
        let recording = try fixture.recording
        let before = live.library.origin.requests(for: live.entry).count
        let loads = (0..<2).map { _ in Task { try await recording.findTracks() } }
        while live.library.origin.requests(for: live.entry).count == before { await Task.yield() }
        gate.open()
        for load in loads { try await load.value }
        #expect(await recording.folders == ["video-1", "audio-1", "audio-2"])
        #expect(recording.timelines.map(\.track) == ["video-1", "audio-1", "audio-2"])
        await fixture.close()
    }

    @Test func outageOfAllTracksHoldsEdge() async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        let before = try await edge(fixture)
        fixture.live.library.origin.isReachable = false
        try await fixture.pass(200)
        #expect(await (try fixture.recording).silentTracks == [])
        #expect(try await edge(fixture) - before <= 12 * Self.second)
        await fixture.close()
    }

    // MARK: - Unavailable segments

    @Test(arguments: [ScriptedFault.status(404), .status(500), .page()])
    func edgeWaitsThreeTargetDurationsForSegment(fault: ScriptedFault) async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, fault)
        try await fixture.pass(7)
        // The playlist keeps the segment, so only patience gives it up.
        fixture.live.window = 1000
        try await fixture.pass(13)
        #expect(try await fixture.gapCount() == 0)
        try await fixture.pass(atMost: 30) { try await fixture.gapCount() == 1 }
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        try await fixture.check { $0.url != url }
        await fixture.close()
    }

    @Test func edgePassesHangingSegmentAfterThreeTargetDurations() async throws {
        let fixture = try await fixture { $0.window = 1000 }
        try await fixture.record()
        try await fixture.pass(60)
        let url = fixture.live.segment(fixture.live.next)
        let gate = ScriptedGate()
        fixture.live.library.origin.always(url, .holdHead(gate))
        fixture.gates = [gate]
        try await fixture.pass(atMost: 8) { fixture.live.library.origin.requests(for: url).count == 1 }
        try await fixture.pass(17)
        #expect(try await fixture.gapCount() == 0)
        try await fixture.pass(2)
        try #require(try await fixture.gapCount() == 1)
        #expect(fixture.live.library.origin.requests(for: url).count == 2)
        #expect(fixture.reportedReasons("video-1").allSatisfy { $0.contains("sent no data") })
        let row = try #require(try await fixture.rows("video-1").first { $0.url == url.description })
        #expect(try #require(try fixture.recording.timelines[0].edgeTime) > row.end)
        try await fixture.pass(6)
        #expect(try await edge(fixture) >= now(fixture) - 12 * Self.second)
        // No request is left.
        try await fixture.pass(6)
        #expect(await (try fixture.recording).isQuiet())
        try await fixture.check { $0.url != url }
        await fixture.close()
    }

    /// A dead connection says nothing about the segment.
    @Test func hangingSegmentIsRequestedAgain() async throws {
        let fixture = try await fixture { $0.window = 1000 }
        try await fixture.record()
        try await fixture.pass(60)
        let url = fixture.live.segment(fixture.live.next)
        let gate = ScriptedGate()
        fixture.live.library.origin.next(url, .holdHead(gate))
        fixture.gates = [gate]
        try await fixture.pass(atMost: 8) { fixture.live.library.origin.requests(for: url).count == 1 }
        try await fixture.pass(atMost: 13) { fixture.live.library.origin.requests(for: url).count == 2 }
        try #require(fixture.live.library.origin.requests(for: url).count == 2)
        try await fixture.pass(6)
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    /// The segment receives data in each target duration, but takes longer than the edge waits for a hanging one.
    @Test func waitsForSlowSegment() async throws {
        let fixture = try await fixture { live in
            live.window = 1000
            live.seal = { bytes, _ in Array([[UInt8]](repeating: bytes, count: 20).joined()) }
        }
        try await fixture.record()
        try await fixture.pass(60)
        let url = fixture.live.segment(fixture.live.next)
        let gates = (1...6).map { _ in ScriptedGate() }
        fixture.live.library.origin.always(
            url, .holdBody(at: 2000, gates[0]), .holdBody(at: 4000, gates[1]), .holdBody(at: 6000, gates[2]),
            .holdBody(at: 8000, gates[3]), .holdBody(at: 10000, gates[4]), .holdBody(at: 12000, gates[5]))
        fixture.gates = gates
        try await fixture.pass(atMost: 8) { gates[0].arrivals == 1 }
        let recording = try fixture.recording
        let row = try #require(try await fixture.rows("video-1").first { $0.url == url.description })
        let part = recording.part(row, track: "video-1")
        for (place, gate) in gates.enumerated() {
            while await recording.dependencies.place.receivedBytes(of: part) < (place + 1) * 2000 { await Task.yield() }
            try await fixture.pass(4.5)
            gate.open()
        }
        try await fixture.pass(12)
        #expect(fixture.live.library.origin.requests(for: url).count == 1)
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    // MARK: - Ends of recordings

    /// The playlists are half a minute late. The recording ends when they reach its end.
    @Test func recordsUntilEdgePassesEnd() async throws {
        let fixture = try await fixture { $0.clock = -40 }
        let end = fixture.live.library.time.now.addingTimeInterval(120)
        try await fixture.record { $0.endsAt = end }
        try await fixture.pass(atMost: 220) { await (try fixture.recording).state == .ended }
        let late = fixture.live.library.time.now.timeIntervalSince(end)
        #expect(late >= 40 && late <= 60, "\(late)")
        let last = try #require(try await fixture.rows("video-1").last)
        #expect(last.end >= end.nanosecondsSinceEpoch && last.end < end.nanosecondsSinceEpoch + 12 * Self.second)
        try await fixture.check()
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    /// A stream whose clock is three hours behind would reach the end three hours later.
    @Test func doesNotWaitForClockFarBehind() async throws {
        let fixture = try await fixture { $0.clock = -3 * 3600 }
        let end = fixture.live.library.time.now.addingTimeInterval(120)
        try await fixture.record { $0.endsAt = end }
        try await fixture.pass(atMost: 300) { await (try fixture.recording).state == .ended }
        let late = fixture.live.library.time.now.timeIntervalSince(end)
        #expect(late >= 78 && late <= 92, "\(late)")
        await fixture.close()
    }

    // MARK: - Windows of stopped channels

    @Test func windowCompletesWhenChannelIsStopped() async throws {
        let fixture = try await WindowFixture()
        await fixture.recording.start()
        try await fixture.timeline.append(TimelineRows.stored(0..<100))
        fixture.pass(to: Self.time(100))
        let (from, to) = (Self.time(50), Self.time(150))
        #expect(try await !fixture.window(.span(from: from, to: to)).hasEndList)
        try await fixture.recording.change { $0.isWanted = false }
        await fixture.recording.stop()
        // The window isn't complete before its end.
        #expect(try await !fixture.window(.span(from: from, to: to)).hasEndList)
        await #expect(throws: WindowOutOfRangeError.self) { try await fixture.recording.finished(from: from, to: to) }
        fixture.pass(to: to)
        let window = try await fixture.window(.span(from: from, to: to))
        #expect(window.hasEndList && window.type == .onDemand && window.segments.count == 50)
        #expect(try await fixture.recording.finished(from: from, to: to).contents.parts.count == 50)
        // A window without an end may grow.
        #expect(try await !fixture.window(.span(from: from, to: nil)).hasEndList)
        await fixture.close()
    }

    /// Segments awaited when the channel stopped are gaps, and don't hide later ones.
    @Test func awaitedSegmentsOfStoppedChannelAreGaps() async throws {
        let fixture = try await WindowFixture()
        await fixture.recording.start()
        var rows = TimelineRows.stored(0..<100)
        rows[50].state = .awaited
        try await fixture.timeline.append(rows)
        let (from, to) = (Self.time(40), Self.time(80))
        #expect(try await fixture.window(.span(from: from, to: to)).segments.count == 10)
        do {
            _ = try await fixture.recording.finished(from: from, to: to)
            Issue.record("the window is complete while its segments may arrive")
        } catch is WindowOutOfRangeError {}
        fixture.pass(to: Self.time(100))
        try await fixture.recording.change { $0.isWanted = false }
        await fixture.recording.stop()
        let window = try await fixture.window(.span(from: from, to: to))
        #expect(window.hasEndList && window.segments.count == 40)
        #expect(window.segments.indices.filter { window.segments[$0].isGap } == [10])
        let finished = try await fixture.recording.finished(from: from, to: to)
        #expect(finished.gaps == 1 && finished.contents.parts.count == 39)
        // A window after it, and one that begins with it.
        let behind = WindowRequest.span(from: Self.time(60), to: to)
        #expect(try await fixture.recording.entry(behind).begins == Self.time(60))
        #expect(try await fixture.window(behind).segments.map(\.uri) == (60..<80).map { "\($0).ts" })
        let entry = try await fixture.recording.entry(.span(from: Self.time(50), to: to))
        #expect(entry.begins == Self.time(50) && entry.text.contains("video-1"))
        #expect(try await fixture.recording.moment(Self.time(70)).row.number == 70)
        // The segment is still awaited, and arrives when the channel resumes.
        #expect(fixture.timeline.awaited.map(\.number) == [50])
        try await fixture.timeline.settle([TimelineRows.stored(50)])
        #expect(try await fixture.recording.finished(from: from, to: to).gaps == 0)
        await fixture.close()
    }

    /// Segments recorded after an awaited one belong to the window of the whole recording.
    @Test(arguments: [0, 50]) func wholeRecordingOfStoppedChannelIncludesSegmentsAfterAwaitedOnes(awaited: Int)
        async throws
    {
        let fixture = try await WindowFixture()
        await fixture.recording.start()
        var rows = TimelineRows.stored(0..<100)
        rows[awaited].state = .awaited
        try await fixture.timeline.append(rows)
        if awaited > 0 { #expect(try await fixture.window(.all).segments.count == awaited) }
        fixture.pass(to: Self.time(100))
        try await fixture.recording.change { $0.isWanted = false }
        await fixture.recording.stop()
        let window = try await fixture.window(.all)
        #expect(window.hasEndList && window.segments.count == 100)
        #expect(window.segments.indices.filter { window.segments[$0].isGap } == [awaited])
        let entry = try await fixture.recording.entry(.all)
        let name = try #require(entry.text.split(separator: "\n").last?.split(separator: "/").last)
        let granted = try #require(WindowRequest(granted: String(name)))
        #expect(entry.begins == Self.time(0) && granted == .span(from: Self.time(0), to: Self.time(100)))
        #expect(try await fixture.window(granted, isGranted: true) == window)
        await fixture.close()
    }

    @Test func servesWindowOfStoppedChannelThatAwaitsFirstSegment() async throws {
        let fixture = try await WindowFixture()
        var rows = TimelineRows.stored(0..<10)
        rows[0].state = .awaited
        try await fixture.timeline.append(rows)
        try await fixture.recording.change { $0.isWanted = false }
        fixture.pass(to: Self.time(10))
        let window = try await fixture.window(.span(from: Self.time(0), to: Self.time(10)))
        #expect(window.hasEndList && window.segments.count == 10)
        #expect(try await fixture.recording.finished(from: Self.time(0), to: Self.time(10)).gaps == 1)
        await fixture.close()
    }

    @Test func programmeOfStoppedChannelCountsAwaitedSegmentsAsMissing() async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.fail(url, .status(503))
        let next = fixture.live.segment(fixture.live.next + 1)
        try await fixture.pass(atMost: 30) {
            try await fixture.rows("video-1").contains { $0.state == .stored && $0.url == next.description }
        }
        let recordings = try #require(fixture.recordings)
        let now = fixture.live.library.time.now
        let programme = Programme(
            name: "film", from: now.addingTimeInterval(-60), to: now.addingTimeInterval(10), formats: [.hls])
        try await recordings.addProgramme(programme, to: fixture.name)
        try await recordings.stop(fixture.name)
        fixture.live.library.time.advance(by: .seconds(20))
        let export = try await exported(programme, fixture)
        #expect(export.missing == 1)
        await fixture.close()
    }

    /// Returns the HLS export of a programme once it has ended or failed.
    private func exported(_ programme: Programme, _ fixture: RecordingFixture) async throws -> ProgrammeExport {
        let recordings = try #require(fixture.recordings)
        while true {
            let channel = try await recordings.status(of: fixture.name).channel
            let export = try #require(channel.programmes.first { $0.id == programme.id }?[.hls])
            switch export.state {
            case .waiting, .running: await Task.yield()
            case .done, .failed, .cancelled: return export
            }
        }
    }

    /// The stream's clock is an hour behind, so its windows end an hour later.
    @Test func windowEndsByStreamsClock() async throws {
        let fixture = try await WindowFixture()
        let lag = 3600 * Self.second
        try await fixture.timeline.append(
            TimelineRows.stored(0..<100).map { row in
                var row = row
                row.arrival = row.end + lag
                return row
            })
        try await fixture.recording.change { $0.isWanted = false }
        let request = WindowRequest.span(from: Self.time(50), to: Self.time(150))
        fixture.pass(to: Self.time(150) + lag - 1_000_000)
        #expect(try await !fixture.window(request).hasEndList)
        fixture.pass(to: Self.time(150) + lag)
        #expect(try await fixture.window(request).hasEndList)
        await fixture.close()
    }

    /// The programme is exported although only its status is requested.
    @Test func exportsProgrammeOfStoppedChannel() async throws {
        let fixture = try await fixture()
        try await fixture.record()
        try await fixture.pass(60)
        let recordings = try #require(fixture.recordings)
        let now = fixture.live.library.time.now
        let programme = Programme(
            name: "film", from: now.addingTimeInterval(-30), to: now.addingTimeInterval(60), formats: [.hls])
        try await recordings.addProgramme(programme, to: fixture.name)
        try await recordings.stop(fixture.name)
        fixture.live.library.time.advance(by: .seconds(50))
        #expect(try await recordings.status(of: fixture.name).channel.programmes[0][.hls]?.state == .waiting)
        fixture.live.library.time.advance(by: .seconds(20))
        guard case .done = try await exported(programme, fixture).state else {
            Issue.record("\(try await exported(programme, fixture))")
            return await fixture.close()
        }
        await fixture.close()
    }

    // MARK: - Overlaps

    @Test func servesRecordedPartOfWindow() async throws {
        let fixture = try await WindowFixture()
        try await fixture.timeline.append(TimelineRows.stored(100..<400))
        fixture.pass(to: Self.time(400))
        let request = WindowRequest.span(from: Self.time(50), to: Self.time(110))
        let entry = try await fixture.recording.entry(request)
        #expect(entry.begins == Self.time(100))
        let name = try #require(entry.text.split(separator: "\n").last?.split(separator: "/").last)
        let granted = try #require(WindowRequest(granted: String(name)))
        for (window, isGranted) in [(request, false), (granted, true)] {
            let playlist = try await fixture.window(window, isGranted: isGranted)
            #expect(playlist.segments.map(\.uri) == (100..<110).map { "\($0).ts" })
            #expect(playlist.segments[0].programDateTime?.nanosecondsSinceEpoch == Self.time(100))
            #expect(playlist.start?.timeOffset == .zero)
            #expect(playlist.hasEndList)
        }
        #expect(try await fixture.recording.finished(from: Self.time(50), to: Self.time(110)).begins == Self.time(100))
        // In the middle of a hole, the part after it is served.
        try await fixture.timeline.remove(Array(200..<300))
        #expect(try await fixture.recording.entry(.span(from: Self.time(250), to: nil)).begins == Self.time(300))
        // Neither without an overlap nor if strict.
        await #expect(throws: WindowOutOfRangeError.self) {
            try await fixture.recording.entry(.span(from: Self.time(50), to: Self.time(100)))
        }
        await #expect(throws: WindowOutOfRangeError.self) {
            try await fixture.recording.entry(.span(from: Self.time(210), to: Self.time(290)))
        }
        for request in [request, .span(from: Self.time(250), to: nil)] {
            let error = await #expect(throws: WindowOutOfRangeError.self) {
                try await fixture.recording.entry(request, isStrict: true)
            }
            #expect(error?.description.contains("the window begins outside the recorded time") == true)
            await #expect(throws: WindowOutOfRangeError.self) {
                try await fixture.recording.playlist(request, track: "video-1", isStrict: true)
            }
        }
        await fixture.close()
    }

    /// Dates are truncated to milliseconds.
    @Test(arguments: [true, false]) func acceptsDatesWrittenInPlaylists(isStrict: Bool) async throws {
        let fixture = try await WindowFixture()
        var rows = TimelineRows.stored(0..<10)
        for index in rows.indices { rows[index].start += 373_263_947 }
        try await fixture.timeline.append(rows)
        fixture.pass(to: rows[9].end)
        let all = try await fixture.text(.all)
        let line = try #require(all.split(separator: "\n").first { $0.hasPrefix("#EXT-X-PROGRAM-DATE-TIME:") })
        let date = try #require(DateTime(String(line.dropFirst(25))).nanosecondsSinceEpoch)
        #expect(date < rows[0].start)
        let entry = try await fixture.recording.entry(.span(from: date, to: nil), isStrict: isStrict)
        #expect(entry.begins == rows[0].start)
        // The edge as the API reports it, rounded up.
        let end = (rows[9].end + 999_999) / 1_000_000 * 1_000_000
        try await fixture.recording.change { $0.isWanted = true }
        let window = try await fixture.recording.finished(from: date, to: end, isStrict: isStrict)
        #expect(window.contents.parts.count == 10)
        await fixture.close()
    }

    // MARK: - Target durations

    @Test func slidingWindowsKeepTargetDuration() async throws {
        let fixture = try await WindowFixture()
        await fixture.recording.start()
        var rows = TimelineRows.stored(0..<400)
        rows[100].targetDuration = 9
        try await fixture.timeline.append(Array(rows.prefix(50)))
        #expect(try await fixture.window(.live(nil)).targetDuration == 2)
        try await fixture.timeline.append(Array(rows[50..<120]))
        #expect(try await fixture.window(.live(nil)).targetDuration == 9)
        try await fixture.timeline.append(Array(rows[120...]))
        fixture.pass(to: Self.time(400))
        #expect(try await fixture.window(.live(nil)).targetDuration == 9)
        #expect(try await fixture.window(.delayed(100 * Self.second)).targetDuration == 9)
        // A complete window has the target duration that it needs.
        #expect(try await fixture.window(.span(from: Self.time(200), to: Self.time(300))).targetDuration == 2)
        await fixture.close()
    }

    @Test func windowsDeclareIndependentSegments() async throws {
        let fixture = try await WindowFixture()
        let rows = TimelineRows.stored(0..<30).map { row in
            var row = row
            row.isIndependent = row.number < 20
            return row
        }
        try await fixture.timeline.append(rows)
        fixture.pass(to: Self.time(30))
        #expect(try await fixture.window(.span(from: Self.time(5), to: Self.time(20))).hasIndependentSegments)
        #expect(try await !fixture.window(.span(from: Self.time(5), to: Self.time(21))).hasIndependentSegments)
        await fixture.close()
    }
}
