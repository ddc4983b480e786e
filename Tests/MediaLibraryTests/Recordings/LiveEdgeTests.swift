import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of the live edge, and of windows that end at or after it.
@Suite(.timeLimit(.minutes(60)))
struct LiveEdgeTests {
    private static let second = TimelineRows.second

    private func edge(_ fixture: RecordingFixture) async throws -> Int64 {
        try #require(await (try fixture.recording).edge)
    }

    private func now(_ fixture: RecordingFixture) -> Int64 { fixture.live.library.time.now.nanosecondsSinceEpoch }

    // MARK: - Dead renditions

    @Test func deadRenditionDoesNotDelayEdge() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        fixture.live.library.origin.always(fixture.live.playlist("a1"), .status(404))
        let died = now(fixture)
        try await fixture.pass(300)
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        // A window up to the edge is finished, on the dead track too.
        let recording = try fixture.recording
        for track in ["video-1", "audio-1"] {
            let bytes = try await recording.playlist(.all, track: track)
            #expect(try WindowFixture.parsed(String(decoding: bytes, as: UTF8.self)).hasEndList, "\(track)")
        }
        // A window whose end is two minutes after the rendition died is over.
        let window = try await recording.finished(from: died - 30 * Self.second, to: died + 120 * Self.second)
        #expect(window.contents.parts.contains { $0.name.hasPrefix("video-1/") })
        #expect(try await recording.entry(.live(nil)).text.contains("audio-1") == false)
        // When the rendition recovers, it counts again.
        fixture.live.clearFaults()
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

    @Test func deadRenditionDoesNotLimitPlayableTime() async throws {
        let fixture = try await RecordingFixture.opened()
        fixture.live.library.origin.always(fixture.live.playlist("a1"), .status(404))
        try await fixture.record()
        try await fixture.pass(120)
        #expect(await (try fixture.recording).coverage.seconds >= 90)
        await fixture.close()
    }

