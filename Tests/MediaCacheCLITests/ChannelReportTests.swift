import MediaCacheAPI
import MediaCacheServer
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct ChannelReportTests {
    private static let name = ChannelName(rawValue: "news")

    @Test func listsOneChannelPerLine() throws {
        let table = ChannelReport.table([
            try ChannelSample.record(
                "news", ["gaps": 2, "gapSeconds": 8, "retention": ["seconds": 86_400, "bytes": 50_000_000_000]]),
            try ChannelSample.empty(["state": "waiting", "reason": "h can't be\u{1B}[2J reached"]),
            try ChannelSample.record("old", ["state": "ended", "retention": ["segments": 5, "freeBytes": 0]]),
        ])
        let lines = table.split(separator: "\n")
        #expect(lines[0].hasPrefix("NAME  STATE"))
        #expect(lines[1].contains("2026-01-31T20:16:00Z") && lines[1].contains("1m 00s"))
        #expect(lines[1].contains("2 (8s)") && lines[1].contains("80.0 kB/s") && lines[1].contains("5.00 MB"))
        #expect(lines[1].contains("1d, 50.0 GB"))
        #expect(lines[2].contains("waiting") && lines[2].hasSuffix("h can't be?[2J reached"))
        #expect(!lines[3].contains("kB/s") && lines[3].contains("5 segments"))
        #expect(ChannelReport.table([]) == "There are no channels; `record` creates one.")
    }

    @Test(arguments: [
        ("waiting", "33"), ("stopped", "33"), ("ended", "32"), ("recording", nil), ("starting", nil),
    ])
    func colorsStates(state: String, color: String?) throws {
        let record = try ChannelSample.record("news", ["state": state])
        let table = ChannelReport.table([record], TextStyle(isColored: true))
        #expect(color.map { table.contains("\u{1B}[\($0)m\(state)\u{1B}[0m") } ?? !table.contains("\u{1B}"))
        let gap = ChannelReport.table(
            [try ChannelSample.record("news", ["gaps": 2, "gapSeconds": 8])], TextStyle(isColored: true))
        #expect(gap.contains("\u{1B}[33m2 (8s)\u{1B}[0m"))
    }

    @Test func listsGapsByTime() throws {
        let name = try #require(Self.name)
        let table = ChannelReport.table(ofGaps: [try ChannelSample.gap(3)], in: name)
        #expect(table.split(separator: "\n")[1] == "2026-01-31T20:15:12Z   4.000 s  video-1       3")
        #expect(ChannelReport.table(ofGaps: [], in: name) == "The recording of news has no gaps.")
    }

    @Test func listsExportsOfProgrammes() throws {
        let export: [String: any Sendable] = [
            "format": "mp4", "state": "done", "progress": 1, "bytes": 1_200_000_000, "missing": 2, "url": "http://h/x",
        ]
        let running: [String: any Sendable] = [
            "format": "3gp", "state": "running", "progress": 0.407, "missing": 0, "url": "http://h/x",
        ]
        let failed: [String: any Sendable] = [
            "format": "hls", "state": "failed", "progress": 0, "missing": 0, "url": "http://h/x",
            "reason": "no\u{1B}[2Jthing",
        ]
        let programme: [String: any Sendable] = [
            "id": "abc", "name": "Match", "from": 1_769_890_500_000, "to": 1_769_890_560_000, "playlistURL": "",
            "movieURL": "", "exports": [export, running, failed],
        ]
        let record = try ChannelSample.record("news", ["programmes": [programme]])
        let name = try #require(Self.name)
        let line = try #require(
            ChannelReport.table(ofProgrammes: record.programmes, in: name).split(separator: "\n").last)
        #expect(
            line.hasSuffix(
                "Match  mp4 done (1.20 GB, 2 segments missing), 3gp running (40%), hls failed (no?[2Jthing)"),
            "\(line)")
    }

    @Test func lineShowsProgress() throws {
        var lost = LostSegments()
        let record = try ChannelSample.record()
        var line = ChannelLine(record: record, lost: lost, now: 1_769_890_563_400)
        #expect(line.plain == "news: recording  1m 00s recorded  edge 3s ago  5.00 MB  80.0 kB/s")
        _ = lost.add([try ChannelSample.gap(3)])
        line.lost = lost
        #expect(line.plain.hasSuffix("80.0 kB/s  1 gap (4.000 s)"))
        #expect(line.rendered(width: 20).count == 20)
        let ahead = try ChannelSample.record("news", ["now": 1_769_890_568_000])
        line = ChannelLine(record: ahead, lost: LostSegments(), now: 1_769_890_563_400)
        #expect(line.plain.contains("  edge 8s ago  "))
        let waiting = try ChannelSample.empty(["state": "waiting", "reason": "it responded with 404"])
        line = ChannelLine(record: waiting, lost: LostSegments(), now: 0)
        #expect(line.plain == "news: waiting (it responded with 404)")
    }

    @Test(arguments: [
        (1_769_890_500_000, "2026-01-31T20:15:00Z"), (1_769_890_500_020, "2026-01-31T20:15:00.020Z"),
        (Int64.max, "9223372036854775807"),
    ])
    func formatsMomentsWithMilliseconds(milliseconds: Int64, text: String) {
        #expect(MomentText.exact(milliseconds) == text)
    }
}
