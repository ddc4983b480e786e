import Testing

@testable import MediaCacheCLI

struct MomentArgumentTests {
    @Test(arguments: [
        ("-60", 940_000_000_000), ("now", 1_000_000_000_000), ("1769890500", 1_769_890_500_000_000_000),
        ("1769890500250", 1_769_890_500_250_000_000), ("2026-01-31T20:15:00Z", 1_769_890_500_000_000_000),
        ("2026-01-31T21:15:00+01:00", 1_769_890_500_000_000_000),
    ])
    func momentsHaveTheFormsOfURLs(text: String, nanoseconds: Int64) throws {
        #expect(try MomentArgument(parsing: text).nanoseconds(now: 1_000_000_000_000) == nanoseconds)
    }

    @Test(arguments: ["", "yesterday", "12:34", "2026-01-31"])
    func whatIsNoneIsNamed(text: String) {
        #expect(throws: ArgumentTextError.self) { try MomentArgument(parsing: text) }
    }

    @Test(arguments: [("12:34.5", true), ("90", true), ("-60", false), ("now", false), ("1769890500", false)])
    func placesInFilmsAreToldFromMoments(text: String, isPlace: Bool) {
        #expect(ChannelWindow.isPlaceInFilm(text) == isPlace)
    }
}
