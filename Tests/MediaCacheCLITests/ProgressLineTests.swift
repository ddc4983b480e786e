import Testing

@testable import MediaCacheCLI

struct ProgressLineTests {
    private let half = ProgressLine(name: "film.mp4", cached: 50_000_000, length: 100_000_000, rate: 10_000_000)

    @Test func showsPercentageAmountsRateAndTimeLeft() {
        #expect(half.plain == "film.mp4: 50%  50.0 MB of 100 MB  10.0 MB/s  5s left")
    }

    @Test func drawsBar() {
        let line = half.rendered(width: 80)
        #expect(line.count <= 80)
        #expect(line.count >= 78)
        #expect(line.hasPrefix("film.mp4 [="))
        let bar = line.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }
        #expect(bar.filter { $0 != " " }.count == bar.count / 2)
    }

    @Test(arguments: 0...200)
    func fitsTerminalWidth(width: Int) {
        let long = ProgressLine(
            name: String(repeating: "very long name ", count: 9), cached: 999_999_999_999, length: .max, rate: 1)
        #expect(long.rendered(width: width).count <= width)
        #expect(half.rendered(width: width).count <= width)
    }

    @Test func truncatesStartOfLongNames() {
        let line = ProgressLine(name: String(repeating: "x", count: 80) + ".mp4", cached: 1, length: 2, rate: nil)
        #expect(line.rendered(width: 80).hasPrefix("…"))
        #expect(line.rendered(width: 80).contains("x.mp4 ["))
    }

    @Test func omitsPercentageAndBarWithoutLength() {
        let line = ProgressLine(name: "song.mp3", cached: 1_500_000, length: nil, rate: 500_000)
        #expect(line.rendered(width: 80) == "song.mp3 1.50 MB  500 kB/s")
        #expect(line.timeLeft == nil)
    }

    @Test func showsFullPercentageOnlyWhenComplete() {
        #expect(ProgressLine(name: "a", cached: 999, length: 1000, rate: nil).plain.contains("99%"))
        #expect(ProgressLine(name: "a", cached: 1000, length: 1000, rate: nil).plain.contains("100%"))
        #expect(ProgressLine(name: "a", cached: 0, length: 0, rate: nil).fraction == 1)
    }

    @Test func omitsTimeLeftWithoutRate() {
        #expect(ProgressLine(name: "a", cached: 1, length: 100, rate: 0).timeLeft == nil)
    }
}
