import Foundation
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of segments that a playlist already lists when a recording starts.
@Suite(.timeLimit(.minutes(60)))
struct BacklogTests {
    private static let count = 100

    private func fixture() async throws -> RecordingFixture {
        let fixture = try await RecordingFixture.opened { $0.window = Self.count }
        try await fixture.pass(Double(Self.count * fixture.live.target))
        return fixture
    }

    /// Returns the numbers of the requested segments in a folder, in order.
    private func requested(_ fixture: RecordingFixture, in folder: String = "v1") -> [Int] {
        fixture.live.library.origin.requests.compactMap { request in
            let parts = request.url.target.split(separator: "/")
            guard parts.dropLast().last == Substring(folder), parts.last?.hasSuffix(".ts") == true else { return nil }
            return parts.last.flatMap { Int($0.dropLast(3)) }
        }
    }

    /// Delays the responses to requests for a segment until a gate opens.
    private func hold(_ number: Int, in folder: String, _ fixture: RecordingFixture, until gate: ScriptedGate) {
        fixture.live.library.origin.always(fixture.live.segment(number, in: folder), .holdHead(gate))
    }

    @Test func fetchesOnlySegmentsWithinSizeLimit() async throws {
        let fixture = try await fixture()
        // Ten segments on each of two tracks.
        let length = try #require(fixture.live.published["v1"]?.first).bytes.count
        let limit = Int64(20 * length)
        // The number that fits is known before other segments than the newest arrive.
        let (newest, others) = (ScriptedGate(), ScriptedGate())
        for number in 0..<Self.count {
            for folder in ["v1", "a1"] { hold(number, in: folder, fixture, until: number < 97 ? others : newest) }
        }
        fixture.gates = [newest, others]
        fixture.store?.updateSchedulingLimits { $0.perHost = 14 }
        try await fixture.record { $0.retention = Retention(bytes: limit) }
        await fixture.settle()
        #expect(requested(fixture).sorted() == [97, 98, 99])
        newest.open()
        await fixture.settle()
        others.open()
        try await fixture.pass(3)
        let numbers = requested(fixture)
        // A few more segments are in flight before the number that fits is known.
        #expect(numbers.count <= 20, "\(numbers)")
        #expect(Set(numbers).isSuperset(of: 91..<100))
        let totals = try fixture.recording.timelines.map(\.totals)
        #expect(totals.allSatisfy { $0.segments >= 9 && $0.gaps == 0 })
        #expect(totals.reduce(0) { $0 + $1.bytes } <= limit)
        #expect(fixture.reportedGaps("video-1").isEmpty)
        try await fixture.pass(60)
        let later = try fixture.recording.timelines.map(\.totals)
        #expect(later.allSatisfy { $0.segments >= 9 && $0.gaps == 0 })
        #expect(fixture.reportedGaps("video-1").isEmpty)
        await fixture.close()
    }

    /// Starts a recording, and checks that the video track's segments are fetched in an order, six at once.
    private func expectRequests(
        _ fixture: RecordingFixture, in order: [Int], start: () async throws -> Void
    ) async throws {
        let gates = order.map { _ in ScriptedGate() }
        for (number, gate) in zip(order, gates) { hold(number, in: "v1", fixture, until: gate) }
        fixture.gates = gates
        // The other track and the playlists don't wait for a connection behind the six segments.
        fixture.store?.updateSchedulingLimits { $0.perHost = 14 }
        try await start()
        for (place, gate) in gates.enumerated() {
            await fixture.settle()
            #expect(Set(requested(fixture)) == Set(order.prefix(place + 6)))
            gate.open()
        }
        try await fixture.pass(3)
        #expect(requested(fixture).count == order.count)
    }

    /// At the pace of earlier arrivals, the recording ends before all segments are fetched.
    @Test func fetchesNewestFirstBeforeNearEnd() async throws {
        let fixture = try await fixture()
        let end = fixture.live.library.time.now.addingTimeInterval(60)
        try await fixture.record {
            $0.endsAt = end
            $0.starts = false
        }
        await (try fixture.recording).noteArrivals(4, in: .seconds(1000))
        try await expectRequests(fixture, in: (0..<Self.count).reversed()) {
            try await fixture.recordings?.start(fixture.name)
        }
        try await fixture.check { _ in true }
        await fixture.close()
    }

    @Test func hasEdgeWhileBacklogLoadsBeforeDistantEnd() async throws {
        let fixture = try await fixture()
        let (live, gate) = (fixture.live, ScriptedGate())
        live.listsAudio = false
        live.publish()
        for number in 20..<Self.count { live.library.origin.always(live.segment(number), .holdHead(gate)) }
        fixture.gates = [gate]
        let end = live.library.time.now.addingTimeInterval(7200)
        try await fixture.record { $0.endsAt = end }
        // Six segments are fetched concurrently.
        await gate.waitForArrivals(6)
        await fixture.settle()
        let recording = try fixture.recording
        #expect(Set(requested(fixture)).isSuperset(of: 0..<20))
        let rows = try await fixture.rows("video-1")
        #expect(await recording.edge == rows[19].end)
        #expect(await recording.coverage.seconds == 120)
        _ = try await recording.entry(.live(nil))
        await fixture.close()
    }

    @Test func fetchesOldestFirstWithoutEnd() async throws {
        let fixture = try await fixture()
        try await expectRequests(fixture, in: Array(0..<Self.count)) { try await fixture.record() }
        await fixture.close()
    }

    @Test func nextProcessFetchesNewestSegmentsOfBacklogFirst() async throws {
        let fixture = try await fixture()
        fixture.live.listsAudio = false
        fixture.live.publish()
        let (first, second) = (ScriptedGate(), ScriptedGate())
        for number in 0..<Self.count { hold(number, in: "v1", fixture, until: first) }
        fixture.gates = [first]
        try await fixture.record { $0.retention = Retention(bytes: 1 << 30) }
        await first.waitForArrivals(3)
        await fixture.settle()
        await fixture.close()
        for number in 0..<Self.count { hold(number, in: "v1", fixture, until: second) }
        fixture.gates = [second]
        let before = requested(fixture).count
        try await fixture.open()
        // With a size limit, the three newest segments are fetched first.
        #expect(requested(fixture).dropFirst(before).sorted() == [97, 98, 99])
        second.open()
        try await fixture.pass(3)
        let numbers = requested(fixture).dropFirst(before)
        #expect(numbers.sorted() == Array(0..<Self.count))
        try await fixture.check { _ in true }
        await fixture.close()
    }
}

extension Recording {
    /// Records that `count` segments arrived within `time` before now.
    fileprivate func noteArrivals(_ count: Int, in time: Duration) {
        arrivals = (0..<count).map { (monotonic - time + time * $0 / count, 1000) }
    }
}
