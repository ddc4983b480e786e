import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of recording a live stream with faults in its playlists.
@Suite(.timeLimit(.minutes(20)))
struct LiveRecordingTests {
    @Test(arguments: [2, 6]) func recordsWholeStream(target: Int) async throws {
        let fixture = try await RecordingFixture.opened { $0.target = target }
        try await fixture.pass(20)
        try await fixture.record()
        try await fixture.pass(Double(target) * 60)
        try await fixture.checkComplete()
        try await fixture.check("audio-1", in: "a1") { _ in true }
        #expect(fixture.live.library.origin.requests.allSatisfy { !$0.url.target.contains("v2") })
        await fixture.close()
    }

    /// A player waits for data that another origin doesn't send.
    @Test func waitingPlayerDoesNotDelayRecording() async throws {
        let fixture = try await RecordingFixture.afterRecording(30)
        let url = try ResourceURL("http://other.example/film.mp4")
        fixture.live.library.origin[url] = ScriptedResource(.bytes([1, 2, 3]), contentType: "video/mp4")
        fixture.live.library.origin.always(url, .holdHead(ScriptedGate()))
        let store = try #require(fixture.store)
        let playing = Task { _ = try? await store.read(ReadRequest(url: url)) }
        let before = fixture.live.library.origin.requests.count
        try await fixture.pass(12)
        #expect(fixture.live.library.origin.requests.count > before + 6)
        try await fixture.pass(120)
        playing.cancel()
        await playing.value
        try await fixture.pass(30)
        try await fixture.checkComplete()
        await fixture.close()
    }

    /// The next process also has the variables, although it loads the tracks' playlists first.
    @Test func importsVariablesFromMultivariantPlaylist() async throws {
        let fixture = try await RecordingFixture.opened { live in
            live.query = "?t=1"
            live.definitions = ("#EXT-X-DEFINE:NAME=\"query\",VALUE=\"t=1\"", "#EXT-X-DEFINE:IMPORT=\"query\"")
        }
        try await fixture.pass(20)
        try await fixture.record()
        try await fixture.pass(120)
        await fixture.close()
        try await fixture.open()
        try await fixture.pass(60)
        try await fixture.checkComplete()
        await fixture.close()
    }

    /// The playlists refer to a key on another host.
    @Test func sendsHeaderFieldsOnlyToOriginOfURL() async throws {
        let key = try ResourceURL("http://keys.example/a.key")
        let fixture = try await RecordingFixture.opened { live in
            live.line = { _, isFirst in isFirst ? "#EXT-X-KEY:METHOD=AES-128,URI=\"\(key)\"\n" : "" }
            live.seal = { bytes, _ in Array(bytes.prefix(736)) }
        }
        let origin = fixture.live.library.origin
        origin[key] = ScriptedResource(.bytes(Array(1...16)))
        try await fixture.record { $0.headers = ["Authorization": "Bearer abc"] }
        try await fixture.pass(30)
        #expect(!origin.requests(for: key).isEmpty)
        for request in origin.requests {
            #expect((request.headerFields[.authorization] == nil) == (request.url == key), "\(request.url)")
        }
        await fixture.close()
    }

    @Test(arguments: [6.0, 20, 600, 10_800]) func recordsThroughUnavailablePlaylists(outage: Double) async throws {
        let fixture = try await RecordingFixture.opened()
        try await fixture.pass(60)
        try await fixture.record()
        try await fixture.pass(60)
        let began = fixture.live.library.time.monotonic
        fixture.live.playlistsFail(.unreachable)
        try await fixture.pass(outage)
        fixture.live.clearFaults()
        let ended = fixture.live.library.time.monotonic
        try await fixture.pass(60)
        // Segments that are still listed after the outage aren't lost.
        let window = Duration.seconds(fixture.live.window * 6 - 6)
        for (track, folder) in [("video-1", "v1"), ("audio-1", "a1")] {
            try await fixture.check(track, in: folder) { $0.at < began - .seconds(6) || $0.at > ended - window }
            let missing = fixture.live.published[folder]!.filter {
                $0.at > began && $0.at < ended - window - .seconds(6)
            }
            #expect(try await fixture.gapCount(track) - missing.count >= 0)
            #expect(try await fixture.gapCount(track) - missing.count <= 3)
        }
        await fixture.close()
    }

