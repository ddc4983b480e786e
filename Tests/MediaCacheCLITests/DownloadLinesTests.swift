import MediaCacheAPI
import MediaCacheServer
import Testing

@testable import MediaCacheCLI

struct DownloadLinesTests {
    @Test func singleDownloadHasNoTotal() throws {
        let lines = DownloadLines.block([try DownloadSample.record()], width: 80, height: 20)
        #expect(lines.count == 1)
        #expect(lines[0].hasPrefix("Film a [") && lines[0].hasSuffix("25%  250 B of 1.00 kB  50 B/s  15s left"))
    }

    @Test func omitsDownloadsWithoutProgress() throws {
        let nothing = try DownloadSample.record("a", ["bytes": 0, "length": DownloadSample.absent])
        #expect(DownloadLines.block([nothing], width: 80, height: 20).isEmpty)
    }

    @Test func severalDownloadsHaveTotal() throws {
        let (full, gone) = (DownloadSample.reason("space", "it's full"), DownloadSample.reason("originStatus", "404"))
        let records = [
            try DownloadSample.record("a", ["state": "complete", "bytes": 1000]),
            try DownloadSample.record("b", ["state": "waiting", "reason": full]),
            try DownloadSample.record("c"),
            try DownloadSample.record("d", ["state": "queued", "bytes": 0]),
            try DownloadSample.record("e", ["state": "failed", "reason": gone]),
        ]
        let lines = DownloadLines.block(records, width: 100, height: 20)
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("Film c"))
        #expect(lines[1].hasPrefix("Film b") && lines[1].hasSuffix("waiting: it's full"))
        #expect(lines[2].hasPrefix("Total") && lines[2].hasSuffix("1 of 5 done, 1 failed"))
        #expect(lines[2].contains("1.75 kB of 5.00 kB"))
    }

    @Test func fitsAnyTerminal() throws {
        let records = try ["a", "b", "c", "d", "e"].map { try DownloadSample.record($0) }
        for (width, height) in [(80, 3), (20, 1), (5, 2)] {
            let lines = DownloadLines.block(records, width: width, height: height)
            #expect(lines.count <= height && lines.allSatisfy { $0.columns <= width }, "\(lines)")
        }
    }

    @Test func marksEstimatedLength() throws {
        let line = try #require(DownloadLines.line(try DownloadSample.record("a", ["isLengthExact": false])))
        #expect(line.plain == "Film a: 25%  250 B of about 1.00 kB  50 B/s  15s left")
    }

    @Test func omitsRateOfPausedDownload() throws {
        let line = try #require(DownloadLines.line(try DownloadSample.record("a", ["state": "paused"])))
        #expect(line.plain == "Film a: 25%  250 B of 1.00 kB  paused")
    }

    @Test func listsStatesAndReasons() throws {
        let reason = DownloadSample.reason("x", "it responded with 404")
        let table = DownloadReport.table([
            try DownloadSample.record("a", ["priority": 5]),
            try DownloadSample.record("b", ["state": "failed", "reason": reason]),
            try DownloadSample.record("c", ["state": "completeWithHoles", "holeCount": 2, "title": "a\u{1B}[2Jb"]),
        ])
        let lines = table.split(separator: "\n")
        #expect(lines[1].contains("running") && lines[1].contains("25%") && lines[1].contains("50 B/s"))
        #expect(lines[2].contains("failed") && lines[2].hasSuffix("it responded with 404"))
        #expect(lines[3].contains("holes") && lines[3].hasSuffix("2 parts missing"))
        #expect(!table.contains("\u{1B}"))
        #expect(DownloadReport.table([]) == "There are no downloads; `get` adds one.")
    }

    @Test func finishedDownloadHasLine() throws {
        let reason = DownloadSample.reason("originStatus", "it responded with 404")
        let lines = try [
            ["state": "complete", "bytes": 5_000], ["state": "completeWithHoles", "holeCount": 2, "bytes": 900],
            ["state": "failed", "reason": reason],
        ].map { DownloadLines.finished(try DownloadSample.record("a", $0)) }
        #expect(lines[0].hasSuffix(": complete, 5.00 kB") && lines[1].hasSuffix(": 2 parts missing, 900 B"))
        #expect(lines[2].hasSuffix(": failed: it responded with 404"))
    }

    @Test(arguments: [
        ("failed", "31"), ("paused", "33"), ("waiting", "33"), ("completeWithHoles", "33"), ("complete", "32"),
        ("running", nil), ("queued", nil),
    ])
    func colorsStates(state: String, color: String?) throws {
        let record = try DownloadSample.record("a", ["state": state])
        let word = state == "completeWithHoles" ? "holes" : state
        let table = DownloadReport.table([record], TextStyle(isColored: true))
        #expect(color.map { table.contains("\u{1B}[\($0)m\(word)\u{1B}[0m") } ?? !table.contains("\u{1B}"))
        #expect(!DownloadReport.table([record]).contains("\u{1B}"))
    }
}
