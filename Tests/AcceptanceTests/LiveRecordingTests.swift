import Foundation
import HLS
import Testing

extension LiveAcceptanceTests {
    /// Tests of recording a live channel and replaying windows of it.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe")))
    struct LiveRecordingTests {
        /// Each form of URL returns the encoder's packets. Players play windows. A player that continues from a window
        /// to the live edge repeats and skips nothing.
        @Test func replaysEverySecondWithEachURLForm() async throws {
            let seconds = TestSettings.isSoak ? 300 : 124
            let encoder = try await ChannelEncoder(seconds: seconds + 30)
            let origin = try await NginxOrigin(serving: encoder.folder.path)
            let cache = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: cache.path)
            let channel = try await RecordedChannel("one", of: origin.url(ChannelEncoder.entry), on: server)
            try await eventually("half of the channel is recorded", within: .seconds(seconds)) {
                let span = try channel.status().recordedRanges.first
                return span.map { $0.to - $0.from >= Int64(seconds) * 500 } ?? false ? () : nil
            }
            try await catchUp(channel)
            try await eventually("the whole channel is recorded", within: .seconds(seconds)) {
                let span = try channel.status().recordedRanges.first
                return span.map { $0.to - $0.from >= Int64(seconds) * 1000 } ?? false ? () : nil
            }
            try channel.change("stopped")
            let log = try await origin.log()
            for (path, entries) in Dictionary(grouping: log.entries, by: \.path) where path.hasSuffix(".ts") {
                #expect(entries.count == 1, "\(path) was fetched more than once")
            }
            let status = try channel.status()
            #expect(status.gaps == 0 && status.state == "stopped" && status.tracks.count == 3)
            let span = try #require(status.recordedRanges.first)
            #expect(status.recordedRanges.count == 1)
            // A stopped channel may continue, but an ended one may not.
            try channel.change("ended")
            for track in ChannelEncoder.tracks.keys.sorted() {
                try await expectAll(of: track, channel, encoder)
                for path in forms(of: span.from + 20_300, duration: 31) {
                    try await expect(path, track, channel, encoder)
                }
            }
            try await expectMovie(channel, span)
            try await expectPictures(channel, span)
            for player in try StreamPlayer.installed() {
                var url = channel.url("index.m3u8?begintime=\(span.from + 30_000)&endtime=\(span.from + 40_000)")
                if player == .chromium {
                    let path = "/k/\(try await server.playbackToken())\(url.path)?\(url.query ?? "")"
                    url = URL(string: path, relativeTo: server.base) ?? url
                }
                let playback = try await player.play(url.absoluteURL)
                // The window includes the segments that contain its start and its end.
                #expect(220...300 ~= playback.videoFrames, "\(player): \(playback.videoFrames) frames of 10 s")
                #expect(playback.hasAudio, "\(player)")
            }
            try await server.stop()
        }

        /// Returns the paths of a window in several forms of URL, and of playlists that contain the window.
        private func forms(of start: Int64, duration seconds: Int64) -> [String] {
            let end = start + seconds * 1000
            let whole = start / 1000
            let iso = { (time: Int64) in
                Date(timeIntervalSince1970: Double(time) / 1000).formatted(
                    .iso8601.year().month().day().time(includingFractionalSeconds: true))
            }
            let ago = Int64(Date().timeIntervalSince1970) - whole
            return [
                "index.m3u8?begintime=\(start)&endtime=\(end)",
                "index.m3u8?begintime=\(whole)&endtime=\(whole + seconds)",
                "index.m3u8?begintime=\(iso(start))&endtime=\(iso(end))",
                "index.m3u8?start=\(whole)&duration=\(seconds)",
                "index.m3u8?begintime=-\(ago)&duration=\(seconds)", "archive-\(whole)-\(seconds).m3u8",
                "archive-\(whole)-now.m3u8", "timeshift_abs-\(whole).m3u8", "index.m3u8?begintime=\(start)", "all.m3u8",
            ]
        }

        /// Checks that a form of URL returns the encoder's packets, and the same bytes for two requests.
        private func expect(
            _ path: String, _ track: String, _ channel: RecordedChannel, _ encoder: ChannelEncoder
        ) async throws {
            let child = path.hasPrefix("index.m3u8?begintime=-") ? nil : try channel.child(of: path, track: track)
            let again = path.hasPrefix("index.m3u8?begintime=-") ? nil : try channel.child(of: path, track: track)
            #expect(child == again)
            let name = try child ?? channel.child(of: path, track: track)
            let window = try channel.window(name)
            #expect(try channel.window(name).text == window.text, "\(path) differs in a second request")
            #expect(window.playlist.hasEndList, "\(path) of an ended recording must have ENDLIST")
            #expect(window.playlist.segments.first?.programDateTime != nil)
            let expected = try await Packets.read(encoder.playlist(track, window.numbers).absoluteString)
            let recorded = try await Packets.read(channel.url(name).absoluteString)
            #expect(!expected.isEmpty && recorded == expected, "\(path) of \(track)")
        }