    @Test(arguments: [
        ScriptedFault.status(500), .status(404), .page(), .status(503, retryAfter: "3600"), .reset(after: 20),
    ])
    func recordsThroughFailedPlaylistLoads(fault: ScriptedFault) async throws {
        let fixture = try await RecordingFixture.opened()
        try await fixture.record()
        for _ in 0..<4 {
            try await fixture.pass(33)
            fixture.live.playlistsFail(fault)
            try await fixture.pass(20)
            fixture.live.clearFaults()
        }
        try await fixture.pass(30)
        try await fixture.checkComplete()
        await fixture.close()
    }

    @Test func recordsThroughEmptyAndStalePlaylists() async throws {
        let fixture = try await RecordingFixture.opened()
        try await fixture.pass(60)
        try await fixture.record()
        var old: [String] = []
        for round in 0..<12 {
            try await fixture.pass(30)
            old.append(fixture.live.text("v1"))
            // Serves an empty playlist, or one that is older than its window of 36 s.
            fixture.live.updatesPlaylists = false
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n"
            fixture.live.serve(round % 2 == 0 ? text : old[max(0, round - 3)], "v1")
            try await fixture.pass(15)
            fixture.live.updatesPlaylists = true
        }
        try await fixture.pass(60)
        try await fixture.checkComplete()
        #expect(try await fixture.rows("video-1").allSatisfy { !$0.isDiscontinuous })
        await fixture.close()
    }

    @Test func recordsRestartedMediaSequence() async throws {
        let fixture = try await RecordingFixture.afterRecording(100) { $0.restart(at: 3000) }
        fixture.live.restart(as: "b#.ts")
        try await fixture.pass(100)
        try await fixture.check { _ in true }
        let rows = try await fixture.rows("video-1")
        #expect(rows.count { $0.isDiscontinuous } == 1)
        #expect(rows.count { $0.state == .gap } <= 2)
        await fixture.close()
    }

    @Test(arguments: [0, nil]) func recordsRestartedEncoderThatReusesNames(clock: Double?) async throws {
        let fixture = try await RecordingFixture.afterRecording(200) { $0.clock = clock }
        fixture.live.restart()
        try await fixture.pass(200)
        fixture.live.restart()
        try await fixture.pass(100)
        try await fixture.check { _ in true }
        try await fixture.check("audio-1", in: "a1") { _ in true }
        #expect(try await fixture.rows("video-1").count { $0.isDiscontinuous } == 2)
        await fixture.close()
    }

    @Test func continuesAfterFalseEndList() async throws {
        let fixture = try await RecordingFixture.afterRecording(100)
        fixture.live.hasEndList = true
        try await fixture.pass(8)
        fixture.live.hasEndList = false
        try await fixture.pass(100)
        try await fixture.check { _ in true }
        #expect(await (try fixture.recording).state == .recording)
        await fixture.close()
    }

    @Test func recordsChangedTargetDuration() async throws {
        let fixture = try await RecordingFixture.opened()
        try await fixture.record()
        for target in [6, 2, 10, 4] {
            fixture.live.target = target
            try await fixture.pass(90)
        }
        try await fixture.pass(12)
        try await fixture.checkComplete()
        await fixture.close()
    }

    @Test(arguments: [86_400.0, -86_400]) func recordsThroughClockJump(jump: Double) async throws {
        let fixture = try await RecordingFixture.afterRecording(100)
        fixture.live.clock = jump
        try await fixture.pass(100)
        fixture.live.clock = 0
        try await fixture.pass(100)
        try await fixture.check { _ in true }
        let rows = try await fixture.rows("video-1")
        let length = try #require(rows.last).end - rows[0].start
        #expect(abs(Double(length) / 1e9 - Double(rows.count * 6)) < 1)
        await fixture.close()
    }

    @Test(arguments: [true, false]) func refreshesExpiredLinks(isInPath: Bool) async throws {
        let fixture = try await RecordingFixture.opened { $0.place = "token-0" }
        try await fixture.record()
        for round in 1..<6 {
            try await fixture.pass(60)
            for folder in fixture.live.folders {
                fixture.live.library.origin.always(fixture.live.playlist(folder), .status(403))
            }
            for item in fixture.live.published.values.joined() {
                fixture.live.library.origin.always(item.url, .status(403))
            }
            if isInPath { fixture.live.place = "token-\(round)" } else { fixture.live.query = "?token=\(round)" }
            fixture.live.renewLinks()
        }
        try await fixture.pass(60)
        try await fixture.checkComplete()
        #expect(try await fixture.rows("video-1").allSatisfy { !$0.isDiscontinuous })
        await fixture.close()
    }

