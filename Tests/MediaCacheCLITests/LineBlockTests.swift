import MediaCacheAPI
import MediaCacheServer
import TestSupport
import Testing

@testable import MediaCacheCLI

/// Tests of the progress lines of several downloads, on a model of a terminal.
struct LineBlockTests {
    /// A display that draws like ``DownloadDisplay``, but on a model of a terminal.
    private struct Screen {
        let (width, height): (Int, Int)
        var terminal: TerminalModel
        var block = LineBlock()
        var before = ["$mediacache-get-films"]

        init(width: Int, height: Int) {
            (self.width, self.height) = (width, height)
            terminal = TerminalModel(width: width, height: height)
            // The earlier text fits into one line.
            before = [String(before[0].prefix(width - 1))]
            terminal.write(before[0] + "\n")
        }

        mutating func show(_ records: [DownloadRecord]) {
            terminal.write(block.drawSequence(lines(records)))
        }

        func lines(_ records: [DownloadRecord]) -> [String] {
            DownloadLines.block(records, width: width - 1, height: height - 1)
        }

        /// Returns the expected screen: the earlier text, then the lines.
        func expectation(_ records: [DownloadRecord]) -> [String] {
            before + lines(records).map { String($0.reversed().drop { $0 == " " }.reversed()) }
        }

        var seen: [String] { terminal.scrolled + terminal.lines }
    }

    /// Names with wide characters, emoji and combining marks.
    private static let names = [
        "A film with a name that is much longer than a small terminal is wide.mp4", "映画の夜、第十二話、とても長い題名.mkv",
        "🎬🍿 premiere 👩‍👩‍👧 🇳🇴.mp4", "Cafe\u{301} Müller.m4a", "a", "한국어 노래 모음집 2026.mp3",
    ]

    private static func record(_ index: Int, _ state: String, _ bytes: Int64) throws -> DownloadRecord {
        var changes: [String: any Sendable] = ["title": names[index % names.count], "state": state, "bytes": bytes]
        if state == "waiting" { changes["reason"] = DownloadSample.reason("network", "ネットワークがありません, no network") }
        if state == "queued" { changes["bytes"] = 0 }
        return try DownloadSample.record("id\(index)", changes)
    }

    @Test(arguments: [2, 3, 12, 20, 33, 40, 80, 200])
    func replacesLinesCompletely(width: Int) throws {
        let states = ["queued", "waiting", "running", "paused", "complete", "failed"]
        for height in [3, 8, 24] {
            var random = SeededGenerator(seed: UInt64(width * 100 + height))
            var screen = Screen(width: width, height: height)
            for step in 0..<60 {
                let records = try (0..<Int.random(in: 1...7, using: &random)).map { index in
                    let state = states[Int.random(in: states.indices, using: &random)]
                    return try Self.record(index, state, Int64.random(in: 0...1000, using: &random))
                }
                screen.show(records)
                let (seen, expected) = (screen.seen, screen.expectation(records))
                #expect(seen == expected, "step \(step) at \(width) × \(height)")
                guard seen == expected, screen.terminal.unknown.isEmpty else { return }
            }
        }
    }

    @Test func movesBelowLines() throws {
        var screen = Screen(width: 60, height: 24)
        let records = try (0..<3).map { try Self.record($0, "running", 500) }
        screen.show(records)
        let expected = screen.expectation(records)
        screen.terminal.write(screen.block.leaveSequence() + "Kept it.\n")
        #expect(screen.seen == expected + ["Kept it."])
        // The lines above aren't redrawn.
        screen.show(records)
        #expect(screen.seen == expected + ["Kept it."] + expected.dropFirst())
    }

    @Test func finishedLinesStayAboveBlock() throws {
        var screen = Screen(width: 60, height: 24)
        let records = try (0..<3).map { try Self.record($0, "running", 500) }
        screen.show(records)
        let expected = screen.expectation(records)
        screen.terminal.write(screen.block.drawSequence(Array(expected.dropFirst()), below: ["Film a: complete"]))
        #expect(screen.seen == screen.before + ["Film a: complete"] + expected.dropFirst())
    }

    @Test func drawingNoLinesErasesBlock() throws {
        var screen = Screen(width: 60, height: 24)
        screen.show(try (0..<3).map { try Self.record($0, "running", 500) })
        screen.terminal.write(screen.block.drawSequence([]))
        #expect(screen.seen == screen.before && screen.block.height == 0)
        #expect(screen.block.drawSequence([]) == "" && screen.block.leaveSequence() == "")
    }

    /// If the model didn't wrap lines, the tests above couldn't detect wrapped ones.
    @Test func modelWrapsAndScrolls() {
        var terminal = TerminalModel(width: 4, height: 2)
        terminal.write("abcdef")
        #expect(terminal.lines == ["abcd", "ef"])
        terminal.write("\u{1B}[1A\rX\u{1B}[K")
        #expect(terminal.lines == ["X", "ef"])
        terminal.write("\u{1B}[J")
        #expect(terminal.lines == ["X"])
        terminal.write("\nab映画\n")
        #expect(terminal.scrolled == ["X", "ab映"] && terminal.lines == ["画"])
    }
}
