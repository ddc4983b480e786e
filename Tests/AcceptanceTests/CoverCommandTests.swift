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

            let frame = folder.file("frame.jpg")
            let film = "\(Fixtures.folder)/\(Fixtures.moovLast)"
            let text = try await MediaCacheBinary.output(["cover", film, "--at", "0:20", "-o", frame, "--json"])
            #expect(text.contains("\"embedded\" : false"))
            let size = try await Peer.run(
                "ffprobe", ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", frame])
            #expect(String(decoding: size, as: UTF8.self).hasPrefix("640,360"))
            let none = try await MediaCacheBinary.run(["cover", film, "--at", "1:00:00"])
            #expect(none.ending == .exit(1))
            #expect(none.errorText.contains("no picture at that moment"), "\(none.errorText)")
        }
    }
}