    /// Every minute, the next segment fails, and the multivariant playlist then lists the URLs of a new session.
    @Test(arguments: [0, nil]) func continuesWithURLsOfNewSession(clock: Double?) async throws {
        let fixture = try await RecordingFixture.opened { live in
            live.clock = clock
            live.place = "session-1"
            live.names = "media_w1_#.ts"
        }
        let live = fixture.live
        try await fixture.record()
        for round in 2..<6 {
            try await fixture.pass(60)
            for folder in live.folders { live.fail(live.segment(live.next, in: folder), .status(404)) }
            try await fixture.pass(8)
            let names = live.names
            live.place = "session-\(round)"
            live.names = "media_w\(round)_#.ts"
            live.renewLinks(from: names)
        }
        try await fixture.pass(60)
        for (track, folder) in ["video-1": "v1", "audio-1": "a1"] {
            try await fixture.checkComplete(track, in: folder)
            #expect(try await fixture.rows(track).allSatisfy { !$0.isDiscontinuous })
        }
        await fixture.close()
    }

    /// For a while, the origin serves a slate instead of the multivariant playlist.
    @Test func mediaPlaylistDoesNotReplaceMultivariantPlaylist() async throws {
        let fixture = try await RecordingFixture.afterRecording(60) { $0.window = 20 }
        let live = fixture.live
        live.slate = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nslate.ts\n"
        for number in live.next..<live.next + 3 {
            for folder in ["v1", "a1"] { live.fail(live.segment(number, in: folder), .status(403)) }
        }
        let before = live.library.origin.requests(for: live.entry).count
        try await fixture.pass(14)
        #expect(live.library.origin.requests(for: live.entry).count > before)
        live.slate = nil
        live.clearFaults()
        try await fixture.pass(60)
        await fixture.close()
        try await fixture.open()
        try await fixture.pass(30)
        let recording = try fixture.recording
        #expect(recording.timelines.map(\.track) == ["video-1", "audio-1"])
        for (track, folder) in ["video-1": "v1", "audio-1": "a1"] {
            try await fixture.checkComplete(track, in: folder)
            let first = try #require(try await fixture.rows(track).first)
            let bytes = try await recording.playlist(.span(from: first.start, to: first.end), track: track)
            #expect(String(decoding: bytes, as: UTF8.self).contains(first.name))
        }
        await fixture.close()
    }

    /// Before the event begins, its URL serves a slate as a media playlist.
    @Test(arguments: [(false, false), (true, false), (false, true)])
    func recordsStreamThatReplacesSlate(restarts: Bool, isDownload: Bool) async throws {
        let fixture = try await RecordingFixture.opened { live in
            live.serveSlate("#EXTM3U\n#EXT-X-TARGETDURATION:60\n#EXTINF:6,\nslate.ts\n")
        }
        let live = fixture.live
        try await fixture.record { $0.endsWhenUnchanged = isDownload }
        try await fixture.pass(20)
        #expect(try fixture.recording.timelines.map(\.track) == ["media-1"])
        if restarts { await fixture.close() }
        live.slate = nil
        live.publish()
        if restarts { try await fixture.open() }
        try await fixture.pass(420)
        let recording = try fixture.recording
        #expect(await recording.state == .recording)
        #expect(recording.timelines.map(\.track) == ["media-1", "video-1", "audio-1"])
        try await fixture.check("video-1", in: "v1") { _ in true }
        try await fixture.check("audio-1", in: "a1") { _ in true }
        #expect(try await recording.entry(.live(nil)).text.contains("video-1/index.m3u8"))
        live.hasEndList = true
        try await fixture.pass(atMost: 60) { await recording.state == .ended }
        await fixture.close()
    }

    @Test func recordsWithTokensThatChangeInEachPlaylist() async throws {
        let fixture = try await RecordingFixture.opened()
        try await fixture.record()
        for round in 0..<10 {
            fixture.live.tokens = "?token=\(round)"
            fixture.live.renewLinks()
            try await fixture.pass(20)
        }
        try await fixture.checkComplete()
        await fixture.close()
    }
}
