import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of moving the index in MP4 files of many encoders, by the command and by the server.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffprobe", "sha256sum") && Prerequisite.hasCorpora()))
    struct FastStartCorpusTests {
        /// The result equals that of qt-faststart and contains the packets of the original.
        @Test func commandMatchesQtFaststart() async throws {
            let oracles = try StreamCorpus.fastStarts()
            #expect(oracles.count >= 13)
            let folder = try TemporaryFolder("output")
            _ = try await concurrently(oracles) { path, sum in
                let source = "\(StreamCorpus.root)/\(path)"
                let output = try await Self.rearranged(path, in: folder)
                let line = try await Peer.run("sha256sum", [output])
                #expect(String(decoding: line, as: UTF8.self).hasPrefix(sum + " "), "\(path)")
                typealias Command = CommandAcceptanceTests.FastStartCommandTests
                let (before, after) = (try await Command.packets(source), try await Command.packets(output))
                #expect(!before.isEmpty && before == after, "\(path)")
            }
        }

        /// The server's response equals the command's file, as a whole and in ranges.
        @Test func serverMatchesCommand() async throws {
            let oracles = try StreamCorpus.fastStarts()
            let folder = try TemporaryFolder("output")
            let cache = try TemporaryFolder("cache")
            let origin = try await NginxOrigin(serving: StreamCorpus.root)
            let server = try await RunningServer(cache: cache.path)
            let base = try await server.play(origin.url(""))
            var random = SeededGenerator.forTest("faststart ranges")
            for (path, _) in oracles {
                let expected = try #require(
                    FileManager.default.contents(atPath: try await Self.rearranged(path, in: folder)))
                let url = try #require(URL(string: "\(base.appending(path: path))?faststart=1"))
                let connection = try HTTPConnection(to: url)
                // Reads ranges first, so that they aren't read from the cache.
                for _ in 0..<20 {
                    let begin = Int.random(in: 0..<expected.count, using: &random)
                    let range = begin..<Int.random(in: begin + 1...expected.count, using: &random)
                    #expect(try connection.request(url, range: range).status == 206, "\(path) \(range)")
                    #expect(try connection.body() == expected[range], "\(path) \(range)")
                }
                #expect(try connection.request(url).status == 200, "\(path)")
                #expect(try connection.body() == expected, "\(path)")
            }
            try await server.stop()
        }

        private static func rearranged(_ path: String, in folder: TemporaryFolder) async throws -> String {
            let output = folder.file(path.split(separator: "/").joined(separator: "-"))
            try await MediaCacheBinary.output(["faststart", "\(StreamCorpus.root)/\(path)", output, "-q"])
            return output
        }
    }
}
