import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of partly recorded windows, and of tags that apply to a window's whole playlist.
@Suite(.timeLimit(.minutes(60)))
struct PartialWindowTests {
    private static func time(_ number: Int64) -> Int64 { TimelineRows.stored(number).start }

    // MARK: - Overlaps

    @Test func servesRecordedPartOfWindow() async throws {
        let fixture = try await WindowFixture(TimelineRows.stored(100..<400))
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
        // If the window starts within a hole, the part after the hole is served.
        try await fixture.timeline.remove(Array(200..<300))
        #expect(try await fixture.recording.entry(.span(from: Self.time(250), to: nil)).begins == Self.time(300))
        // A window without recorded segments is refused, and so is a partial one in strict mode.
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

    /// Playlists contain dates truncated to milliseconds.
    @Test(arguments: [true, false]) func acceptsDatesWrittenInPlaylists(isStrict: Bool) async throws {
        let rows = TimelineRows.stored(0..<10) { $0.start += 373_263_947 }
        let fixture = try await WindowFixture(rows)
        fixture.pass(to: rows[9].end)
        let all = try await fixture.text(.all)
        let line = try #require(all.split(separator: "\n").first { $0.hasPrefix("#EXT-X-PROGRAM-DATE-TIME:") })
        let date = try #require(DateTime(String(line.dropFirst(25))).nanosecondsSinceEpoch)
        #expect(date < rows[0].start)
        let entry = try await fixture.recording.entry(.span(from: date, to: nil), isStrict: isStrict)
        #expect(entry.begins == rows[0].start)
        // The API rounds the edge to milliseconds, so it may report a slightly later time.
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
        #expect(try await fixture.window(.delayed(100 * TimelineRows.second)).targetDuration == 9)
        // A window that is over has the target duration that its segments require.
        #expect(try await fixture.window(.span(from: Self.time(200), to: Self.time(300))).targetDuration == 2)
        await fixture.close()
    }

    @Test func windowsDeclareIndependentSegments() async throws {
        let fixture = try await WindowFixture(TimelineRows.stored(0..<30) { $0.isIndependent = $0.number < 20 })
        fixture.pass(to: Self.time(30))
        #expect(try await fixture.window(.span(from: Self.time(5), to: Self.time(20))).hasIndependentSegments)
        #expect(try await !fixture.window(.span(from: Self.time(5), to: Self.time(21))).hasIndependentSegments)
        await fixture.close()
    }
}
