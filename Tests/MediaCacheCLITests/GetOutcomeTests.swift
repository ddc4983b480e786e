import Foundation
import MediaCacheAPI
import MediaCacheServer
import Testing

@testable import MediaCacheCLI

struct GetOutcomeTests {
    private func failure(_ changes: [String: any Sendable]) throws -> CommandFailure? {
        GetOutcome.failure(of: try DownloadSample.record("a", changes), "http://h/x")
    }

    @Test func completeDownloadHasNoFailure() throws {
        #expect(try failure(["state": "complete"]) == nil)
    }

    @Test func holesCauseExitCode2() throws {
        let failure = try #require(try failure(["state": "completeWithHoles", "holeCount": 3]))
        #expect(failure.exitCode == 2 && failure.message.hasPrefix("3 parts of http://h/x"))
    }

    @Test(arguments: ["failed", "waiting"])
    func advisesOnResumingPartialDownload(state: String) throws {
        let reason = DownloadSample.reason("originStatus", "it responded with 500")
        let failure = try #require(try failure(["state": state, "reason": reason]))
        #expect(failure.exitCode == 1)
        #expect(
            failure.message
                == "it responded with 500; 250 B of 1.00 kB cached; run the same command to resume")
    }

    @Test(arguments: [0, 1000])
    func omitsAdviceWithoutProgress(bytes: Int) throws {
        let reason = DownloadSample.reason("notMedia", "the response is HTML")
        let failure = try #require(try failure(["state": "failed", "bytes": bytes, "reason": reason]))
        #expect(failure.line == "mediacache: the response is HTML")
    }

    @Test func cancelledDownloadFails() {
        #expect(GetOutcome.failure(of: nil, "http://h/x")?.exitCode == 1)
    }

    @Test func listsLimitedNumberOfHoles() throws {
        let holes = (0..<25).map { DownloadSample.hole("\($0).ts", start: Double($0) * 4) }
        let record = try DownloadSample.record(
            "a", ["state": "completeWithHoles", "holeCount": 30, "holes": holes])
        let lines = GetOutcome(url: "http://h/x", record: record).holes
        #expect(lines.count == 21)
        #expect(lines[2] == "missing: http://h/2.ts (8.000 s to 12.000 s): http://h/2.ts responded with 404")
        #expect(lines[20] == "and 10 more")
    }

    @Test(arguments: [
        ("running", nil, 0, false), ("paused", nil, 0, false), ("waiting", "retryAfter", 0, false),
        ("waiting", "network", 500, false), ("waiting", "network", 0, true), ("waiting", "space", 500, true),
        ("complete", nil, 0, true), ("failed", "notMedia", 0, true),
    ])
    func waitsOnlyForTemporaryStates(state: String, code: String?, bytes: Int, isSettled: Bool) throws {
        var changes: [String: any Sendable] = ["state": state, "bytes": bytes]
        if let code { changes["reason"] = DownloadSample.reason(code, "why") }
        #expect(try DownloadSample.record("a", changes).isSettled == isSettled)
    }

    @Test func resultIsOneLineWithAllKeys() throws {
        let record = try DownloadSample.record(
            "a", ["state": "completeWithHoles", "holeCount": 1, "holes": [DownloadSample.hole("1.ts")]])
        let outcome = GetOutcome(url: "http://h/x", record: record, output: "/tmp/x.mp4")
        let line = try JSONOutput.line(GetEvent(outcome))
        #expect(!line.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "result" && object["asset"] as? String == "a")
        #expect(object["complete"] as? Bool == false && (object["holes"] as? [[String: Any]])?.count == 1)
        #expect(object["output"] as? String == "/tmp/x.mp4" && object["bytes"] as? Int == 250)
    }
}
