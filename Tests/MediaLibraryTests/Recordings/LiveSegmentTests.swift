import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of recording a live stream with faults in its segments and keys and on the disk.
@Suite(.timeLimit(.minutes(20)))
struct LiveSegmentTests {
    @Test(arguments: [
        ScriptedFault.status(404), .status(500), .status(503, retryAfter: "3600"), .page(), .unreachable,
        .reset(after: 100), .bodyShorter(by: 300), .closeDelimited(after: 0),
    ])
    func recordsSegmentAfterTemporaryFault(fault: ScriptedFault) async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let origin = fixture.live.library.origin
        for _ in 0..<3 {
            let url = fixture.live.segment(fixture.live.next)
            origin.always(url, fault)
            // The edge waits three target durations.
            try await fixture.pass(18)
            origin.clearFaults(url)
            try await fixture.pass(24)
        }
        try await fixture.checkComplete()
        await fixture.close()
    }

    @Test(arguments: [ScriptedFault.status(404), .status(500), .page(), .unreachable])
    func permanentlyFailingSegmentIsGap(fault: ScriptedFault) async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, fault)
        try await fixture.pass(200)
        try await fixture.check { $0.url != url }
        #expect(try await fixture.gapCount() == 1)
        #expect(fixture.reportedReasons("video-1").count == 1)
        let timeline = try #require(try fixture.recording.timelines.first)
        #expect(timeline.edge >= timeline.next - 1)
        await fixture.close()
    }

    @Test func resumesStalledSegment() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let gate = ScriptedGate()
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.next(url, .stall(after: 200, until: gate))
        fixture.gates = [gate]
        try await fixture.pass(60)
        try await fixture.pass(30)
        // The transfer resumed after the bytes already received.
        let requests = fixture.live.library.origin.requests(for: url)
        #expect(requests.count == 2)
        #expect(requests.last?.range != nil)
        try await fixture.checkComplete()
        await fixture.close()
    }

    @Test(arguments: [30.0, 600]) func recordsThroughOriginOutage(outage: Double) async throws {
        let fixture = try await RecordingFixture.afterRecording(60) { $0.window = 10 }
        let began = fixture.live.library.time.monotonic
        fixture.live.library.origin.isReachable = false
        try await fixture.pass(outage)
        fixture.live.library.origin.isReachable = true
        let ended = fixture.live.library.time.monotonic
        try await fixture.pass(60)
        // Segments that the origin still has after the outage aren't lost.
        try await fixture.check { $0.at < began - .seconds(6) || $0.at > ended - .seconds(54) }
        if outage < 50 { #expect(try await fixture.gapCount() == 0) }
        await fixture.close()
    }

    /// A recorded segment has its own cache key, which the request for its coded body must use as well.
    @Test func decodesContentCoding() async throws {
        let live = LiveOrigin()
        live.seal = { bytes, _ in CompressedSample.stored(bytes) }
        for number in 0..<20 {
            for folder in ["v1", "a1"] {
                live.library.origin.always(live.segment(number, in: folder), .contentEncoding("gzip"))
            }
        }
        let fixture = try await RecordingFixture.afterRecording(60, live)
        let rows = try await fixture.rows("video-1")
        #expect(rows.count >= 9)
        #expect(rows.allSatisfy { $0.state == .stored })
        for row in rows {
            let coded = try #require(live.published["v1"]?.first { $0.url.description == row.url }).bytes
            let decoded = try Inflater.inflate(coded, limit: 1 << 20)
            #expect(try await fixture.bytes(row, "video-1") == decoded)
        }
        let resources = try #require(try await fixture.store?.resources())
        #expect(resources.filter { $0.url.contains("/v1/") && $0.url.contains(".ts") }.count == rows.count)
        #expect(resources.allSatisfy { $0.isPinned || !$0.url.contains(".ts") })
        await fixture.close()
    }

    /// A recorded byte range has its own cache key, under which wrong content must not remain.
    @Test(arguments: [true, false]) func fetchesByteRangeAgainAfterWrongContent(isShort: Bool) async throws {
        let live = LiveOrigin()
        live.line = { _, _ in "#EXT-X-BYTERANGE:752@0\n" }
        let fixture = try await RecordingFixture.afterRecording(60, live)
        let media = try #require(live.published["v1"]?.first).bytes
        let start = Array("<!DOCTYPE html>".utf8)
        let page = start + [UInt8](repeating: 0x20, count: media.count - start.count)
        let number = live.next
        live.seal = { bytes, current in
            guard current == number else { return bytes }
            return isShort ? Array(bytes.prefix(376)) : page
        }
        let url = live.segment(number)
        try await fixture.pass(8)
        #expect(try await fixture.rows("video-1").first { $0.url == url.description }?.state == .awaited)
        for folder in ["v1", "a1"] {
            live.library.origin.replaceBody(
                live.segment(number, in: folder), with: .bytes(media), entityTag: "\"media\"")
        }
        try await fixture.pass(15)
        let row = try #require(try await fixture.rows("video-1").first { $0.url == url.description })
        #expect(row.state == .stored)
        #expect(try await fixture.bytes(row, "video-1") == media)
        await fixture.close()
    }

    // MARK: - Long playlists

    /// Segments that retention would remove immediately aren't fetched unless a programme pins them.
    @Test(arguments: [Retention(seconds: 60), Retention(segments: 10)])
    func doesNotFetchSegmentsThatRetentionWouldRemove(retention: Retention) async throws {
        let fixture = try await RecordingFixture.opened { $0.window = 1000 }
        let live = fixture.live
        try await fixture.pass(1200)
        try await fixture.record {
            $0.retention = retention
            $0.starts = false
        }
        let now = live.library.time.now
        let programme = Programme(name: "film", from: now.addingTimeInterval(-600), to: now.addingTimeInterval(-540))
        try await fixture.recordings?.addProgramme(programme, to: fixture.name)
        try await fixture.recordings?.start(fixture.name)
        try await fixture.pass(30)
        let requested = live.library.origin.requests.filter {
            $0.url.target.contains("v1/") && $0.url.target.hasSuffix(".ts")
        }
        #expect(requested.count >= 24 && requested.count <= 29, "\(requested.count)")
        let ranges = try fixture.recording.timelines[0].recordedRanges()
        #expect(ranges.count == 2)
        #expect(ranges.first?.overlaps(programme.nanoseconds) == true)
        #expect(fixture.reportedGaps("video-1") == [])
        #expect(await (try fixture.recording).edge ?? 0 >= live.library.time.now.nanosecondsSinceEpoch - 24_000_000_000)
        await fixture.close()
    }

    /// A short outage after the end of the stream doesn't lose segments that weren't fetched before it.
    @Test func losesNoBacklogInOutageAfterEnd() async throws {
        let fixture = try await RecordingFixture.opened { $0.window = 10_000 }
        let live = fixture.live
        try await fixture.pass(600)
        let origin = live.library.origin
        // Each gate delays six segments of each track for 15 s.
        let gates = (0..<4).map { _ in ScriptedGate() }
        for (index, folder) in gates.indices.flatMap({ index in ["v1", "a1"].map { (index, $0) } }) {
            for number in index * 6..<index * 6 + 6 {
                origin.always(live.segment(number, in: folder), .holdHead(gates[index]))
            }
        }
        fixture.gates = gates
        // Playlists don't wait for a connection behind the twelve segments.
        fixture.store?.updateSchedulingLimits { $0.perHost = 14 }
        try await fixture.record()
        for (index, gate) in gates.enumerated() {
            try await fixture.pass(5)
            if index == 1 { live.hasEndList = true }
            try await fixture.pass(10)
            if index == 3 { origin.isReachable = false }
            gate.open()
        }
        try await fixture.pass(15)
        origin.isReachable = true
        try await fixture.pass(60)
        for (track, folder) in ["video-1": "v1", "audio-1": "a1"] {
            #expect(try await fixture.gapCount(track) == 0)
            #expect(try await fixture.rows(track).count >= 100)
            try await fixture.check(track, in: folder) { _ in true }
        }
        await fixture.close()
    }

    // MARK: - Keys

    @Test(arguments: [0, 2000]) func requestsEachChangingKeyOnce(first: Int) async throws {
        let live = LiveOrigin()
        live.restart(at: first)
        // Each key is used for ten segments, without an explicit initialization vector.
        func key(_ number: Int) -> [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: number / 10 * 3 + $0) } }
        live.seal = { bytes, number in
            let iv = (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: number >> ((15 - $0) * 8)) }
            return encryptAES(bytes, key: key(number), vector: iv)
        }
        // The tokens change with each update of a playlist.
        var loads = 0
        let origin = live.library.origin
        live.line = { number, isFirst in
            guard isFirst || number % 10 == 0 else { return "" }
            loads += isFirst ? 1 : 0
            let name = "keys/\(number / 10).key?token=\(loads)"
            origin[LiveOrigin.url(name)] = ScriptedResource(
                .bytes(key(number)), contentType: "application/octet-stream")
            return "#EXT-X-KEY:METHOD=AES-128,URI=\"/\(name)\"\n"
        }
        let fixture = try await RecordingFixture.afterRecording(60, live)
        try await fixture.pass(200)
        try await fixture.checkComplete()
        let rows = try await fixture.rows("video-1")
        let keys = fixture.live.library.origin.requests.filter { $0.url.target.contains(".key") }
        // Each track requests its keys separately.
        #expect(keys.count == 2 * Set(rows.map { $0.originSequence / 10 }).count)
        #expect(rows.allSatisfy { $0.conditions.companions.count == 1 })
        await fixture.close()
    }

    /// A stream with a new key every ten segments, and a key server that may fail. The keys' URLs change with each
    /// update.
    private final class KeyServer {
        let live = LiveOrigin()
        var fault: ScriptedFault? {
            didSet {
                for (url, load) in urls { apply(url, load) }
            }
        }
        /// The keys that are never available.
        var absent: Set<Int> = []
        /// Returns whether the fault applies to the keys of an update. Updates are counted from 1: v1, v2, a1, v1…
        var isFaulty: (_ load: Int) -> Bool = { _ in true }
        private(set) var urls: [(url: ResourceURL, load: Int)] = []
        private var loads = 0

        init() {
            // Pads segments to whole blocks, as encryption does.
            live.seal = { bytes, _ in bytes + [UInt8](repeating: 0, count: 16 - bytes.count % 16) }
            live.line = { [self] number, isFirst in
                guard isFirst || number % 10 == 0 else { return "" }
                loads += isFirst ? 1 : 0
                return "#EXT-X-KEY:METHOD=AES-128,URI=\"/\(key(number / 10))\"\n"
            }
        }

        private func key(_ number: Int) -> String {
            let name = "keys/\(number).key?token=\(loads)"
            let url = LiveOrigin.url(name)
            live.library.origin[url] = ScriptedResource(
                .bytes((0..<16).map { UInt8(truncatingIfNeeded: number * 3 + $0) }),
                contentType: "application/octet-stream")
            urls.append((url, loads))
            apply(url, loads)
            if absent.contains(number) { live.library.origin.always(url, .status(404)) }
            return name
        }

        private func apply(_ url: ResourceURL, _ load: Int) {
            live.library.origin.clearFaults(url)
            if let fault, isFaulty(load) { live.library.origin.always(url, fault) }
        }

        var requestCount: Int { live.library.origin.requests.count { $0.url.target.contains(".key") } }
    }

    /// Returns how far the edge is behind the present, in nanoseconds.
    private func behind(_ fixture: RecordingFixture) async throws -> Int64 {
        fixture.live.library.time.now.nanosecondsSinceEpoch - (await (try fixture.recording).edge ?? 0)
    }

    /// Segments leave their playlist while no key is available. Their media is fetched before that, their keys later.
    @Test(arguments: [ScriptedFault.status(503), .status(404), .unreachable])
    func recordsThroughLongKeyServerOutage(fault: ScriptedFault) async throws {
        let keys = KeyServer()
        let fixture = try await RecordingFixture.afterRecording(60, keys.live)
        keys.fault = fault
        let before = keys.requestCount
        try await fixture.pass(300)
        // On average, each key is requested at most once every two seconds, however many segments need it.
        #expect(keys.requestCount - before <= 2 * 6 * 150)
        keys.fault = nil
        try await fixture.pass(30)
        try await fixture.checkComplete()
        #expect(try await behind(fixture) <= 24_000_000_000)
        await fixture.close()
    }

    /// One track's keys are unavailable. The other track continues, and a window isn't over while segments await keys.
    @Test func trackThatWaitsForKeysDoesNotDelayEdge() async throws {
        let keys = KeyServer()
        keys.isFaulty = { $0 % 3 == 1 }
        let fixture = try await RecordingFixture.afterRecording(60, keys.live)
        keys.fault = .status(503)
        let began = fixture.live.library.time.now.nanosecondsSinceEpoch
        try await fixture.pass(120)
        let recording = try fixture.recording
        #expect(await recording.silentTracks == ["video-1"])
        #expect(try await behind(fixture) <= 24_000_000_000)
        let (from, to) = (began + 30_000_000_000, began + 60_000_000_000)
        await #expect(throws: WindowOutOfRangeError.self) { try await recording.finished(from: from, to: to) }
        keys.fault = nil
        try await fixture.pass(30)
        #expect(await recording.silentTracks == [])
        #expect(try await behind(fixture) <= 24_000_000_000)
        let window = try await recording.finished(from: from, to: to)
        #expect(window.gaps == 0 && window.contents.parts.count { $0.name.hasPrefix("video-1/") } >= 6)
        try await fixture.check { _ in true }
        await fixture.close()
    }

    /// If later segments are complete, the edge doesn't wait for an unavailable key.
    @Test func edgePassesSegmentsWithUnavailableKey() async throws {
        let keys = KeyServer()
        keys.absent = [3]
        let fixture = try await RecordingFixture.afterRecording(60, keys.live)
        try await fixture.pass(atMost: 300) { keys.live.next >= 47 }
        let lost = try await fixture.rows("video-1").filter { $0.state != .stored }
        #expect(lost.map(\.originSequence) == Array(30..<40))
        #expect(lost.allSatisfy { $0.state == .gap })
        #expect(try await behind(fixture) <= 24_000_000_000)
        await fixture.close()
    }

    /// Retention also applies to media whose keys are missing.
    @Test func retentionAppliesWhileKeysAreUnavailable() async throws {
        let keys = KeyServer()
        let fixture = try await RecordingFixture.afterRecording(60, keys.live)
        try await fixture.recordings?.setRetention(Retention(seconds: 60), of: fixture.name)
        keys.fault = .status(503)
        try await fixture.pass(300)
        let rows = try await fixture.rows("video-1")
        let awaited = rows.filter { $0.state == .awaited }
        #expect(awaited.count >= 8 && awaited.count <= 12, "\(awaited.count)")
        await fixture.close()
    }

    // MARK: - The disk

    @Test func recordsThroughFullDisk() async throws {
        let disk = FullDisk()
        let fixture = try await RecordingFixture.afterRecording(60, LiveOrigin(files: disk.files))
        for _ in 0..<3 {
            disk.isFull = true
            try await fixture.pass(17)
            disk.isFull = false
            try await fixture.pass(30)
        }
        try await fixture.checkComplete()
        await fixture.close()
    }

    /// An ending recording waits for a limited time until lost segments can be stored. The disk is full for longer.
    @Test func endsWhenFullDiskHasSpaceAgain() async throws {
        let disk = FullDisk()
        let fixture = try await RecordingFixture.afterRecording(60, LiveOrigin(files: disk.files))
        fixture.live.fail(fixture.live.segment(fixture.live.next), .status(500))
        try await fixture.pass(8)
        let recording = try fixture.recording
        try await recording.setEnd()
        disk.isFull = true
        // The fixture would wait until the lost segment is stored.
        fixture.isHanging = true
        let time = fixture.live.library.time
        for _ in 0..<120 where await recording.state != .stopped {
            try await fixture.pass(0.5)
            while await recording.state != .stopped, await !time.deadlines.contains(recording.sleepsUntil ?? .zero) {
                try await Task.yieldUnlessCancelled()
            }
        }
        try #require(await recording.state == .stopped)
        disk.isFull = false
        fixture.isHanging = false
        try await fixture.end()
        #expect(await recording.state == .ended)
        #expect(try await fixture.assetStore?.assets().count == 1)
        #expect(try await fixture.gapCount() == 1)
        #expect(try await fixture.rows("video-1").allSatisfy { $0.state != .awaited })
        await fixture.close()
    }
}

/// A simulated disk that can be full.
private final class FullDisk: Sendable {
    private let state = Mutex(false)
    var isFull: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    var files: HookedFileSystem {
        HookedFileSystem { moment, path in
            guard moment == .replacing, self.isFull else { return }
            throw CacheError(.storage, "\(path): no space left")
        }
    }
}
