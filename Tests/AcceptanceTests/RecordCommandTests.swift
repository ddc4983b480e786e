import Foundation
import Testing

extension LiveAcceptanceTests {
    /// Tests of `record`, `channels`, the export of a window, and the configured channels of `serve`. ffmpeg encodes
    /// the live streams.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe")))
    struct RecordCommandTests {
        private static func channels(_ cache: String) async throws -> [RecordedChannel.Status] {
            try await MediaCacheBinary.decoded(["channels", "--json", "--cache", cache])
        }

        /// The command records without a server, and creates a channel and an asset in the library.
        @Test func recordsAndExportsStream() async throws {
            let encoder = try await LiveEncoder(seconds: 60)
            let origin = try await NginxOrigin(serving: encoder.folder.path)
            let (folder, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
            let options = ["--cache", folder.path]
            let url = origin.url(LiveEncoder.window).absoluteString
            let recorded = try await MediaCacheBinary.output(
                ["record", url, "--name", "news", "--for", "6", "--json"] + options)
            let lines = recorded.split(separator: "\n")
            #expect(lines.count > 2 && lines.last?.contains(#""event":"result""#) == true, "\(recorded)")
            #expect(lines.last?.contains(#""complete":true"#) == true)

            let found = try await Self.channels(folder.path)
            let channel = try #require(found.first)
            #expect(channel.name == "news" && channel.state == "ended" && channel.gaps == 0)
            let span = try #require(channel.recordedRanges.first)
            #expect(channel.recordedRanges.count == 1 && span.to - span.from >= 6000)

            let scene = output.file("scene.mp4")
            let (from, to) = (span.from + 1500, span.from + 4500)
            try await MediaCacheBinary.output(
                ["export", "news", "--from", "\(from)", "--to", "\(to)", "-o", scene, "-q"] + options)
            #expect(abs(try await ProbedStream.duration(of: scene) - 3) < 0.05)
            let all = output.file("all.mp4")
            try await MediaCacheBinary.output(["export", "news", "-o", all, "-q"] + options)
            #expect(abs(try await ProbedStream.duration(of: all) - Double(span.to - span.from) / 1000) < 0.2)
            // The frames of the window match those of the whole recording.
            let (whole, part) = (
                try await StreamPlayer.ffmpeg.play(URL(filePath: all)),
                try await StreamPlayer.ffmpeg.play(URL(filePath: scene))
            )
            #expect(part.hasAudio && part.videoFrames == 75)
            let (sums, seen) = (whole.sums(), part.sums())
            let first = try #require(seen.first)
            let start = try #require(sums.firstIndex(of: first))
            #expect(Array(sums[start...].prefix(seen.count)) == seen)

            let before = try await MediaCacheBinary.run(
                ["export", "news", "--from", "\(span.from - 60_000)", "--to", "\(span.to)", "-o", scene, "--force"]
                    + options)
            #expect(before.ending == .exit(1))
            let words = "the window begins outside the recorded time; recorded:"
            #expect(before.errorText.contains(words), "\(before.errorText)")

            try await MediaCacheBinary.output(["channels", "remove", "news"] + options)
            #expect(try await Self.channels(folder.path).isEmpty)
            // The asset remains until it is removed by its title.
            try await MediaCacheBinary.output(["export", "news", "-o", all, "-q", "--force"] + options)
            try await MediaCacheBinary.output(["remove", "news"] + options)
            #expect(
                try await MediaCacheBinary.run(["export", "news", "-o", all, "--force"] + options).ending == .exit(1))
        }

