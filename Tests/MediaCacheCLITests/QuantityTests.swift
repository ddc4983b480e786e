import Testing

@testable import MediaCacheCLI

struct QuantityTests {
    @Test(arguments: [(0, "0 parts"), (1, "1 part"), (2, "2 parts")])
    func oneIsOne(count: Int, text: String) { #expect(count.counted("part") == text) }

    @Test func oneMissingSegmentIsOneGap() throws {
        var result = RemuxResult(inputs: ["a"], output: "a.mp4")
        result.missing = [.init(name: "3.ts", start: 3, duration: 1)]
        #expect(result.shortfall?.message == "1 segment is missing and stays a gap, 1.000 s long, at 3.000 s: 3.ts")
        result.missing.append(.init(name: "5.ts", start: 5, duration: 1))
        #expect(
            result.shortfall?.message
                == "2 segments are missing and stay gaps, 2.000 s in all, the first at 3.000 s: 3.ts, 5.ts")
        result.missing[1].reason = "it is scrambled"
        #expect(
            result.shortfall?.message
                == "2 segments are missing or damaged and stay gaps, 2.000 s in all, the first at 3.000 s: 3.ts, "
                + "5.ts (it is scrambled)")
        result.missing.removeFirst()
        #expect(
            result.shortfall?.message
                == "1 segment is damaged and stays a gap, 1.000 s long, at 5.000 s: 5.ts (it is scrambled)")
    }

    @Test func aDownloadOfOnePartSaysSo() throws {
        let changes: [String: any Sendable] = ["state": "complete", "kind": "stream", "partsDone": 1, "parts": 1]
        let outcome = GetOutcome(url: "http://h/a.m3u8", record: try DownloadSample.record("a", changes))
        #expect(outcome.text?.contains("1 of 1 part).") == true, "\(outcome.text ?? "")")
    }
}
