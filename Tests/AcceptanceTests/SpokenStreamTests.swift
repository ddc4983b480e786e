import Foundation
import Testing

extension AcceptanceTests {
    /// A stream with several sounds as one file: which it has, and what another program finds said of them.
    @Suite(.enabled(if: Peer.present("nginx", "ffmpeg", "ffprobe", "curl")))
    struct SpokenStreamTests {
        /// Whichever way a file is made.
        @Test func filesSayWhatTheirSoundsAre() async throws {
            let source = try TemporaryFolder("source")
            try await SpokenStream.make(in: source.path)
            let origin = try await NginxOrigin(serving: source.path)
            let output = try TemporaryFolder("output")
            let here = ["-q", "--cache", output.file("cache")]
            let url = origin.url(SpokenStream.entry).absoluteString
            let all = output.file("all.mp4")
            try await MediaCacheBinary.output(["remux", url, "--all-audio", "-o", all] + here)
            #expect(try await SpokenStream.sounds(of: all) == SpokenStream.all)
            // What three letters don't say, and nothing else, is said beside them.
            let bytes = try Data(contentsOf: URL(filePath: all))
            #expect(bytes.range(of: Data("elng\0\0\0\0pt-BR\0".utf8)) != nil)
            #expect(bytes.range(of: Data("elng\0\0\0\0de".utf8)) == nil)

            var alone = SpokenStream.all
            for index in alone.indices { alone[index].isDefault = true }
            let one = output.file("one.mp4")
            try await MediaCacheBinary.output(["remux", url, "-o", one] + here)
            #expect(try await SpokenStream.sounds(of: one) == [alone[0]])
            try await MediaCacheBinary.output(["remux", url, "--language", "pt", "-o", one, "--force"] + here)
            #expect(try await SpokenStream.sounds(of: one) == [alone[2]])
            try await MediaCacheBinary.output(["remux", url, "--all-audio", "-o", output.file("all.ts")] + here)
            let stream = try await SpokenStream.sounds(of: output.file("all.ts"))
            #expect(stream.map(\.language) == ["deu", "eng", "por"])
        }
    }
}
