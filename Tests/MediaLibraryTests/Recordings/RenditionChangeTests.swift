import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of renditions that the stream adds, replaces or removes during a recording.
@Suite(.timeLimit(.minutes(60)))
struct RenditionChangeTests {
    /// The recording continues, and loads the removed rendition's playlist only every other minute.
    @Test func loadsRemovedRenditionRarely() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let (live, origin) = (fixture.live, fixture.live.library.origin)
        live.listsAudio = false
        origin.always(live.playlist("a1"), .status(404))
        try await fixture.pass(300)
        #expect(await (try fixture.recording).state == .recording)
        let before = [live.playlist("a1"), live.entry].map { origin.requests(for: $0).count }
        try await fixture.pass(600)
        let after = [live.playlist("a1"), live.entry].map { origin.requests(for: $0).count }
        #expect(zip(after, before).allSatisfy { $0 - $1 <= 6 }, "\(before) \(after)")
        #expect(await (try fixture.recording).state == .recording)
        // When the rendition returns, it is followed again.
        live.listsAudio = true
        live.clearFaults()
        try await fixture.pass(180)
        #expect(await (try fixture.recording).silentTracks == [])
        try await fixture.check("video-1", in: "v1") { _ in true }
        await fixture.close()
    }

    @Test(arguments: [false, true]) func removedRenditionStaysInPastWindows(restarts: Bool) async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let live = fixture.live
        let removed = fixture.live.library.time.now.nanosecondsSinceEpoch
        live.listsAudio = false
        live.library.origin.always(live.playlist("a1"), .status(404))
        try await fixture.pass(120)
        if restarts {
            await fixture.close()
            try await fixture.open()
            try await fixture.pass(30)
        }
        let recording = try fixture.recording
        let (from, to) = (removed - 40 * TimelineRows.second, removed - 15 * TimelineRows.second)
        let entry = try await recording.entry(.span(from: from, to: to)).text
        #expect(entry.contains("AUDIO=\"live a\"") && entry.contains("audio-1/"), "\(entry)")
        let window = try await recording.finished(from: from, to: to)
        #expect(window.contents.playlists.map(\.name).contains("audio-1/index.m3u8"))
        #expect(window.contents.playlists[0].text.contains("audio-1/index.m3u8"))
        #expect(try await recording.entry(.live(nil)).text.contains("audio-1") == false)
        // No gap is counted before or after the removal.
        for end in [to, removed + 30 * TimelineRows.second, removed + 80 * TimelineRows.second] {
            for start in [from, removed + 20 * TimelineRows.second] where start < end {
                #expect(try await recording.finished(from: start, to: end).gaps == 0)
            }
        }
        await fixture.close()
    }

    /// The origin removes the first of two renditions. The other one keeps its track, even if its URLs change.
    @Test(arguments: [("live", ""), ("live", "?token=2"), ("token-2", "")])
    func renditionKeepsTrackWhenEarlierOneIsRemoved(place: String, query: String) async throws {
        let fixture = try await RecordingFixture.opened { live in
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

    /// In the multivariant playlist, a rendition is replaced with one in another language.
    @Test func renditionInAnotherLanguageHasSeparateTrack() async throws {
        func rendition(_ language: String, _ folder: String) -> String {
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"live a\",NAME=\"B\",LANGUAGE=\"\(language)\","
                + "URI=\"live/\(folder)/index.m3u8\""
        }
        let fixture = try await RecordingFixture.opened { live in
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

    /// A rendition fails for minutes but is still listed, so its playlist is loaded as before.
    @Test func loadsDeadButListedRenditionContinuously() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
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
        let fixture = try await RecordingFixture.afterRecording(30)
        let (live, gate) = (fixture.live, ScriptedGate())
        live.definitions.entry = #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="live a",NAME="B",URI="live/v2/index.m3u8""#
        try await fixture.pass(6)
        live.library.origin.always(live.entry, .holdHead(gate))
        let recording = try fixture.recording
        let first = Task { try await recording.findTracks() }
        await gate.waitForArrivals()
        // Returns immediately, because the first call is in progress.
        try await recording.findTracks()
        gate.open()
        try await first.value
        #expect(await recording.folders == ["video-1", "audio-1", "audio-2"])
        #expect(recording.timelines.map(\.track) == ["video-1", "audio-1", "audio-2"])
        await fixture.close()
    }
}
