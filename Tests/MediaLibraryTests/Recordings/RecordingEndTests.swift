import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

/// Tests of the end of recordings: with work in progress, after the end of the stream, and during outages.
@Suite(.timeLimit(.minutes(20)))
struct RecordingEndTests {
    /// Returns a hold on the next write of a page of the video track's timeline.
    private static func pageHold() -> DiskHold {
        DiskHold { $0 == .replacing && $1.contains("video-1.") && $1.contains(".page") }
    }

    /// Advances time until the disk is blocked. Everything due happens after each step.
    private func pass(_ fixture: RecordingFixture, until hold: DiskHold) async throws {
        while !hold.isReached {
            fixture.live.library.time.advance(by: fixture.step)
            fixture.live.publish()
            while !hold.isReached, await !fixture.isSettled { try await Task.yieldUnlessCancelled() }
        }
    }

    /// New segments are awaited only after their rows are on disk. The end of the recording waits for that, too.
    @Test func endWaitsForSegmentsBeingAppended() async throws {
        let hold = Self.pageHold()
        defer { hold.release() }
        let fixture = try await RecordingFixture.afterRecording(60, LiveOrigin(files: hold.files))
        hold.arm()
        try await pass(fixture, until: hold)
        let url = fixture.live.segment(fixture.live.next - 1)
        try await (try fixture.recording).setEnd()
        // Keeps the fixture from waiting for the blocked disk.
        fixture.isHanging = true
        try await fixture.pass(3)
        fixture.isHanging = false
        #expect(await (try fixture.recording).state == .recording)
        hold.release()
        try await fixture.pass(atMost: 10) { await (try fixture.recording).state == .ended }
        try await fixture.check(through: url)
        #expect(try await fixture.gapCount() == 0)
        #expect(try await fixture.rows("video-1").last?.url == url.description)
        await fixture.close()
    }

