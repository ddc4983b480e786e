import Foundation
import MediaCacheAPI
import MediaCacheServer
import Testing

@testable import MediaCacheCLI

struct RecordOutcomeTests {
    @Test func excludesEarlierGaps() throws {
        var lost = LostSegments()
        lost.begin(with: [try ChannelSample.gap(1)])
        #expect(lost.add([try ChannelSample.gap(1)]).isEmpty)
        lost.note(reason: "it responded with 404", track: "video-1", start: 1_769_890_508_000)
        let new = lost.add([
            try ChannelSample.gap(1), try ChannelSample.gap(2), try ChannelSample.gap(2, track: "audio-1"),
        ])
        #expect(new.map(\.number) == [2, 2])
        #expect(new[0].text == "gap: video-1 at 2026-01-31T20:15:08Z, 4.000 s: it responded with 404")
        #expect(lost.add([try ChannelSample.gap(2)]).isEmpty)
        // Both tracks lack the same segment: two gaps, whose duration counts once.
        #expect(lost.count == 2 && lost.seconds == 4)
    }

    @Test func exitCodeDependsOnResult() throws {
        let record = try ChannelSample.record("news", ["state": "ended"])
        var outcome = RecordOutcome(record: record, lost: LostSegments())
        #expect(outcome.failure == nil)
        #expect(outcome.text?.hasPrefix("Recorded 1m 00s (5.00 MB) of news, from 2026-01-31T20:15:00Z to") == true)
        _ = outcome.lost.add([try ChannelSample.gap(1)])
        #expect(outcome.failure?.exitCode == 2)
        let stopped = RecordOutcome(
            record: try ChannelSample.record("news", ["state": "stopped"]), lost: LostSegments())
        #expect(stopped.failure?.exitCode == 2)
        #expect(stopped.failure?.message.contains("was stopped before its end") == true)
        outcome.isInterrupted = true
        #expect(outcome.failure?.exitCode == 130)
        #expect(outcome.failure?.message.contains("run the same command to continue") == true)
        outcome.continues = true
        #expect(outcome.failure?.message.contains("channels stop news") == true)
        let nothing = RecordOutcome(
            record: try ChannelSample.empty(["reason": "it responded with 404"]), lost: LostSegments())
        #expect(nothing.text == nil && nothing.failure?.exitCode == 1)
        #expect(nothing.failure?.message.hasSuffix("it responded with 404") == true)
        let film = RecordOutcome(
            record: try ChannelSample.empty(["state": "stopped", "reason": "http://h/a.mp4 isn't a playlist"]),
            lost: LostSegments())
        #expect(film.failure == CommandFailure(.failed, "http://h/a.mp4 isn't a playlist"))
    }

    @Test func resultIsOneLine() throws {
        var lost = LostSegments()
        _ = lost.add([try ChannelSample.gap(1)])
        let event = RecordEvent(kind: .result, record: try ChannelSample.record(), lost: lost, error: "1 gap")
        let line = try JSONOutput.line(event)
        #expect(!line.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "result" && object["channel"] as? String == "news")
        #expect(object["complete"] as? Bool == false && object["gaps"] as? Int == 1)
        #expect((object["gapList"] as? [[String: Any]])?.count == 1 && object["seconds"] as? Double == 60)
    }
}
