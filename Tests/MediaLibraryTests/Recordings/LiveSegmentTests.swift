import CryptoExtras
import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

/// Recording a live stream through what goes wrong with its segments, its keys and its disk.
struct LiveSegmentTests {
    private func fixture(
        _ live: LiveOrigin = LiveOrigin(), _ change: (LiveOrigin) -> Void = { _ in }
    ) async throws -> RecordingFixture {
        change(live)
        let fixture = RecordingFixture(live)
        live.publish()
        try await fixture.open()
        try await fixture.record()
        try await fixture.pass(60)
        return fixture
    }

    @Test(arguments: [
        ScriptedFault.status(404), .status(500), .status(503, retryAfter: "3600"), .page(), .unreachable,
        .reset(after: 100), .bodyShorter(by: 300), .closeDelimited(after: 0),
    ])
    func aSegmentThatComesLater(fault: ScriptedFault) async throws {
        let fixture = try await fixture()
        let origin = fixture.live.library.origin
        for _ in 0..<3 {
            let url = fixture.live.segment(fixture.live.next)
            origin.always(url, fault)
            try await fixture.pass(20)
            origin.clearFaults(url)
            try await fixture.pass(20)
        }
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    @Test(arguments: [ScriptedFault.status(404), .status(500), .page(), .unreachable])
    func aSegmentThatNeverComes(fault: ScriptedFault) async throws {
        let fixture = try await fixture()
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, fault)
        try await fixture.pass(200)
        try await fixture.check { $0.url != url }
        #expect(try await fixture.gapCount() == 1)
        #expect(fixture.toldReasons("video-1").count == 1)
        let timeline = try #require(try fixture.recording.timelines.first)
        #expect(timeline.edge >= timeline.next - 1)
        await fixture.close()
    }

    @Test func aSegmentThatNeverComesInAPlaylistThatKeepsAll() async throws {
        let fixture = try await fixture { $0.window = 10_000 }
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, .page())
        try await fixture.pass(300)
        try await fixture.check { $0.url != url }
        #expect(try await fixture.gapCount() == 1)
        await fixture.close()
    }

    @Test func aSegmentThatStalls() async throws {
        let fixture = try await fixture()
        let gate = ScriptedGate()
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.next(url, .stall(after: 200, until: gate))
        fixture.isHanging = true
        try await fixture.pass(60)
        fixture.isHanging = false
        try await fixture.pass(30)
        // It went on behind what had come.
        let requests = fixture.live.library.origin.requests(for: url)
        #expect(requests.count == 2)
        #expect(requests.last?.range != nil)
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }

    @Test(arguments: [30.0, 600]) func anOriginThatIsAway(outage: Double) async throws {
        let fixture = try await fixture { $0.window = 10 }
        let began = fixture.live.library.time.monotonic
        fixture.live.library.origin.isReachable = false
        try await fixture.pass(outage)
        fixture.live.library.origin.isReachable = true
        let ended = fixture.live.library.time.monotonic
        try await fixture.pass(60)
        // What the origin still has when it's back isn't lost.
        try await fixture.check { $0.at < began - .seconds(6) || $0.at > ended - .seconds(54) }
        if outage < 50 { #expect(try await fixture.gapCount() == 0) }
        await fixture.close()
    }

    // MARK: - Keys

    @Test(arguments: [0, 2000]) func keysThatChangeAreAskedOnce(first: Int) async throws {
        let live = LiveOrigin()
        live.restart(at: first)
        // A key for ten segments, without a vector.
        func key(_ number: Int) -> [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: number / 10 * 3 + $0) } }
        live.seal = { bytes, number in
            let iv = (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: number >> ((15 - $0) * 8)) }
            return (try? AES._CBC.encrypt(bytes, using: .init(data: key(number)), iv: .init(ivBytes: iv))).map {
                [UInt8]($0)
            } ?? []
        }
        // Each load has other tokens.
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
        let fixture = try await fixture(live)
        try await fixture.pass(200)
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        let rows = try await fixture.rows("video-1")
        let keys = fixture.live.library.origin.requests.filter { $0.url.target.contains(".key") }
        // A key for each track.
        #expect(keys.count == 2 * Set(rows.map { $0.originSequence / 10 }).count)
        #expect(rows.allSatisfy { $0.conditions.companions.count == 1 })
        await fixture.close()
    }

    // MARK: - The disk

    @Test func aDiskThatIsFullForAMoment() async throws {
        let disk = FullDisk()
        let live = LiveOrigin(
            files: HookedFileSystem { moment, path in
                guard moment == .replacing, disk.isFull else { return }
                throw CacheError(.storage, "\(path): no space left")
            })
        let fixture = try await fixture(live)
        for _ in 0..<3 {
            disk.isFull = true
            try await fixture.pass(17)
            disk.isFull = false
            try await fixture.pass(30)
        }
        try await fixture.check { _ in true }
        #expect(try await fixture.gapCount() == 0)
        await fixture.close()
    }
}

/// A disk that is full or not.
private final class FullDisk: Sendable {
    private let state = Mutex(false)
    var isFull: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
