import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of `cover` with songs and films.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe")))
    struct CoverCommandTests {
        @Test func extractsPicturesAndFrames() async throws {
            try await Fixtures.shared.clips()
            let folder = try TemporaryFolder("songs")
            let picture = folder.file("picture.png")
            try await Peer.run(
                "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64", "-frames:v", "1", picture])
            let expected = FileManager.default.contents(atPath: picture)
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
                #expect(text.hasPrefix("Embedded picture (image/png"), "\(text)")
                #expect(FileManager.default.contents(atPath: output) == expected, "\(name)")
            }

            // The second call returns the stored cover, here through a server.
            let server = try await RunningServer(cache: cache[1])
            let song = origin.url("song.mp3").absoluteString
            let known = try await MediaCacheBinary.output(["cover", song] + cache)
            #expect(known.hasPrefix("Stored cover"), "\(known)")
            let requests = try await origin.log().entries.count
            try await MediaCacheBinary.output(["cover", song, "--set", folder.file("song.m4a.png")] + cache)
            let usage = try await MediaCacheBinary.output(["usage", "--json"] + cache)
            #expect(usage.contains("\"covers\" : 2"), "\(usage)")
            let link = try await MediaCacheBinary.output(["url", "--mp4", song] + cache)
            let cover = try #require(URL(string: link)).deletingLastPathComponent().appending(path: "cover")
            let read = try await Peer.run("curl", ["-sSf", cover.absoluteString])
            #expect(read == expected)
            #expect(
                try await MediaCacheBinary.output(["cover", song, "--remove"] + cache).hasPrefix("Removed 1 cover"))
            let all = try await MediaCacheBinary.output(["cover", "--remove-all", "--json"] + cache)
            #expect(all.contains("\"covers\" : 1"), "\(all)")
            #expect(try await origin.log().entries.count == requests)
            let noPicture = try await MediaCacheBinary.run(["cover", song, "--set", "/etc/hostname"] + cache)
            #expect(
                noPicture.ending == .exit(1) && noPicture.errorText.contains("use a JPEG"), "\(noPicture.errorText)")
            try await server.stop()

            let frame = folder.file("frame.jpg")
            let film = "\(Fixtures.folder)/\(Fixtures.moovLast)"
            let text = try await MediaCacheBinary.output(["cover", film, "--at", "0:20", "-o", frame, "--json"])
            #expect(text.contains("\"source\" : \"frame\"") && text.contains("\"isStored\" : false"), "\(text)")
            let size = try await Peer.run(
                "ffprobe", ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", frame])
            #expect(String(decoding: size, as: UTF8.self).hasPrefix("640,360"))
            let none = try await MediaCacheBinary.run(["cover", film, "--at", "1:00:00"])
            #expect(none.ending == .exit(1))
            #expect(none.errorText.contains("no picture or video frame at that time"), "\(none.errorText)")
        }

        @Test func writesPictureThatCannotBeCached() async throws {
            let folder = try TemporaryFolder("songs")
            let picture = folder.file("picture.bmp")
            try await Peer.run(
                "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=16x16", "-frames:v", "1", picture])
            try await Peer.run(
                "ffmpeg",
                ["-v", "error", "-f", "lavfi", "-i", "sine=440:r=48000", "-i", picture, "-t", "2", "-map", "0"]
                    + ["-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic", folder.file("song.m4a")])
            let origin = try await NginxOrigin(serving: folder.path)
            let output = folder.file("cover.bmp")
            let result = try await MediaCacheBinary.run([
                "cover", origin.url("song.m4a").absoluteString, "-o", output, "--json", "--cache",
                folder.file("cache"),
            ])
            #expect(result.ending == .exit(0), "\(result.errorText)")
            #expect(result.text.contains("\"isStored\" : false"), "\(result.text)")
            #expect(result.errorText.contains("note: the cover isn't stored: "), "\(result.errorText)")
            #expect(FileManager.default.contents(atPath: output) == FileManager.default.contents(atPath: picture))
        }

        /// The error for an undecodable film differs from the error for media without a picture.
        @Test func reportsUndecodableFilm() async throws {
            let folder = try TemporaryFolder("films")
            let film = folder.file("film.mp4")
            let pictures = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=2"]
            try await Peer.run("ffmpeg", pictures + ["-c:v", "libx264", film])
            var bytes = try #require(FileManager.default.contents(atPath: film))
            let begin = try #require(bytes.firstRange(of: Data("mdat".utf8))).upperBound
            let end = try #require(bytes.firstRange(of: Data("moov".utf8))).lowerBound - 4
            for index in begin + 4..<end { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
            try bytes.write(to: URL(filePath: film))
            for time in ["0", "1"] {
                let result = try await MediaCacheBinary.run(["cover", film, "--at", time])
                #expect(result.ending == .exit(1))
                #expect(result.errorText.contains("ffmpeg couldn't decode a frame"), "\(result.errorText)")
            }
            // A song without a picture.
            let song = folder.file("song.m4a")
            try await Peer.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=440", "-t", "2", song])
            let result = try await MediaCacheBinary.run(["cover", song])
            #expect(result.ending == .exit(1) && result.errorText.contains("has no picture"), "\(result.errorText)")
        }

        /// The command reads and decrypts the segments itself, because ffmpeg can read neither playlists nor the
        /// network.
        @Test func extractsFramesFromStreams() async throws {
            try await StreamFixtures.shared.make()
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let folder = try TemporaryFolder("frames")
            for input in [
                "\(StreamFixtures.folder)/transportstream.m3u8", origin.url("transportstream.m3u8").absoluteString,
                origin.url("encrypted.m3u8").absoluteString,
            ] {
                let output = folder.file("frame.jpg")
                try await MediaCacheBinary.output([
                    "cover", input, "--at", "1", "-o", output, "--force", "--cache", folder.file("cache"),
                ])
                #expect(FileManager.default.contents(atPath: output)?.starts(with: [0xFF, 0xD8]) == true, "\(input)")
            }
        }
    }
}
