import Foundation
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct MomentArgumentTests {
    @Test(arguments: [
        ("-60", 940_000_000_000), ("now", 1_000_000_000_000), ("1769890500", 1_769_890_500_000_000_000),
        ("1769890500250", 1_769_890_500_250_000_000), ("2026-01-31T20:15:00Z", 1_769_890_500_000_000_000),
        ("2026-01-31T21:15:00+01:00", 1_769_890_500_000_000_000),
    ])
    func parsesFormsOfWindowURLs(text: String, nanoseconds: Int64) throws {
        #expect(try MomentArgument(parsing: text).nanoseconds(now: 1_000_000_000_000) == nanoseconds)
    }

    @Test(arguments: ["", "yesterday", "12:34:56:78", "25:00", "2026-01-31"])
    func rejectsOtherText(text: String) {
        #expect(throws: ArgumentTextError.self) { try MomentArgument(parsing: text) }
    }

    /// A time of day is the last one by default, and the next one as the end of a new recording (`record --until`).
    @Test func resolvesTimesOfDay() throws {
        let now: Int64 = 1_769_890_500_000_000_000
        let (last, next) = try (
            MomentArgument(parsing: "20:15").nanoseconds(now: now),
            MomentArgument(parsing: "20:15").nanoseconds(now: now, isFuture: true)
        )
        #expect(last <= now && next > now && next - last <= 25 * 3_600_000_000_000)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        // `now` is 20:15:00 UTC.
        let clock = try #require(ClockTime("20:15"))
        #expect(clock.latest(until: now, calendar: calendar) == now)
        #expect(clock.first(after: now, calendar: calendar) == now + 86_400_000_000_000)
        let earlier = try #require(ClockTime("20:14:30"))
        #expect(earlier.latest(until: now, calendar: calendar) == now - 30_000_000_000)
    }

    /// A relative start before the recording is moved to its start. Others don't change.
    @Test(
        arguments: [
            (nil, false, nil, 100), (50, true, nil, 100), (50, false, nil, 50), (150, true, nil, 150),
            // Starts in unrecorded time, in a window that ends before the recording, and after the recording.
            (250, true, nil, 250), (50, true, 90, 50), (500, true, nil, 500),
        ] as [(Int64?, Bool, Int64?, Int64)])
    func relativeStartIsMovedToStartOfRecording(
        start: Int64?, isRelative: Bool, end: Int64?, begin: Int64
    ) {
        let found = WindowContent.start(
            start.map { $0 * 1_000_000 }, isRelative: isRelative, end: end.map { $0 * 1_000_000 },
            recorded: [100..<200, 300..<400])
        #expect(found == begin * 1_000_000)
    }

    @Test(arguments: [("12:34.5", true), ("90", true), ("-60", false), ("now", false), ("1769890500", false)])
    func distinguishesPositionsFromMoments(text: String, isPosition: Bool) {
        #expect(TimeArgument.isPosition(text) == isPosition)
    }
}
