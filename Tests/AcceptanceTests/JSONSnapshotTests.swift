import Foundation
import Testing

extension AcceptanceTests {
    /// What every command prints with `--json`, as it was last looked at: programs read it, so a key that goes or becomes
    /// something else shows in a change of this file. `MEDIACACHE_SNAPSHOTS=1` writes it anew.
    @Suite(.enabled(if: try Peer.present("ffmpeg")))
    struct JSONSnapshotTests {
        private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Snapshots/json.txt")

        @Test func everyCommandPrintsTheSameShapeOfJSON() async throws {
            try await StreamFixtures.shared.make()
            var transcript = JSONTranscript()
            try await JSONSituation.withoutServer(&transcript)
            try await JSONSituation.withServer(&transcript)
            try await JSONSituation.recording(&transcript)
            try await JSONSituation.failing(&transcript)

            let known = try await Self.commandsWithJSON()
            #expect(known.count > 15)
            #expect(known.subtracting(transcript.commands).isEmpty, "these have --json, and no case here")
            if TestSettings.variable("MEDIACACHE_SNAPSHOTS") == "1" {
                try FileManager.default.createDirectory(
                    at: Self.file.deletingLastPathComponent(), withIntermediateDirectories: true)
                return try transcript.text.write(to: Self.file, atomically: true, encoding: .utf8)
            }
            let kept = try String(contentsOf: Self.file, encoding: .utf8)
            let (now, then) = (transcript.text.components(separatedBy: "\n"), kept.components(separatedBy: "\n"))
            let place = zip(now, then).enumerated().first { $0.element.0 != $0.element.1 }
            let section = now.prefix(place?.offset ?? now.count).last { $0.hasPrefix("====") }
            #expect(
                transcript.text == kept,
                """
                the first difference, in “\(section ?? "")”: “\(place?.element.0 ?? "")” was “\(place?.element.1 ?? "")”; \
                if that is meant, run this test with MEDIACACHE_SNAPSHOTS=1
                """)
        }

        /// The commands that have `--json` or another option of its kind, by their words.
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
            let text = try await MediaCacheBinary.output(["--experimental-dump-help"])
            return Set(try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command.withJSON([]))
        }
    }
}
