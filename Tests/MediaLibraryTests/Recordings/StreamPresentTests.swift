import HLS
import MediaCache
import Testing

@testable import MediaLibrary

/// Tests of the current time by a stream's clock, to which delays and relative times refer.
struct StreamPresentTests {
    private static let second = TimelineRows.second

    private static func time(_ number: Int64) -> Int64 { TimelineRows.stored(number).start }

    /// Returns a recording, up to the current time, of a stream whose clock is `seconds` ahead of the recorder's.
    private func recorded(atClock seconds: Int64) async throws -> WindowFixture {
        let fixture = try await WindowFixture(
            TimelineRows.stored(0..<400) { $0.arrival = $0.end - seconds * Self.second })
        fixture.pass(to: Self.time(400) - seconds * Self.second + 1)
        return fixture
    }

    @Test(arguments: [0, -3600, 7200] as [Int64]) func delaysAreRelativeToStreamClock(clock: Int64) async throws {
        let fixture = try await recorded(atClock: clock)
        let window = try await fixture.window(.delayed(100 * Self.second))
        #expect(window.segments.first?.uri == "320.ts" && window.segments.last?.uri == "349.ts")
        await fixture.close()
    }

    /// Segments arrive irregularly. If the delayed edge moved back, segments would be removed from its playlist.
    @Test func delayedEdgeNeverMovesBack() async throws {
        let fixture = try await recorded(atClock: -30)
        fixture.pass(to: Self.time(404) + 30 * Self.second)
        let before = try await fixture.window(.delayed(100 * Self.second))
        #expect(before.segments.last?.uri == "353.ts")
        var late = TimelineRows.stored(400)
        late.arrival = Self.time(404) + 30 * Self.second
        try await fixture.timeline.append([late])
        #expect(try await fixture.window(.delayed(100 * Self.second)).segments == before.segments)
        // After a longer pause of the stream, it may move back.
        fixture.pass(to: Self.time(404) + 3600 * Self.second)
        _ = try await fixture.window(.delayed(100 * Self.second))
        var later = TimelineRows.stored(401)
        later.arrival = Self.time(404) + 3600 * Self.second
        try await fixture.timeline.append([later])
        #expect(try await fixture.window(.delayed(100 * Self.second)).segments.last?.uri == "351.ts")
        await fixture.close()
    }

    @Test(arguments: [0, -3600, 7200] as [Int64]) func windowFromStreamTimeBeginsAtEdge(clock: Int64) async throws {
        let fixture = try await recorded(atClock: clock)
        await fixture.recording.start()
        fixture.pass(to: Self.time(400) + (5 - clock) * Self.second)
        let entry = try await fixture.recording.entry(.span(from: Self.time(400) + 5 * Self.second, to: nil))
        #expect(entry.begins == Self.time(400) - 1)
        await #expect(throws: WindowOutOfRangeError.self) {
            try await fixture.recording.entry(.span(from: Self.time(400) + 60 * Self.second, to: nil))
        }
        await fixture.close()
    }

    @Test(arguments: [0, -3600, 7200] as [Int64]) func windowOfStoppedChannelEndsByStreamClock(clock: Int64)
        async throws
    {
        let fixture = try await recorded(atClock: clock)
        try await fixture.recording.change { $0.isWanted = false }
        let request = WindowRequest.span(from: Self.time(350), to: Self.time(450))
        fixture.pass(to: Self.time(450) - clock * Self.second - 1_000_000)
        #expect(try await !fixture.window(request).hasEndList)
        fixture.pass(to: Self.time(450) - clock * Self.second)
        #expect(try await fixture.window(request).hasEndList)
        await fixture.close()
    }
}
