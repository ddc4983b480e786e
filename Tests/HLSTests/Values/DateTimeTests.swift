import HLS
import TestSupport
import Testing

struct DateTimeTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2024-02-29T12:00:00.250Z", 1_709_208_000_250_000_000),
            ("2010-02-19T14:54:23.031+08:00", 1_266_562_463_031_000_000),
            ("2024-01-01T00:00:00-0530", 1_704_087_000_000_000_000),
            ("1969-12-31t23:59:59.5z", -500_000_000), ("2024-01-01 00:00:00", 1_704_067_200_000_000_000),
            ("2024-01-01T00:00+01", 1_704_063_600_000_000_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
        ] as [(String, Int64)])
    func parsesISO8601(_ text: String, _ nanoseconds: Int64) {
        #expect(DateTime(text).nanosecondsSinceEpoch == nanoseconds)
        #expect(DateTime(text).text == text)
    }

    @Test(arguments: [
        "", "2010-02-19", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z",
        "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx", "9999-01-01T00:00:00Z", "garbage",
    ])
    func preservesInvalidText(_ text: String) {
        #expect(DateTime(text).nanosecondsSinceEpoch == nil)
        #expect(DateTime(text).description == text)
    }

    @Test func formatsDates() {
        #expect(DateTime(nanosecondsSinceEpoch: 0).text == "1970-01-01T00:00:00.000Z")
        #expect(DateTime(nanosecondsSinceEpoch: -1_000_000).text == "1969-12-31T23:59:59.999Z")
        #expect(DateTime(nanosecondsSinceEpoch: 1_709_208_000_000_000_001).text == "2024-02-29T12:00:00.000000001Z")
    }

    @Test func parsesFormattedDates() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let moment = Int64.random(in: -9_000_000_000_000_000_000...9_000_000_000_000_000_000, using: &random)
            let date = DateTime(nanosecondsSinceEpoch: moment)
            #expect(DateTime(date.text).nanosecondsSinceEpoch == moment, "\(date)")
        }
    }
}
