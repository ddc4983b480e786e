import Foundation
import Testing

extension AcceptanceTests {
    /// `cover` of songs and films.
    @Suite(.enabled(if: Peer.present("nginx", "ffmpeg", "ffprobe")))
    struct CoverCommandTests {
        /// The picture that ffmpeg put into a song comes out again, for the price of the tag; of a film, a frame.
        @Test func picturesAreTaken() async throws {
            try await Fixtures.shared.clips()
            let folder = try TemporaryFolder("songs")
            let picture = folder.file("picture.png")
            try await Peer.run(
                "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64", "-frames:v", "1", picture])
            let wanted = FileManager.default.contents(atPath: picture)
            for name in ["song.mp3", "song.m4a"] {
                try await Peer.run(
                    "ffmpeg",
                    ["-v", "error", "-f", "lavfi", "-i", "sine=440:r=48000", "-i", picture, "-t", "60", "-map", "0"]
                        + ["-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic", folder.file(name)])
            }
            let origin = try await NginxOrigin(serving: folder.path)
            let cache = ["--cache", folder.file("cache")]
            for name in ["song.mp3", "song.m4a"] {
                let output = folder.file(name + ".png")
                let text = try await MediaCacheBinary.output(
                    ["cover", origin.url(name).absoluteString, "-o", output] + cache)
                #expect(text.hasPrefix("An embedded picture (image/png"), "\(text)")
                #expect(FileManager.default.contents(atPath: output) == wanted, "\(name)")
            }

            // The second time it's what is kept, whoever owns the folder.
            let server = try await RunningServer(cache: cache[1])
            let song = origin.url("song.mp3").absoluteString
            let known = try await MediaCacheBinary.output(["cover", song] + cache)
            #expect(known.hasPrefix("The picture that is kept"), "\(known)")
            let asked = try await origin.log().entries.count
            try await MediaCacheBinary.output(["cover", song, "--set", folder.file("song.m4a.png")] + cache)
            let usage = try await MediaCacheBinary.output(["usage", "--json"] + cache)
            #expect(usage.contains("\"covers\" : 2"), "\(usage)")
            let link = try await MediaCacheBinary.output(["url", "--mp4", song] + cache)
            let cover = try #require(URL(string: link)).deletingLastPathComponent().appending(path: "cover")
            let read = try await Peer.run("curl", ["-sSf", cover.absoluteString])
            #expect(read == wanted)
            #expect(
                try await MediaCacheBinary.output(["cover", song, "--remove"] + cache).hasPrefix("Removed 1 picture"))
            let all = try await MediaCacheBinary.output(["cover", "--remove-all", "--json"] + cache)
            #expect(all.contains("\"covers\" : 1"), "\(all)")
            #expect(try await origin.log().entries.count == asked)
            let noPicture = try await MediaCacheBinary.run(["cover", song, "--set", "/etc/hostname"] + cache)
            #expect(
                noPicture.ending == .exit(1) && noPicture.errorText.contains("neither JPEG"), "\(noPicture.errorText)")
            try await server.stop()

            let frame = folder.file("frame.jpg")
            let film = "\(Fixtures.folder)/\(Fixtures.moovLast)"
            let text = try await MediaCacheBinary.output(["cover", film, "--at", "0:20", "-o", frame, "--json"])
            #expect(text.contains("\"source\" : \"frame\"") && text.contains("\"kept\" : false"), "\(text)")
            let size = try await Peer.run(
                "ffprobe", ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", frame])
            #expect(String(decoding: size, as: UTF8.self).hasPrefix("640,360"))
            let none = try await MediaCacheBinary.run(["cover", film, "--at", "1:00:00"])
            #expect(none.ending == .exit(1))
            #expect(none.errorText.contains("no picture at that moment"), "\(none.errorText)")
        }
    }
}
