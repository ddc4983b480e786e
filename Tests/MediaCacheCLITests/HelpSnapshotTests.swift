import ArgumentParser
import Foundation
import Testing

@testable import MediaCacheCLI

/// Tests that compare the help texts of all commands with a snapshot. `MEDIACACHE_SNAPSHOTS=1` updates the snapshot.
struct HelpSnapshotTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "Snapshots/help.txt")

    private static func commands() -> [(words: String, type: any ParsableCommand.Type)] {
        func below(
            _ type: any ParsableCommand.Type, _ words: String
        ) -> [(words: String, type: any ParsableCommand.Type)] {
            [(words, type)]
                + type.configuration.subcommands.flatMap {
                    below($0, "\(words) \($0.configuration.commandName ?? "")")
                }
        }
        return below(MediaCacheCommand.self, "mediacache")
    }

    @Test func helpMatchesSnapshot() throws {
        let text =
            Self.commands().map { words, type in
                "==== \(words)\n\n" + HelpText.arranged(MediaCacheCommand.helpMessage(for: type, columns: 80))
            }.joined(separator: "\n\n") + "\n"
        if ProcessInfo.processInfo.environment["MEDIACACHE_SNAPSHOTS"] == "1" {
            return try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: Self.file, encoding: .utf8)
        let (now, then) = (text.split(separator: "\n"), expected.split(separator: "\n"))
        let place = zip(now, then).first { $0 != $1 }
        #expect(
            text == expected,
            """
            first difference: “\(place?.0 ?? "")” was “\(place?.1 ?? "")”; if it is intended, run this test with \
            MEDIACACHE_SNAPSHOTS=1
            """)
    }

    @Test func everyHelpTextBeginsWithExample() {
        for (words, type) in Self.commands() where words != "mediacache" {
            let configuration = type.configuration
            #expect(!configuration.abstract.isEmpty, "\(words)")
            #expect(
                configuration.discussion.hasPrefix("EXAMPLES:\n  ") && configuration.discussion.contains(words),
                "\(words)")
        }
    }

    /// A command's own options precede those of all commands, and no line is lost.
    @Test func ownOptionsComeFirst() throws {
        for (words, type) in Self.commands() {
            let text = MediaCacheCommand.helpMessage(for: type, columns: 80)
            let arranged = HelpText.arranged(text)
            #expect(arranged.split(separator: "\n").sorted() == text.split(separator: "\n").sorted(), "\(words)")
            guard let global = arranged.firstRange(of: "\nGLOBAL OPTIONS:") else { continue }
            let own = try #require(arranged.firstRange(of: "\nOPTIONS:"), "\(words)")
            #expect(own.lowerBound < global.lowerBound, "\(words)")
        }
    }

    /// Wrapped examples can't be copied.
    @Test func helpFitsInto80Columns() {
        for (words, type) in Self.commands() {
            for line in type.configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
                #expect(line.count < 80, "\(words): \(line)")
            }
            for line in MediaCacheCommand.helpMessage(for: type, columns: 80).split(separator: "\n") {
                #expect(line.count <= 80, "\(words): \(line)")
            }
        }
    }
}
