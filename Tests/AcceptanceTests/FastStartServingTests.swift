import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of films whose index is moved from the end to the start when they are served.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe", "mpv")))
    struct FastStartServingTests {
        /// A film of more than 50 MB with its index at the end.
        private static let film = "long-moov-last.mp4"

        private func makeFilm() async throws -> Int64 {
            try await Fixtures.shared.clips()
            let path = "\(Fixtures.folder)/\(Self.film)"
            if !FileManager.default.fileExists(atPath: path) {
                let draft = path + ".\(ProcessInfo.processInfo.processIdentifier).mp4"
                try await Peer.run(
                    "ffmpeg",
                    ["-v", "error", "-y", "-stream_loop", "39", "-i", "\(Fixtures.folder)/\(Fixtures.moovLast)", "-c"]
                        + ["copy", draft])
                guard rename(draft, path) == 0 else { throw HarnessError("\(path) can't be renamed") }
            }
            return try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64)
        }

        @Test func servesRearrangedFile() async throws {
            try await Fixtures.shared.clips()
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let expected = output.file("fast.mp4")
            try await MediaCacheBinary.output([
                "faststart", "\(Fixtures.folder)/\(Fixtures.moovLast)", expected, "-q",
            ])
            let bytes = try #require(FileManager.default.contents(atPath: expected))
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let server = try await RunningServer(cache: folder.path)
            let plain = try await server.play(origin.url(Fixtures.moovLast))
            let url = try #require(URL(string: "\(plain)?faststart=1"))
            for (range, expected) in [
                ("bytes=0-", 0..<bytes.count), ("bytes=0-99", 0..<100), ("bytes=20-70000", 20..<70_001),
                ("bytes=-500", bytes.count - 500..<bytes.count), ("bytes=5000000-5000999", 5_000_000..<5_001_000),
            ] {
                let connection = try HTTPConnection(to: url)
                let head = try connection.request(url, fields: ["Range": range])
                #expect(head.status == 206, "\(range)")
                #expect(try connection.body() == bytes[expected], "\(range)")
            }
            let whole = try HTTPConnection(to: url)
            #expect(try whole.request(url).status == 200)
            #expect(try whole.body() == bytes)
            let outside = try HTTPConnection(to: url)
            #expect(try outside.request(url, fields: ["Range": "bytes=\(bytes.count)-"]).status == 416)
            // Without the option, the file is served unchanged.
            let other = try HTTPConnection(to: plain)
            _ = try other.request(plain)
            #expect(try other.body() == FileManager.default.contents(atPath: "\(Fixtures.folder)/\(Fixtures.moovLast)"))
            #expect(try await origin.log().repeatedBytes == 0)
            try await server.stop()
        }

        /// A player that reads sequentially shows its first frame before the origin has sent a twentieth of the file.
        @Test(arguments: ["ffmpeg", "mpv"], [false, true])
        func playersStartBeforeReadingWholeFile(player: String, isAlwaysOn: Bool) async throws {
            let length = try await makeFilm()
            #expect(length >= 50_000_000)
            let folder = try TemporaryFolder("cache")
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let command = ["serve", "--min-free", "0"] + (isAlwaysOn ? ["--fast-start"] : [])
            let server = try await RunningServer(cache: folder.path, command: command)
            let url = "\(try await server.play(origin.url(Self.film)))" + (isAlwaysOn ? "" : "?faststart=1")
            if player == "ffmpeg" {
                // A player that doesn't seek needs the index first.
                let frames = try await Peer.run(
                    "ffmpeg",
                    [
                        "-v", "error", "-seekable", "0", "-i", url, "-map", "0:v", "-frames:v", "1", "-f", "framemd5",
                        "-",
                    ])
                #expect(String(decoding: frames, as: UTF8.self).split(separator: "\n").last?.hasPrefix("0,") == true)
            } else {
                try await Peer.run(
                    "mpv",
                    ["--no-config", "--no-terminal", "--vo=null", "--ao=null", "--frames=1", "--cache=no", url])
            }
            try await server.stop()
            let sent = try await origin.log().bodyBytes
            #expect(sent * 20 < length, "\(sent) of \(length) bytes")
        }

        @Test func servesOtherFilesUnchanged() async throws {
            try await Fixtures.shared.clips()
            let content = try TemporaryFolder("origin")
            try Data("plain text that isn't an MP4 file, despite its name".utf8).write(
                to: URL(filePath: content.file("text.mp4")))
            let first = FileManager.default.contents(atPath: "\(Fixtures.folder)/\(Fixtures.moovFirst)")
            try first?.write(to: URL(filePath: content.file("first.mp4")))
            let origin = try await NginxOrigin(serving: content.path)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(
                cache: folder.path, command: ["serve", "--min-free", "0", "--fast-start"])
            for name in ["text.mp4", "first.mp4"] {
                let url = try await server.play(origin.url(name))
                let connection = try HTTPConnection(to: url)
                #expect(try connection.request(url).status == 200)
                #expect(try connection.body() == FileManager.default.contents(atPath: content.file(name)), "\(name)")
            }
            try await server.stop()
        }
    }
}
