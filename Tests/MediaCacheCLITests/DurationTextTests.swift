import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct DurationTextTests {
    @Test(
        arguments: [
            ("30d", 2_592_000), ("12h", 43200), ("1h30m", 5400), ("90s", 90), ("2w", 1_209_600), ("1.5h", 5400),
            ("1 H", 3600),
        ] as [(String, Double)])
    func parsesDurations(text: String, seconds: Double) throws {
        #expect(try DurationText.parse(text) == .seconds(seconds))
    }

    @Test(arguments: ["", "d", "30", "30x", "1h30", "-1d", "1e5s", "99999999999999w"])
    func rejectsInvalidDurations(text: String) {
        #expect(throws: ArgumentTextError.self) { try DurationText.parse(text) }
    }

    @Test func suggestsMissingUnit() {
        let error = #expect(throws: ArgumentTextError.self) { try DurationText.parse("30") }
        #expect(error?.description.contains("30d") == true)
    }

    @Test(
        arguments: [
            (0, "0s"), (42, "42s"), (65, "1m 05s"), (3600, "1h 00m"), (5400, "1h 30m"), (86400, "1d"),
            (183_600, "2d 3h"),
            (-5, "0s"),
        ] as [(Int, String)])
    func showsTwoLargestUnits(seconds: Int, text: String) {
        #expect(DurationText.describe(.seconds(seconds)) == text)
    }
}
