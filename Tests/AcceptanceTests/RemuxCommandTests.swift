import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of `remux` with streams and files. Players decode the results.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe")))
    struct RemuxCommandTests {
        /// The output has audio and every video frame.
        @Test(arguments: StreamKind.allCases)
        func remuxesStreams(kind: StreamKind) async throws {
            try await StreamFixtures.shared.make()
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let folder = try TemporaryFolder("output")
            let playlist = origin.url(try kind.playlist(at: origin))
            let direct = try await StreamPlayer.ffmpeg.play(playlist)
            let before = try await origin.log()
            let output = folder.file("film.mp4")
            let arguments = ["remux", playlist.absoluteString, "-o", output, "--cache", folder.file("cache")]
            try await MediaCacheBinary.output(arguments + ["--quiet"])
            let made = try await StreamPlayer.ffmpeg.play(URL(filePath: output))
            #expect(made.sums() == direct.sums())
            #expect(made.videoFrames == StreamFixtures.videoFrames)
            #expect(made.hasAudio)
            #expect(try await Self.warnings(of: output).isEmpty)
            let first = try await origin.log()
            for (path, _) in Dictionary(grouping: first.since(before).entries, by: \.path) {
                let sent = first.since(before).of(String(path.dropFirst()))
                #expect(sent.repeatedBytes == 0, "\(path): \(sent.summary)")
            }

            // Cached segments aren't requested again.
            try await MediaCacheBinary.output(arguments + ["--quiet", "--force"])
            #expect(try await origin.log().since(first).bodyBytes == 0)
        }

        @Test(arguments: try StreamPlayer.installed())
        func playersPlayRemuxedFile(player: StreamPlayer) async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("output")
            try await MediaCacheBinary.output([
                "remux", "\(StreamFixtures.folder)/encrypted.m3u8", "-o", folder.file("film.mp4"), "-q",
            ])
            let origin = try await NginxOrigin(serving: folder.path)
            let cache = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: cache.path)
            let playback = try await player.play(try await server.play(origin.url("film.mp4")))
            try await server.stop()
            #expect(playback.hasAudio)
            #expect((StreamFixtures.videoFrames * 9 / 10...StreamFixtures.videoFrames).contains(playback.videoFrames))
        }

        @Test func readsPlaylistFiles() async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("output")
            let output = folder.file("film.mp4")
            let made = try await MediaCacheBinary.object([
                "remux", "\(StreamFixtures.folder)/encrypted.m3u8", "-o", output, "--json", "--quiet",
            ])
            let tracks = made["tracks"] as? [[String: Any]] ?? []
            #expect(tracks.compactMap { $0["kind"] as? String } == ["video", "audio"])
            #expect(tracks.first?["samples"] as? Int == StreamFixtures.videoFrames)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["film.mp4"])
        }

        /// Segments are concatenated, audio is remuxed alone, and a stream and an audio file are combined.
        @Test func joinsFiles() async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("output")
            let names = try FileManager.default.contentsOfDirectory(atPath: StreamFixtures.folder)
            let segments = names.filter { $0.wholeMatch(of: #/transportstream\d+\.ts/#) != nil }
                .sorted { $0.localizedStandardCompare($1) == .orderedAscending }
                .map { "\(StreamFixtures.folder)/\($0)" }
            try #require(segments.count == 6)
            let whole = folder.file("whole.mp4")
            try await MediaCacheBinary.output(["remux"] + segments + ["-o", whole, "-q"])
            let clip = try await StreamPlayer.ffmpeg.play(URL(filePath: "\(StreamFixtures.folder)/clip.mp4"))
            let joined = try await StreamPlayer.ffmpeg.play(URL(filePath: whole))
            #expect(joined.sums() == clip.sums())

            let sound = folder.file("sound.m4a")
            try await MediaCacheBinary.output(["remux", whole, "-o", sound, "-q"])
            let alone = try await StreamPlayer.ffmpeg.play(URL(filePath: sound))
            #expect(alone.videoFrames == 0 && alone.hasAudio)
            #expect(alone.sums("audio") == joined.sums("audio"))

            let both = folder.file("both.mp4")
            try await MediaCacheBinary.output([
                "remux", "\(StreamFixtures.folder)/transportstream.m3u8", sound, "--together", "-o", both, "-q",
            ])
            let kinds = try await Peer.run("ffprobe", ["-v", "error", "-show_entries", "stream=codec_type", both])
            let text = String(decoding: kinds, as: UTF8.self)
            #expect(text.split(separator: "codec_type=audio").count == 3, "\(text)")
        }

        @Test func rearrangesMP4() async throws {
            try await Fixtures.shared.clips()
            let folder = try TemporaryFolder("output")
            let output = folder.file("film.mp4")
            try await MediaCacheBinary.output(["remux", "\(Fixtures.folder)/\(Fixtures.moovLast)", "-o", output, "-q"])
            let made = try await StreamPlayer.ffmpeg.play(URL(filePath: output))
            let source = try await StreamPlayer.ffmpeg.play(URL(filePath: "\(Fixtures.folder)/\(Fixtures.moovLast)"))
            #expect(made.frames.map(\.sum) == source.frames.map(\.sum))
        }

        /// The transport stream has every video frame.
        @Test func writesTransportStream() async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("output")
            let clip = "\(StreamFixtures.folder)/clip.mp4"
            let output = folder.file("clip.ts")
            try await MediaCacheBinary.output(["remux", clip, "-o", output, "-q"])
            let made = try await StreamPlayer.ffmpeg.play(URL(filePath: output))
            let source = try await StreamPlayer.ffmpeg.play(URL(filePath: clip))
            #expect(made.sums() == source.sums())
            // A transport stream can't signal the encoder delay.
            #expect(abs(made.sums("audio").count - source.sums("audio").count) <= 2)
            #expect(try await Self.warnings(of: output).isEmpty)
        }

        @Test(arguments: ["file://", "FILE://"])
        func refusesLocalFilesInRemotePlaylist(scheme: String) async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("stream")
            try
                "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n\(scheme)\(StreamFixtures.folder)/clip.mp4\n#EXT-X-ENDLIST\n"
                .write(toFile: folder.file("index.m3u8"), atomically: true, encoding: .utf8)
            let origin = try await NginxOrigin(serving: folder.path)
            let output = try TemporaryFolder("output")
            let result = try await MediaCacheBinary.run([
                "remux", origin.url("index.m3u8").absoluteString, "-o", output.file("film.mp4"), "-q", "--cache",
                folder.file("cache"),
            ])
            #expect(result.ending == .exit(1))
            #expect(result.errorText.contains("isn't http or https"), "\(result.errorText)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: output.path).isEmpty)
        }

        /// A missing segment is an error. With --gaps, the exit code is 2.
        @Test func reportsMissingSegments() async throws {
            let folder = try await StreamFixtures.copy()
            try FileManager.default.removeItem(atPath: folder.file("transportstream2.ts"))
            let origin = try await NginxOrigin(serving: folder.path)
            let output = try TemporaryFolder("output")
            let arguments = [
                "remux", origin.url("transportstream.m3u8").absoluteString, "-o", output.file("film.mp4"), "-q",
                "--cache", output.file("cache"),
            ]
            let failed = try await MediaCacheBinary.run(arguments)
            #expect(failed.ending == .exit(1))
            #expect(failed.errorText.contains("transportstream2.ts"), "\(failed.errorText)")
            #expect(!FileManager.default.fileExists(atPath: output.file("film.mp4")))
            let partial = try await MediaCacheBinary.run(arguments + ["--gaps"])
            #expect(partial.ending == .exit(2), "\(partial.errorText)")
            #expect(partial.errorText.contains("transportstream2.ts"), "\(partial.errorText)")
            let made = try await StreamPlayer.ffmpeg.play(URL(filePath: output.file("film.mp4")))
            let missing = StreamFixtures.videoFrames - made.videoFrames
            #expect((20...30).contains(missing) || made.videoFrames == StreamFixtures.videoFrames, "\(missing)")
        }

        @Test(
            arguments: [
                (["a.ts", "-o", "b.avi"], 64), (["-o", "b.mp4"], 64), (["a.ts"], 64),
                (["a.ts", "-o", "b.mp4", "--together"], 64), (["/nowhere/a.ts", "-o", "/tmp/nothing.mp4"], 1),
            ] as [([String], Int32)])
        func reportsFailures(arguments: [String], code: Int32) async throws {
            let result = try await MediaCacheBinary.run(["remux"] + arguments)
            #expect(result.ending == .exit(code), "\(result.errorText)")
            #expect(!result.errorText.isEmpty)
        }

        private static func warnings(of path: String) async throws -> String {
            let child = try ChildProcess(
                Peer.required("ffmpeg"), ["-v", "warning", "-nostdin", "-i", path, "-map", "0", "-f", "null", "-"])
            try await child.end(within: .seconds(60))
            return child.errorText
        }
    }
}
