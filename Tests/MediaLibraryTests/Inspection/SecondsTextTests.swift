import Testing

@testable import MediaLibrary

struct SecondsTextTests {
    @Test(
        arguments: [
            (0, 90_000, "0.000000"), (90_000, 90_000, "1.000000"), (-3750, 90_000, "-0.041667"), (1, 3, "0.333333"),
            (2, 3, "0.666667"), (1_000_005, 1_000_000, "1.000005"), (1 << 40, 1, "1099511627776.000000"),
        ] as [(Int64, Int32, String)])
    func roundsToMicroseconds(ticks: Int64, timescale: Int32, text: String) {
        #expect(SecondsText.microseconds(ticks, timescale: timescale) == text)
    }

    @Test func addsLargerUnitsToLongTimes() {
        #expect(SecondsText.describe(8.9333) == "8.933 s")
        #expect(SecondsText.describe(3725.25) == "1h 02m (3725.250 s)")
        #expect(SecondsText.describe(.infinity) == "?")
    }
}
