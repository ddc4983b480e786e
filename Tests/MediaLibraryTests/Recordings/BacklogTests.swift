import Foundation
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of segments that a playlist already lists when a recording starts.
@Suite(.timeLimit(.minutes(10)))
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

    @Test func fetchesOnlySegmentsWithinSizeLimit() async throws {
        let fixture = try await fixture()
        // Ten segments on each of two tracks.
        let length = try #require(fixture.live.published["v1"]?.first).bytes.count
        let limit = Int64(20 * length)
        try await fixture.record { $0.retention = Retention(bytes: limit) }
        try await fixture.pass(3)
        let numbers = requested(fixture)
        #expect(numbers.prefix(3).sorted() == [97, 98, 99])
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

    /// At the pace of earlier arrivals, the recording ends before all segments are fetched.
    @Test func fetchesNewestFirstBeforeNearEnd() async throws {
        let fixture = try await fixture()
        let end = fixture.live.library.time.now.addingTimeInterval(60)
        try await fixture.record {
            $0.endsAt = end
            $0.starts = false
        }
        await (try fixture.recording).noteArrivals(4, in: .seconds(1000))
        try await fixture.recordings?.start(fixture.name)
        try await fixture.pass(3)
        let numbers = requested(fixture)
        #expect(numbers.count == Self.count)
        // At most six segments are fetched at once.
        for (place, number) in numbers.enumerated() { #expect(abs(Self.count - 1 - place - number) <= 6, "\(numbers)") }
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
        try await fixture.record()
        try await fixture.pass(3)
        let numbers = requested(fixture)
        #expect(numbers.count == Self.count)
        for (place, number) in numbers.enumerated() { #expect(abs(place - number) <= 6, "\(numbers)") }
        await fixture.close()
    }

    @Test func nextProcessFetchesNewestSegmentsOfBacklogFirst() async throws {
        let fixture = try await fixture()
        let (live, gate) = (fixture.live, ScriptedGate())
        live.listsAudio = false
        live.publish()
        for number in 0..<Self.count { live.fail(live.segment(number), .holdHead(gate)) }
        fixture.gates = [gate]
        try await fixture.record { $0.retention = Retention(bytes: 1 << 30) }
        await gate.waitForArrivals(3)
        await fixture.settle()
        await fixture.close()
        live.clearFaults()
        fixture.gates = []
        let before = requested(fixture).count
        try await fixture.open()
        try await fixture.pass(3)
        // With a size limit, the three newest segments are fetched first.
        let numbers = Array(requested(fixture).dropFirst(before))
        #expect(numbers.prefix(3).sorted() == [97, 98, 99])
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