    /// One track's last playlist lacks EXT-X-ENDLIST. The recording ends when this playlist hasn't changed for a while.
    @Test(arguments: ["a1", "v1"]) func endsWithTrackThatStopsWithoutEndList(folder: String) async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let live = fixture.live
        live.hasEndList = true
        live.publish()
        live.serve(live.text(folder).replacing("#EXT-X-ENDLIST\n", with: ""), folder)
        try await fixture.pass(50)
        #expect(await (try fixture.recording).state != .ended)
        try await fixture.pass(atMost: 40) { await (try fixture.recording).state == .ended }
        try await fixture.checkComplete()
        await fixture.close()
    }

    /// The stream of a live download pauses right after the first load.
    @Test(arguments: [2, 6]) func pauseAfterFirstLoadDoesNotEndDownload(target: Int) async throws {
        let fixture = try await RecordingFixture.opened { $0.target = target }
        let live = fixture.live
        try await fixture.pass(Double(target * 6))
        try await fixture.record { $0.endsWhenUnchanged = true }
        try await fixture.pass(1)
        live.updatesPlaylists = false
        try await fixture.pass(50)
        #expect(await (try fixture.recording).state != .ended)
        live.updatesPlaylists = true
        try await fixture.pass(30)
        #expect(await (try fixture.recording).state == .recording)
        // The stream ends without EXT-X-ENDLIST.
        live.updatesPlaylists = false
        try await fixture.pass(atMost: 70) { await (try fixture.recording).state == .ended }
        await fixture.close()
    }

    /// A segment longer than the target duration takes that much longer to appear.
    @Test func endOfDownloadWaitsForLongSegments() async throws {
        let fixture = try await RecordingFixture.opened { live in
            live.serveSlate("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:40,\nslate.ts\n")
        }
        try await fixture.record { $0.endsWhenUnchanged = true }
        try await fixture.pass(110)
        #expect(await (try fixture.recording).state != .ended)
        try await fixture.pass(atMost: 20) { await (try fixture.recording).state == .ended }
        await fixture.close()
    }

    @Test func reportsEndAfterLostSegmentsAreStored() async throws {
        let hold = Self.pageHold()
        defer { hold.release() }
        let fixture = try await RecordingFixture.afterRecording(60, LiveOrigin(files: hold.files))
        let gate = ScriptedGate()
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, .holdHead(gate))
        fixture.gates = [gate]
        try await fixture.pass(atMost: 10) {
            try await fixture.rows("video-1").contains { $0.state == .awaited && $0.url == url.description }
        }
        try await (try fixture.recording).setEnd()
        hold.arm()
        try await pass(fixture, until: hold)
        #expect(await (try fixture.recording).state == .recording)
        hold.release()
        try await fixture.pass(atMost: 10) { await (try fixture.recording).state != .recording }
        let status = await (try fixture.recording).status()
        #expect(status.state == .ended && status.gaps == 1)
        gate.open()
        await fixture.close()
        try await fixture.open()
        #expect(try await fixture.gapCount() == 1)
        #expect(try await fixture.rows("video-1").allSatisfy { $0.state != .awaited })
        await fixture.close()
    }

    @Test func endsAtNextStartIfEndCannotBeStored() async throws {
        let isFailing = Mutex(false)
        let files = HookedFileSystem { moment, path in
            guard moment == .replacing, path.contains("/channels/"), isFailing.withLock({ $0 }) else { return }
            throw CacheError(.storage, "the disk fails")
        }
        let fixture = try await RecordingFixture.afterRecording(60, LiveOrigin(files: files))
        try await (try fixture.recording).setEnd()
        isFailing.withLock { $0 = true }
        try await fixture.pass(atMost: 30) { await (try fixture.recording).state == .stopped }
        #expect(try await fixture.assetStore?.assets().isEmpty == true)
        isFailing.withLock { $0 = false }
        try await fixture.recordings?.start(fixture.name)
        try await fixture.pass(atMost: 30) { await (try fixture.recording).state == .ended }
        #expect(try await fixture.assetStore?.assets().count == 1)
        await fixture.close()
    }

    /// The stream has ended, and its origin becomes unavailable before the last segment is fetched.
    @Test(arguments: [false, true]) func endsWhenOriginStaysUnavailableAfterEndOfStream(restarts: Bool) async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let live = fixture.live
        let last = live.segment(live.next)
        live.fail(last, .status(503))
        try await fixture.pass(6)
        live.hasEndList = true
        try await fixture.pass(atMost: 12) { await (try fixture.recording).hasEndList }
        live.library.origin.isReachable = false
        // The recorder waits 300 s for the origin, in each process.
        try await fixture.pass(240)
        #expect(await (try fixture.recording).state != .ended)
        #expect(try await fixture.rows("video-1").last?.state == .awaited)
        if restarts {
            await fixture.close()
            try await fixture.open()
            try await fixture.pass(240)
            #expect(await (try fixture.recording).state != .ended)
        }
        try await fixture.pass(atMost: 120) { await (try fixture.recording).state == .ended }
        let rows = try await fixture.rows("video-1")
        #expect(rows.filter { $0.state == .gap }.map(\.url) == [last.description])
        try await fixture.check { $0.url != last }
        #expect(fixture.reportedReasons("video-1").count == 1)
        await fixture.close()
    }

    /// A stream that hasn't ended may return after a long outage, even in the next process.
    @Test(arguments: [false, true]) func doesNotEndDuringOutage(restarts: Bool) async throws {
        let fixture = try await RecordingFixture.afterRecording(30)
        let live = fixture.live
        // This EXT-X-ENDLIST is a mistake.
        live.hasEndList = true
        try await fixture.pass(6)
        live.hasEndList = false
        try await fixture.pass(30)
        live.library.origin.isReachable = false
        try await fixture.pass(60)
        if restarts {
            await fixture.close()
            try await fixture.open()
        }
        try await fixture.pass(900)
        #expect(await (try fixture.recording).state != .ended)
        live.library.origin.isReachable = true
        try await fixture.pass(60)
        #expect(await (try fixture.recording).state == .recording)
        await fixture.close()
    }

    /// The stream dropped a rendition whose last playlist has EXT-X-ENDLIST. An outage follows later.
    @Test(arguments: [false, true]) func renditionThatEndedLongAgoDoesNotEndRecording(restarts: Bool) async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let live = fixture.live
        live.serve(live.text("a1") + "#EXT-X-ENDLIST\n", "a1")
        live.folders.removeAll { $0 == "a1" }
        try await fixture.pass(120)
        #expect(await (try fixture.recording).hasEndedTrack)
        live.library.origin.isReachable = false
        try await fixture.pass(90)
        if restarts {
            await fixture.close()
            try await fixture.open()
        }
        try await fixture.pass(600)
        #expect(await (try fixture.recording).state != .ended)
        live.library.origin.isReachable = true
        try await fixture.pass(60)
        #expect(await (try fixture.recording).state == .recording)
        await fixture.close()
    }

    /// One track has EXT-X-ENDLIST while the host of another track is unavailable for a few minutes.
    @Test func waitsForUnavailableTrackWhenStreamEnds() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let live = fixture.live
        live.fail(live.playlist("a1"), .status(503))
        try await fixture.pass(12)
        live.hasEndList = true
        try await fixture.pass(200)
        #expect(await (try fixture.recording).state != .ended)
        live.clearFaults()
        try await fixture.pass(atMost: 60) { await (try fixture.recording).state == .ended }
        for (track, folder) in ["video-1": "v1", "audio-1": "a1"] {
            #expect(try await fixture.gapCount(track) == 0)
            #expect(try await fixture.rows(track).last?.url == live.published[folder]?.last?.url.description)
        }
        await fixture.close()
    }
}
