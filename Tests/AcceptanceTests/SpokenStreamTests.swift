import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of files with several audio renditions, and of their properties as reported by ffprobe.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe", "curl")))
    struct SpokenStreamTests {
        @Test func filesDescribeTheirAudioTracks() async throws {
            let source = try TemporaryFolder("source")
            try await SpokenStream.make(in: source.path)
            let origin = try await NginxOrigin(serving: source.path)
            let output = try TemporaryFolder("output")
            let options = ["-q", "--cache", output.file("cache")]
            let url = origin.url(SpokenStream.entry).absoluteString
            let all = output.file("all.mp4")
            try await MediaCacheBinary.output(["remux", url, "--all-audio", "-o", all] + options)
            #expect(try await SpokenStream.audioTracks(of: all) == SpokenStream.all)
            // The extended language tag is written only if the three-letter code can't express the language.
            let bytes = try Data(contentsOf: URL(filePath: all))
            #expect(bytes.range(of: Data("elng\0\0\0\0pt-BR\0".utf8)) != nil)
            #expect(bytes.range(of: Data("elng\0\0\0\0de".utf8)) == nil)

            var alone = SpokenStream.all
            for index in alone.indices { alone[index].isDefault = true }
            let one = output.file("one.mp4")
            try await MediaCacheBinary.output(["remux", url, "-o", one] + options)
            #expect(try await SpokenStream.audioTracks(of: one) == [alone[0]])
            try await MediaCacheBinary.output(["remux", url, "--language", "pt", "-o", one, "--force"] + options)
            #expect(try await SpokenStream.audioTracks(of: one) == [alone[2]])
            try await MediaCacheBinary.output(["remux", url, "--all-audio", "-o", output.file("all.ts")] + options)
            let stream = try await SpokenStream.audioTracks(of: output.file("all.ts"))
            #expect(stream.map(\.language) == ["deu", "eng", "por"])
        }

        /// Each kind of file contains exactly the downloaded audio renditions, and its bytes don't change over time.
        @Test(arguments: [("all", [0, 1, 2]), ("en,de", [0, 1]), ("en,pt", [1, 2]), ("pt", [2]), ("", [0])])
        func fileHasDownloadedRenditions(audio: String, indices: [Int]) async throws {
            let source = try TemporaryFolder("source")
            try await SpokenStream.make(in: source.path)
            let origin = try await NginxOrigin(serving: source.path)
            let (cache, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
            let server = try await RunningServer(cache: cache.path)
            let (url, options) = (origin.url(SpokenStream.entry).absoluteString, ["-q", "--cache", cache.path])
            try await MediaCacheBinary.output(
                ["get", url, "-o", output.file("got.mp4")]
                    + (audio.isEmpty ? [] : ["--audio", audio]) + options)
            origin.stop()
            var expected = indices.map { SpokenStream.all[$0] }
            for index in expected.indices { expected[index].isDefault = index == 0 }
            #expect(try await SpokenStream.audioTracks(of: output.file("got.mp4")) == expected)
            try await MediaCacheBinary.output(["export", url, "-o", output.file("film.mp4")] + options)
            #expect(try await SpokenStream.audioTracks(of: output.file("film.mp4")) == expected)
            #expect(
                FileManager.default.contentsEqual(
                    atPath: output.file("got.mp4"), andPath: output.file("film.mp4")))
            let language = String(expected.last?.language.prefix(2) ?? "")
            try await MediaCacheBinary.output(
                ["export", url, "--language", language == "po" ? "pt" : language, "--force"]
                    + ["-o", output.file("one.mp4")] + options)
            #expect(
                try await SpokenStream.audioTracks(of: output.file("one.mp4")).map(\.language)
                    == expected.suffix(1).map(\.language))

            let saved = try await MediaCacheBinary.output(["url", url, "--mp4", "--cache", cache.path])
            let address = saved.trimmingCharacters(in: .whitespacesAndNewlines)
            let whole = try await Peer.run("curl", ["-sf", address])
            try whole.write(to: URL(filePath: output.file("saved.mp4")))
            #expect(try await SpokenStream.audioTracks(of: output.file("saved.mp4")) == expected)
            #expect(
                try await StreamPlayer.ffmpeg.play(URL(filePath: output.file("saved.mp4"))).videoFrames
                    == StreamFixtures.videoFrames)
            for start in stride(from: 0, to: whole.count, by: whole.count / 5) {
                let range = start..<min(whole.count, start + 30_000)
                let part = try await Peer.run(
                    "curl", ["-sf", "-r", "\(range.lowerBound)-\(range.upperBound - 1)", address])
                #expect(part == whole[range], "\(range)")
            }
            // Another server creates the file again.
            try await server.stop()
            let other = try await RunningServer(cache: cache.path)
            let again = try await MediaCacheBinary.output(["url", url, "--mp4", "--cache", cache.path])
            #expect(
                try await Peer.run("curl", ["-sf", again.trimmingCharacters(in: .whitespacesAndNewlines)]) == whole)
            try await other.stop()
        }
    }
}
