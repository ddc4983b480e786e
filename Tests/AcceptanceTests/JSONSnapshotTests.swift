import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of the structure of each command's `--json` output, on which other programs depend. Every change of it
    /// requires a new snapshot, which `MEDIACACHE_SNAPSHOTS=1` writes.
    @Suite(.enabled(if: try Peer.isInstalled("ffmpeg")))
    struct JSONSnapshotTests {
        private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Snapshots/json.txt")

        @Test func jsonOfEveryCommandMatchesSnapshot() async throws {
            try await StreamFixtures.shared.make()
            var transcript = JSONTranscript()
            try await JSONSituation.withoutServer(&transcript)
            try await JSONSituation.withServer(&transcript)
            try await JSONSituation.recording(&transcript)
            try await JSONSituation.failing(&transcript)

            let known = try await Self.commandsWithJSON()
            #expect(known.count > 15)
            #expect(known.subtracting(transcript.commands).isEmpty, "no case covers these commands with --json")
            if TestSettings.variable("MEDIACACHE_SNAPSHOTS") == "1" {
                try FileManager.default.createDirectory(
                    at: Self.file.deletingLastPathComponent(), withIntermediateDirectories: true)
                return try transcript.text.write(to: Self.file, atomically: true, encoding: .utf8)
            }
            let snapshot = try String(contentsOf: Self.file, encoding: .utf8)
            let (new, old) = (transcript.text.components(separatedBy: "\n"), snapshot.components(separatedBy: "\n"))
            let difference = zip(new, old).enumerated().first { $0.element.0 != $0.element.1 }
            let section = new.prefix(difference?.offset ?? new.count).last { $0.hasPrefix("====") }
            let (newLine, oldLine) = difference?.element ?? ("", "")
            #expect(
                transcript.text == snapshot,
                """
                first difference, in “\(section ?? "")”: “\(newLine)” was “\(oldLine)”; \
                if it is intended, run this test with MEDIACACHE_SNAPSHOTS=1
                """)
        }

        /// Returns the commands with an option whose name begins with `json`.
        private static func commandsWithJSON() async throws -> Set<String> {
            struct Dump: Decodable { var command: Command }
            struct Command: Decodable {
                struct Argument: Decodable { var names: [Name]? }
                struct Name: Decodable { var name: String }

                var commandName: String
                var arguments: [Argument]?
                var subcommands: [Command]?

                func withJSON(_ words: [String]) -> [String] {
                    let names = (arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
                    let own = names.contains { $0.hasPrefix("json") } ? [words.joined(separator: " ")] : []
                    return own + (subcommands ?? []).flatMap { $0.withJSON(words + [$0.commandName]) }
                }
            }
            let dump: Dump = try await MediaCacheBinary.decoded(["--experimental-dump-help"])
            return Set(dump.command.withJSON([]))
        }
    }
}
