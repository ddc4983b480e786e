import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of exporting cached media without the origin.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe")))
    struct ExportCommandTests {
        /// A stream that `remux` has cached is exported without a request to the origin.
        @Test(arguments: [StreamKind.encryptedAbsolute, .separateAudio, .byteRanges, .fragmentedMP4], [false, true])
        func exportsPlayedStream(kind: StreamKind, owned: Bool) async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let options = ["--cache", folder.path, "-q"]
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let playlist = origin.url(try kind.playlist(at: origin))
            let direct = try await StreamPlayer.ffmpeg.play(playlist)
            try await MediaCacheBinary.output(
                ["remux", playlist.absoluteString, "-o", output.file("played.mp4")] + options)
            let before = try await origin.log()
            let server = owned ? try await RunningServer(cache: folder.path) : nil
            try await MediaCacheBinary.output(
                ["export", playlist.absoluteString, "-o", output.file("film.mp4")] + options)
            let after = try await origin.log()
            #expect(after.entries.count == before.entries.count, "\(after.since(before).summary)")
            let made = try await StreamPlayer.ffmpeg.play(URL(filePath: output.file("film.mp4")))
            #expect(made.sums() == direct.sums())
            #expect(made.hasAudio)
            try await server?.stop()
        }

        @Test func cutsAtGivenTimes() async throws {
            try await Fixtures.shared.clips()
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let options = ["--cache", folder.path, "-q"]
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let url = origin.url(Fixtures.moovLast).absoluteString
            try await MediaCacheBinary.output(["get", url] + options)
            let before = try await origin.log()
            // Key frames are two seconds apart.
            let cut = output.file("cut.mp4")
            try await MediaCacheBinary.output(
                ["export", url, "--from", "0:11.2", "--to", "14.4", "-o", cut] + options)
            #expect(try await origin.log().entries.count == before.entries.count)
            let whole = try await StreamPlayer.ffmpeg.play(URL(filePath: "\(Fixtures.folder)/\(Fixtures.moovLast)"))
            let made = try await StreamPlayer.ffmpeg.play(URL(filePath: cut))
            #expect(made.sums() == Array(whole.sums()[280..<360]))
            let text = try await Peer.run(
                "ffprobe", ["-v", "error", "-show_entries", "format=duration,start_time", "-of", "csv=p=0", cut])
            let numbers = String(decoding: text, as: UTF8.self).split(whereSeparator: { ",\n".contains($0) })
                .compactMap { Double($0) }
            #expect(numbers.count == 2 && abs(numbers[0]) < 0.03 && abs(numbers[1] - 3.2) < 0.03, "\(numbers)")
        }

        /// Other formats are encoded by ffmpeg, and no temporary file remains. An unknown format and a missing ffmpeg
        /// are errors.
        @Test func encodesOtherFormats() async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let url = origin.url("clip.mp4").absoluteString
            try await MediaCacheBinary.output(["get", url, "--cache", folder.path, "-q"])
            for (name, codecs) in [
                ("film.webm", ["vp8", "opus"]), ("song.mp3", ["mp3"]), ("phone.3gp", ["h264", "aac"]),
            ] {
                let made = output.file(name)
                try await MediaCacheBinary.output(
                    [
                        "export", url, "--transcode", "-o", made, "--from", "1", "--to", "3", "--cache", folder.path,
                        "-q",
                    ])
                let text = try await Peer.run(
                    "ffprobe", ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", made])
                let found = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
                #expect(found == codecs, "\(name)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: output.path)
            #expect(names.sorted() == ["film.webm", "phone.3gp", "song.mp3"])
            let avi = try await MediaCacheBinary.run(["export", url, "--transcode", "-o", output.file("a.avi")])
            #expect(avi.ending == .exit(64))
            let bare = try ChildProcess(
                MediaCacheBinary.path,
                ["export", url, "--transcode", "-o", output.file("b.mp3"), "--cache", folder.path],
                environment: ["PATH": "/nowhere"])
            #expect(try await bare.end(within: .seconds(20)) == .exit(1))
            #expect(bare.errorText.contains("apt-get install ffmpeg"), "\(bare.errorText)")
        }

        @Test func reportsMissingSegments() async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let options = ["--cache", folder.path, "-q"]
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let playlist = origin.url("transportstream.m3u8")
            let film = output.file("film.mp4")
            let nothing = try await MediaCacheBinary.run(["export", playlist.absoluteString, "-o", film] + options)
            #expect(nothing.ending == .exit(1))
            #expect(nothing.errorText.contains("isn't cached"), "\(nothing.errorText)")

            try await MediaCacheBinary.output(["remux", playlist.absoluteString, "-o", film] + options)
            try await MediaCacheBinary.output(
                ["remove", origin.url("transportstream3.ts").absoluteString, "--cache", folder.path])
            let before = try await origin.log()
            let arguments = ["export", playlist.absoluteString, "-o", film, "--force"] + options
            let part = try await MediaCacheBinary.run(arguments)
            #expect(part.ending == .exit(1))
            #expect(part.errorText.contains("1 of 6 segments"), "\(part.errorText)")
            let gap = try await MediaCacheBinary.run(arguments + ["--gaps"])
            #expect(gap.ending == .exit(2), "\(gap.errorText)")
            #expect(gap.errorText.contains("transportstream3.ts"))
            #expect(try await origin.log().entries.count == before.entries.count)
            let made = try await StreamPlayer.ffmpeg.play(URL(filePath: film))
            #expect((100..<StreamFixtures.videoFrames).contains(made.videoFrames) || made.videoFrames == 150)

            try await MediaCacheBinary.output(arguments + ["--fetch"])
            let fetched = try await origin.log().since(before)
            #expect(fetched.entries.filter { $0.bodyBytes > 0 }.map(\.path) == ["/transportstream3.ts"])
        }
    }
}
