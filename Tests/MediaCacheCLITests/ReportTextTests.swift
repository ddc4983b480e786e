import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct ReportTextTests {
    @Test(arguments: [(0, "0 parts"), (1, "1 part"), (2, "2 parts")])
    func countsNouns(count: Int, text: String) { #expect(count.counted("part") == text) }

    @Test func describesMissingSegments() throws {
        var result = RemuxResult(inputs: ["a"], output: "a.mp4")
        result.missing = [.init(name: "3.ts", start: 3, duration: 1)]
        #expect(result.shortfall?.message == "1 segment is missing and becomes a gap of 1.000 s at 3.000 s: 3.ts")
        result.missing.append(.init(name: "5.ts", start: 5, duration: 1))
        #expect(
            result.shortfall?.message
                == "2 segments are missing and become gaps of 2.000 s in total, the first at 3.000 s: 3.ts, 5.ts")
        result.missing[1].reason = "it is scrambled"
        #expect(
            result.shortfall?.message
                == "2 segments are missing or damaged and become gaps of 2.000 s in total, the first at 3.000 s: 3.ts, "
                + "5.ts (it is scrambled)")
        result.missing.removeFirst()
        #expect(
            result.shortfall?.message
                == "1 segment is damaged and becomes a gap of 1.000 s at 5.000 s: 5.ts (it is scrambled)")
    }

    /// Damage inside segments, with no segment missing.
    @Test func describesDamageWithinSegments() throws {
        var damage = RemuxResult(inputs: ["a"], output: "a.mp4")
        #expect(damage.shortfall == nil)
        damage.damage = .init(places: 2, first: 3.5, kinds: ["discontinuity": 2])
        #expect(damage.shortfall == CommandFailure(.partial, "2 places are damaged in a.mp4, the first at 3.500 s"))
    }

    /// The download has holes, and its export fails or has damaged segments too.
    @Test func reportsHolesAndExport() {
        let holes = CommandFailure(.partial, "1 part of a is missing")
        let export = CommandFailure(.failed, "a.mp4 couldn't be written")
        #expect(holes.adding(export) == CommandFailure(.failed, "1 part of a is missing; a.mp4 couldn't be written"))
        let damaged = CommandFailure(.partial, "2 segments are damaged")
        #expect(holes.adding(damaged) == CommandFailure(.partial, "1 part of a is missing; 2 segments are damaged"))
    }

    @Test func describesDownloadOfOnePart() throws {
        let changes: [String: any Sendable] = ["state": "complete", "kind": "stream", "partsDone": 1, "parts": 1]
        let outcome = GetOutcome(url: "http://h/a.m3u8", record: try DownloadSample.record("a", changes))
        #expect(outcome.text?.contains("1 of 1 part).") == true, "\(outcome.text ?? "")")
    }
}