    @Test func renditionThatDiesWithAwaitedSegmentsDoesNotDelayEdge() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        for number in fixture.live.next..<fixture.live.next + 4 {
            fixture.live.library.origin.always(fixture.live.segment(number, in: "a1"), .unreachable)
        }
        try await fixture.pass(7)
        fixture.live.library.origin.always(fixture.live.playlist("a1"), .unreachable)
        try await fixture.pass(200)
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        await fixture.close()
    }

    /// The playlist keeps listing all segments, as an event playlist does.
    @Test(arguments: [404, 403, 500]) func renditionWithFailingSegmentsDoesNotDelayEdge(status: Int) async throws {
        let fixture = try await RecordingFixture.afterRecording(60) { $0.window = 10_000 }
        let live = fixture.live
        for number in live.next..<live.next + 200 { live.fail(live.segment(number, in: "a1"), .status(status)) }
        let failed = now(fixture)
        try await fixture.pass(200)
        let recording = try fixture.recording
        #expect(await recording.silentTracks == ["audio-1"])
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        // After ten minutes the recorder stops waiting for a segment, which limits the number of awaited segments.
        #expect(try await fixture.gapCount("audio-1") == 0)
        try await fixture.pass(600)
        #expect(await recording.silentTracks == ["audio-1"])
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        #expect(try await fixture.gapCount("audio-1") >= 25)
        #expect(try await fixture.rows("audio-1").count { $0.state == .awaited } <= 105)
        #expect(try await fixture.gapCount("video-1") == 0)
        let window = try await recording.finished(from: failed - 30 * Self.second, to: failed + 120 * Self.second)
        #expect(window.gaps >= 15)
        // When the segments recover, the rendition counts again.
        live.clearFaults()
        try await fixture.pass(60)
        #expect(await recording.silentTracks == [])
        try await fixture.check("video-1", in: "v1") { _ in true }
        await fixture.close()
    }

    /// The host of one track's segments is unavailable, while the playlist keeps listing them.
    @Test func losesNoListedSegmentInPartialOutage() async throws {
        let fixture = try await RecordingFixture.afterRecording(60) { $0.window = 10_000 }
        let live = fixture.live
        for number in live.next..<live.next + 25 { live.fail(live.segment(number), .status(503)) }
        try await fixture.pass(120)
        #expect(await (try fixture.recording).silentTracks == ["video-1"])
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        live.clearFaults()
        try await fixture.pass(60)
        #expect(await (try fixture.recording).silentTracks == [])
        for (track, folder) in ["video-1": "v1", "audio-1": "a1"] { try await fixture.checkComplete(track, in: folder) }
        await fixture.close()
    }

    @Test func outageOfAllTracksStopsEdge() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
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
        let fixture = try await RecordingFixture.afterRecording(60)
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, fault)
        try await fixture.pass(7)
        // The playlist keeps listing the segment, so only the time limit ends the wait for it.
        fixture.live.window = 1000
        try await fixture.pass(13)
        #expect(try await fixture.gapCount() == 0)
        try await fixture.pass(atMost: 30) { try await fixture.gapCount() == 1 }
        #expect(try await edge(fixture) >= now(fixture) - 24 * Self.second)
        try await fixture.check { $0.url != url }
        await fixture.close()
    }

    @Test func edgePassesStalledSegmentAfterThreeTargetDurations() async throws {
        let fixture = try await RecordingFixture.afterRecording(60) { $0.window = 1000 }
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
        try await fixture.pass(6)
        #expect(await (try fixture.recording).isIdle())
        try await fixture.check { $0.url != url }
        await fixture.close()
    }

    /// A dead connection doesn't mean that the segment is unavailable.
    @Test func stalledSegmentIsRequestedAgain() async throws {
        let fixture = try await RecordingFixture.afterRecording(60) { $0.window = 1000 }
        let url = fixture.live.segment(fixture.live.next)
        let gate = ScriptedGate()
        fixture.live.library.origin.next(url, .holdHead(gate))
        fixture.gates = [gate]
        try await fixture.pass(atMost: 8) { fixture.live.library.origin.requests(for: url).count == 1 }
        try await fixture.pass(atMost: 13) { fixture.live.library.origin.requests(for: url).count == 2 }
        try #require(fixture.live.library.origin.requests(for: url).count == 2)
        try await fixture.pass(6)
        try await fixture.checkComplete()
        await fixture.close()
    }

    /// The segment receives data in each target duration, but takes longer than the edge waits for a stalled one.
    @Test func waitsForSlowSegment() async throws {
        let fixture = try await RecordingFixture.opened { live in
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
            while await recording.dependencies.recordingStore.receivedBytes(of: part) < (place + 1) * 2000 {
                try await Task.yieldUnlessCancelled()
            }
            try await fixture.pass(4.5)
            gate.open()
        }
        try await fixture.pass(12)
        #expect(fixture.live.library.origin.requests(for: url).count == 1)
        try await fixture.checkComplete()
        await fixture.close()
    }

    // MARK: - Ends of recordings

    /// The stream's clock is 40 s behind. The recording ends when that clock reaches its end time.
    @Test func recordsUntilEdgePassesEnd() async throws {
        let fixture = try await RecordingFixture.opened { $0.clock = -40 }
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

    /// A stream whose clock is three hours behind would reach the end time three hours late.
    @Test func doesNotWaitForClockFarBehind() async throws {
        let fixture = try await RecordingFixture.opened { $0.clock = -3 * 3600 }
        let end = fixture.live.library.time.now.addingTimeInterval(120)
        try await fixture.record { $0.endsAt = end }
        try await fixture.pass(atMost: 300) { await (try fixture.recording).state == .ended }
        let late = fixture.live.library.time.now.timeIntervalSince(end)
        #expect(late >= 78 && late <= 92, "\(late)")
        await fixture.close()
    }
}