        private func expectAll(of track: String, _ channel: RecordedChannel, _ encoder: ChannelEncoder) async throws {
            let all = try channel.window("\(track)/all.m3u8")
            #expect(all.names == all.numbers.map { "\($0).ts" })
            for number in all.numbers {
                let (status, body) = try channel.get("\(track)/\(number).ts")
                let file = try Data(contentsOf: URL(filePath: encoder.file(track, number)))
                #expect(status == 200 && body == file, "\(track)/\(number).ts")
            }
        }

        /// Follows the playlists as a player does that catches up with the live edge.
        private func catchUp(_ channel: RecordedChannel) async throws {
            let start = try #require(try channel.status().recordedRanges.first?.from) + 10_000
            let child = try channel.child(of: "index.m3u8?begintime=\(start)", track: "video-1")
            var seen: [Int] = []
            var followed = 0
            let deadline = ContinuousClock.now + .seconds(60)
            while followed < 4 {
                guard ContinuousClock.now < deadline else {
                    throw HarnessError("only \(followed) segments were added to the window within 60 s")
                }
                let window = try channel.window(child)
                #expect(!window.playlist.hasEndList)
                #expect(window.playlist.type == .event)
                let new = window.numbers.filter { $0 > seen.last ?? -1 }
                if !seen.isEmpty, !new.isEmpty { followed += 1 }
                seen += new
                #expect(window.numbers == seen, "segments were removed from the window")
                try await Task.sleep(for: .milliseconds(700))
            }
            #expect(seen == Array((seen.first ?? 0)..<(seen.first ?? 0) + seen.count))
            // Checks the change from a finished window to the live edge.
            let end = try #require(try channel.status().edge)
            let closed = try channel.window(
                try channel.child(of: "index.m3u8?begintime=\(start)&endtime=\(end - 6000)", track: "video-1"))
            #expect(closed.playlist.hasEndList && closed.playlist.type == .onDemand)
            let live = try channel.window("video-1/index.m3u8")
            #expect(!live.playlist.hasEndList && live.playlist.type == nil)
            let last = try #require(closed.numbers.last)
            #expect(live.numbers.contains(last + 1), "the live window doesn't continue the finished one")
            for number in closed.numbers where live.numbers.contains(number) {
                #expect(live.names[number - live.playlist.mediaSequence] == "\(number).ts")
            }
        }

        /// Checks that each segment of a window has a preview picture for seeking.
        private func expectPictures(_ channel: RecordedChannel, _ span: RecordedChannel.Span) async throws {
            let path = "thumbnails.m3u8?begintime=\(span.from + 20_000)&endtime=\(span.from + 40_000)"
            let window = try channel.window(path)
            #expect(window.playlist.hasIFramesOnly && window.playlist.hasEndList)
            #expect(window.playlist.segments.count >= 10 && window.playlist.segments.allSatisfy { !$0.isGap })
            let first = try #require(window.playlist.segments.first)
            let length = try #require(first.byteRange?.length)
            let folder = try TemporaryFolder("picture")
            try channel.get(first.uri).body.prefix(length).write(to: URL(filePath: folder.file("one.ts")))
            let packets = try await StreamPackets.read(from: URL(filePath: folder.file("one.ts")))
            #expect(packets.first { $0.type == "video" }?.count == 1, "\(packets)")
        }

        private func expectMovie(_ channel: RecordedChannel, _ span: RecordedChannel.Span) async throws {
            let path = "\(span.from + 20_000)-\(span.from + 40_000).mp4"
            let movie = try await StreamPackets.read(from: channel.url(path))
            #expect(movie.map(\.type) == ["video", "audio"])
            let seconds = movie.map { Double($0.last - $0.first) / 1e6 }
            #expect(seconds.allSatisfy { 19.5...24.5 ~= $0 }, "\(movie)")
            #expect(try channel.get(path).body.count > 100_000)
        }
    }
}

/// The packets of a stream with checksums, as read by ffprobe.
private enum Packets {
    static func read(_ url: String) async throws -> [String] {
        let output = try await Peer.run(
            "ffprobe",
            ["-v", "error", "-protocol_whitelist", "file,http,tcp", "-allowed_extensions", "ALL", "-of", "csv"]
                + ["-show_data_hash", "crc32", "-show_entries"]
                + ["packet=stream_index,pts,dts,size,flags,data_hash", url],
            within: .seconds(120))
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