        /// Running the command again continues the channel.
        @Test func ctrlCStopsRecording() async throws {
            let encoder = try await LiveEncoder(seconds: 60)
            let origin = try await NginxOrigin(serving: encoder.folder.path)
            let folder = try TemporaryFolder("cache")
            let arguments = ["record", origin.url(LiveEncoder.window).absoluteString, "--name", "news", "--json"]
            for round in 1...2 {
                let child = try ChildProcess(MediaCacheBinary.path, arguments + ["--cache", folder.path])
                try await child.line(within: .seconds(20)) { $0.contains(#""event":"progress""#) ? () : nil }
                child.signal(SIGINT)
                #expect(try await child.end(within: .seconds(20)) == .exit(130))
                #expect(child.errorText.contains("run the same command to continue"), "\(child.errorText)")
                let found = try await Self.channels(folder.path)
                let channel = try #require(found.first)
                #expect(channel.state == "stopped" && channel.segments > round)
            }
            // Without a server, these commands return although no process records the channel.
            try await MediaCacheBinary.output(
                ["channels", "start", "news", "--cache", folder.path], within: .seconds(20))
            try await MediaCacheBinary.output(
                ["channels", "keep", "news", "--keep-segments", "1", "--cache", folder.path], within: .seconds(20))
            #expect(try await Self.channels(folder.path).first?.segments == 1)
        }

        /// The server records its configured channels from the start. A dead channel doesn't affect the others, and an
        /// error identifies the invalid entry.
        @Test func serverRecordsConfiguredChannels() async throws {
            let encoder = try await LiveEncoder(seconds: 60)
            let origin = try await NginxOrigin(serving: encoder.folder.path)
            let (folder, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
            let url = origin.url(LiveEncoder.window).absoluteString
            let file = output.file("channels.json")
            try """
            {"channels": [{"name": "dead", "url": "http://127.0.0.1:1/live.m3u8"},
                          {"name": "news", "url": "\(url)", "keep": "1h"}]}
            """.write(toFile: file, atomically: true, encoding: .utf8)
            let server = try await RunningServer(
                cache: folder.path,
                command: ["serve", "--min-free", "0", "--config", file, "--channel", "more=\(url)"])
            let options = ["--cache", folder.path]
            try await eventually("five segments are recorded", within: .seconds(30)) {
                let channels = try await Self.channels(folder.path)
                #expect(channels.map(\.name) == ["dead", "more", "news"])
                return channels.dropFirst().allSatisfy { $0.state == "recording" && $0.segments >= 5 } ? () : nil
            }
            let found = try await Self.channels(folder.path)
            let dead = try #require(found.first)
            #expect(dead.state == "waiting" && dead.reason != nil)
            let scene = output.file("scene.mp4")
            try await MediaCacheBinary.output(
                ["export", "news", "--from", "-2", "--to", "now", "-o", scene, "-q"] + options)
            #expect(abs(try await ProbedStream.duration(of: scene) - 2) < 0.1)
            // After the command has ended, the server records the new channel.
            let detached = try await MediaCacheBinary.output(["record", url, "--name", "late", "--detach"] + options)
            #expect(detached.contains("/live/late/index.m3u8"))
            try await MediaCacheBinary.output(["channels", "stop", "late"] + options)
            #expect(try await Self.channels(folder.path).first { $0.name == "late" }?.state == "stopped")
            try await server.stop()

            try #"{"channels": [{"name": "news"}]}"#.write(toFile: file, atomically: true, encoding: .utf8)
            let bad = try await MediaCacheBinary.run(["serve", "--port", "0", "--config", file] + options)
            #expect(bad.ending == .exit(64))
            #expect(bad.errorText.contains("\(file): channels[0] “news”: url is missing"), "\(bad.errorText)")
        }

        /// The output of `export --bundle --json`.
        private struct Bundle: Decodable {
            var asset: String
            var entry: String
            var missing: [String]
        }

        /// A programme in the output of `channels programmes --json`.
        private struct Programme: Decodable {
            struct Export: Decodable {
                var format: String
                var state: String
                var missing: Int
                var url: String
            }

            var id: String
            var exports: [Export]
        }

        /// A programme added before it starts is exported when it has ended. Its links don't change in the next
        /// process.
        @Test func exportsProgrammeAfterItsEnd() async throws {
            let encoder = try await LiveEncoder(seconds: 60)
            let origin = try await NginxOrigin(serving: encoder.folder.path)
            let folder = try TemporaryFolder("cache")
            let url = origin.url(LiveEncoder.window).absoluteString
            let command = ["serve", "--min-free", "0", "--channel", "news=\(url)"]
            let options = ["--cache", folder.path]
            let server = try await RunningServer(cache: folder.path, command: command)
            try await eventually("two segments are recorded", within: .seconds(30)) {
                try await Self.channels(folder.path).first.map { $0.segments >= 2 } == true ? () : nil
            }
            let from = Int64(Date().timeIntervalSince1970 * 1000) + 5000
            let programme: Programme = try await MediaCacheBinary.decoded(
                [
                    "channels", "programmes", "news", "--add", "Match", "--from", "\(from)", "--to", "\(from + 4000)",
                    "--format", "mp4", "--format", "3gp", "--format", "hls", "--json",
                ] + options)
            #expect(programme.exports.map(\.state) == ["waiting", "waiting", "waiting"])
            try await eventually("all exports are finished", within: .seconds(60)) {
                let programmes: [Programme] = try await MediaCacheBinary.decoded(
                    ["channels", "programmes", "news", "--json"] + options)
                let states = Set(programmes.flatMap(\.exports).map(\.state))
                #expect(!states.contains("failed"), "\(programmes)")
                return states == ["done"] ? () : nil
            }
            for export in programme.exports {
                let seconds = try await ProbedStream.duration(of: export.url)
                // A playlist consists of whole segments.
                #expect(export.format == "hls" ? (3.9..<9).contains(seconds) : abs(seconds - 4) < 0.2, "\(seconds) s")
            }
            let list = try await MediaCacheBinary.output(["channels", "programmes", "news"] + options)
            #expect(list.contains("mp4 done (") && list.contains("3gp done ("), "\(list)")
            server.kill()
            let next = try await RunningServer(cache: folder.path, command: command)
            let path = try #require(URL(string: programme.exports[0].url)?.path)
            #expect(abs(try await ProbedStream.duration(of: next.base.absoluteString + path) - 4) < 0.2)
            try await MediaCacheBinary.output(
                ["channels", "programmes", "news", "--cancel", programme.id, "--format", "mp4"] + options)
            try await MediaCacheBinary.output(["channels", "programmes", "news", "--delete", programme.id] + options)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("exports")).isEmpty)
            try await next.stop()
        }

        /// A window and the whole channel are exported as bundles that play from disk and can be imported.
        @Test func exportsWindowAsBundle() async throws {
            let encoder = try await LiveEncoder(seconds: 60)
            let origin = try await NginxOrigin(serving: encoder.folder.path)
            let (folder, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
            let options = ["--cache", folder.path]
            let url = origin.url(LiveEncoder.window).absoluteString
            let child = try ChildProcess(MediaCacheBinary.path, ["record", url, "--name", "news", "--json"] + options)
            try await child.line(within: .seconds(30)) { line in
                let seconds = line.split(separator: #""seconds":"#).dropFirst().first?.prefix { $0 != "," && $0 != "}" }
                return seconds.flatMap { Double($0) }.map { $0 >= 6 } == true ? () : nil
            }
            child.signal(SIGINT)
            #expect(try await child.end(within: .seconds(20)) == .exit(130))
            let found = try await Self.channels(folder.path)
            let span = try #require(found.first?.recordedRanges.first)

            let (all, window) = (output.file("all"), output.file("window"))
            try await MediaCacheBinary.output(["export", "news", "--bundle", all, "-q"] + options)
            let (from, to) = (span.from + 1500, span.from + 4500)
            let result: Bundle = try await MediaCacheBinary.decoded(
                ["export", "news", "--from", "\(from)", "--to", "\(to)", "--bundle", window, "-q", "--json"] + options)
            #expect(result.asset == "news" && result.missing == [] && result.entry == "index.m3u8")
            let whole = try await StreamPlayer.ffmpeg.play(URL(filePath: "\(all)/index.m3u8"))
            let part = try await StreamPlayer.ffmpeg.play(URL(filePath: "\(window)/index.m3u8"))
            #expect(part.hasAudio && part.videoFrames >= 75 && part.videoFrames < whole.videoFrames)
            let seconds = try await ProbedStream.duration(of: "\(all)/index.m3u8")
            #expect(abs(seconds - Double(span.to - span.from) / 1000) < 0.3)

            let other = try TemporaryFolder("other")
            let imported = try await MediaCacheBinary.output(["import", window, "--cache", other.path])
            #expect(!imported.isEmpty)
            let film = output.file("film.mp4")
            try await MediaCacheBinary.output(["export", "news", "-o", film, "-q", "--cache", other.path])
            #expect(try await StreamPlayer.ffmpeg.play(URL(filePath: film)).videoFrames == part.videoFrames)
            // An ended channel is exported as its asset.
            try await MediaCacheBinary.output(["channels", "end", "news"] + options)
            try await MediaCacheBinary.output(["export", "news", "--bundle", output.file("ended"), "-q"] + options)
            let ended = try await StreamPlayer.ffmpeg.play(URL(filePath: output.file("ended") + "/index.m3u8"))
            #expect(ended.frames == whole.frames)

            let none = try await MediaCacheBinary.run(
                ["export", "other", "--from", "\(from)", "--to", "\(to)", "--bundle", output.file("x")] + options)
            #expect(none.ending != .exit(0))
        }

        /// If the recording is shorter than an hour, the last hour is the whole recording, with a note on standard
        /// error.
        @Test func exportsRecordedPartOfLastHour() async throws {
            try await StreamFixtures.shared.make()
            let origin = try StagedOrigin(serving: StreamFixtures.folder, holding: []) { _, _ in nil }
            let (folder, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
            let options = ["--cache", folder.path]
            try await MediaCacheBinary.output(
                ["record", origin.url("transportstream.m3u8"), "--name", "news", "-q"] + options)
            let span = try #require(try await Self.channels(folder.path).first?.recordedRanges.first)
            let hour = ["--from", "-3600", "--to", "now", "-q"]
            let film = output.file("hour.mp4")
            let made = try await MediaCacheBinary.run(["export", "news", "-o", film] + hour + options)
            #expect(made.ending == .exit(0), "\(made.errorText)")
            #expect(
                made.errorText.hasPrefix(
                    "mediacache: note: the recording of news doesn't go back that far; the window begins at 20"))
            #expect(abs(try await ProbedStream.duration(of: film) - Double(span.to - span.from) / 1000) < 0.2)
            let bundle = try await MediaCacheBinary.run(
                ["export", "news", "--bundle", output.file("hour")] + hour + options)
            #expect(bundle.ending == .exit(0) && bundle.errorText.contains("doesn't go back that far"))
            // An absolute start before the recording fails.
            let named = ["--from", "\(span.from - 60_000)", "--to", "\(span.to)", "--force"]
            let refused = try await MediaCacheBinary.run(["export", "news", "-o", film] + named + options)
            #expect(refused.ending == .exit(1) && refused.errorText.contains("begins outside"), "\(refused.errorText)")
        }

        /// A gap after a segment that isn't recorded yet is included in the final count.
        @Test func countsGapAfterPendingSegment() async throws {
            try await StreamFixtures.shared.make()
            let made = try String(contentsOfFile: "\(StreamFixtures.folder)/transportstream.m3u8", encoding: .utf8)
            let text = made.replacing("transportstream3.ts", with: "#EXT-X-GAP\ntransportstream3.ts")
            let origin = try StagedOrigin(serving: StreamFixtures.folder, holding: ["transportstream2.ts"]) { path, _ in
                path == "gap.m3u8" ? text : nil
            }
            let folder = try TemporaryFolder("cache")
            let child = try ChildProcess(
                MediaCacheBinary.path,
                ["record", origin.url("gap.m3u8"), "--name", "news", "--json", "--cache", folder.path])
            try await child.line(within: .seconds(60)) { $0.contains(#""state":"recording""#) ? () : nil }
            origin.release("transportstream2.ts")
            #expect(try await child.end(within: .seconds(60)) == .exit(2), "\(child.errorText)")
            let result = try #require(child.outputText.split(separator: "\n").last)
            #expect(result.contains(#""event":"result""#) && result.contains(#""gaps":1"#), "\(result)")
        }

        /// A bundle with gaps requires --gaps, and lists them.
        @Test func bundleListsItsGaps() async throws {
            let (source, output) = (try TemporaryFolder("source"), try TemporaryFolder("output"))
            let folder = try TemporaryFolder("cache")
            let playlist = source.file("index.m3u8")
            _ = try await Peer.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=8", "-g", "50",
                    "-c:v", "libx264", "-preset", "ultrafast", "-f", "hls", "-hls_time", "2", "-hls_list_size", "0",
                    "-hls_flags", "program_date_time", "-hls_segment_filename", source.file("%d.ts"), playlist,
                ])
            var lines = try String(contentsOfFile: playlist, encoding: .utf8).split(separator: "\n").map(String.init)
            let segment = try #require(lines.firstIndex(of: "2.ts"))
            lines.insert("#EXT-X-GAP", at: segment)
            try lines.joined(separator: "\n").write(toFile: playlist, atomically: true, encoding: .utf8)
            let origin = try await NginxOrigin(serving: source.path)
            let options = ["--cache", folder.path]
            let recorded = try await MediaCacheBinary.run(
                ["record", origin.url("index.m3u8").absoluteString, "--name", "news"] + options,
                within: .seconds(60))
            #expect(recorded.ending == .exit(2), "\(recorded.errorText)")
            let found = try await Self.channels(folder.path)
            let ranges = try #require(found.first?.recordedRanges)
            #expect(ranges.count == 2, "the gap isn't recorded")
            let (first, last) = (try #require(ranges.first), try #require(ranges.last))
            let window = ["--from", "\(first.from)", "--to", "\(last.to)"]
            let bundle = output.file("bundle")
            let refused = try await MediaCacheBinary.run(
                ["export", "news", "--bundle", bundle, "-q"] + window + options)
            #expect(refused.ending == .exit(1) && refused.errorText.contains("--gaps"), "\(refused.errorText)")
            let made = try await MediaCacheBinary.run(
                ["export", "news", "--bundle", bundle, "--gaps", "--json", "-q"] + window + options)
            #expect(made.ending == .exit(2), "\(made.errorText)")
            #expect(try JSONDecoder().decode(Bundle.self, from: Data(made.text.utf8)).missing == ["media-1/2"])
            let other = try TemporaryFolder("other")
            let importCommand = ["import", bundle, "--cache", other.path]
            let whole = try await MediaCacheBinary.run(importCommand)
            #expect(whole.ending == .exit(1) && whole.errorText.contains("--gaps"), "\(whole.errorText)")
            #expect(try await MediaCacheBinary.run(importCommand + ["--gaps"]).ending == .exit(0))
            // The imported asset retains the gap.
            let exported = try await MediaCacheBinary.run(
                ["export", "news", "-o", output.file("again.mp4"), "--cache", other.path])
            #expect(exported.ending == .exit(1) && exported.errorText.contains("--gaps"), "\(exported.errorText)")
        }
    }
}
