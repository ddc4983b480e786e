import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of recording, replaying and exporting a channel of packed AAC.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe", "mpv")))
    struct PackedAudioTests {
        private static let count = 10

        @Test func recordsReplaysAndExportsRadioChannel() async throws {
            let radio = try await PackedAudioChannel(segments: Self.count)
            let count = radio.segments.count
            let origin = try await NginxOrigin(serving: radio.folder.path)
            let (cache, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
            let options = ["--cache", cache.path]
            try radio.publish(4)
            let url = origin.url(PackedAudioChannel.playlist).absoluteString
            let child = try ChildProcess(MediaCacheBinary.path, ["record", url, "--name", "radio", "--json"] + options)
            // The playlist advances only when all its segments have been fetched.
            for published in stride(from: 4, to: count, by: 3) {
                try radio.publish(published)
                try await eventually("segment \(published - 1) is fetched", within: .seconds(30)) {
                    try await origin.log().entries.contains { $0.path == "/\(radio.segments[published - 1].name)" }
                        ? () : nil
                }
            }
            try radio.publish(count)
            #expect(try await child.end(within: .seconds(60)) == .exit(0), "\(child.errorText)")
            let log = try await origin.log()
            for segment in radio.segments {
                #expect(log.entries.count { $0.path == "/\(segment.name)" } == 1, "\(segment.name)")
            }
            // From here on, only the recording is used.
            origin.stop()

            let server = try await RunningServer(cache: cache.path)
            let channel = try await RecordedChannel("radio", on: server)
            let status = try channel.status()
            #expect(status.gaps == 0 && status.segments == count && status.recordedRanges.count == 1)
            #expect(status.recordedRanges.first?.from == radio.date(of: 0))
            let track = try #require(status.tracks.first)
            let all = try channel.window("\(track)/all.m3u8")
            for (name, segment) in zip(all.names, radio.segments) {
                let file = try Data(contentsOf: URL(filePath: radio.folder.file(segment.name)))
                #expect(try channel.get("\(track)/\(name)").body == file, "\(name)")
            }
            let whole = try await ProbedStream.read(from: radio.whole)
            let packets = try #require(whole.first).packets
            try await expectWindow(0..<count, of: radio, channel, packets)
            try await expectWindow(3..<7, of: radio, channel, packets)
            try await server.stop()

            try await expectExport(output.file("all.m4a"), [], 0..<packets.count, radio, options)
            let (from, to) = (radio.date(of: 3), radio.date(of: 7))
            try await expectExport(
                output.file("part.m4a"), ["--from", "\(from)", "--to", "\(to)"],
                radio.frames(of: 3).lowerBound..<radio.frames(of: 7).lowerBound, radio, options)
        }

        /// Checks that a window contains all packets of its segments, and that players decode them.
        private func expectWindow(
            _ segments: Range<Int>, of radio: PackedAudioChannel, _ channel: RecordedChannel,
            _ packets: [ProbedStream.Packet]
        ) async throws {
            let from = radio.date(of: segments.lowerBound)
            let end = radio.segments[segments.upperBound - 1]
            let to = radio.date(of: segments.upperBound - 1) + Int64((end.duration * 1000).rounded(.down))
            let url = channel.url("index.m3u8?begintime=\(from)&endtime=\(to)")
            let start = radio.frames(of: segments.lowerBound).lowerBound
            let frames = start..<radio.frames(of: segments.upperBound - 1).upperBound
            let stream = try #require(try await ProbedStream.read(from: url.absoluteString).first)
            #expect(stream.codec == "aac" && stream.sampleRate == PackedAudioChannel.sampleRate)
            #expect(stream.packets.map(\.checksum) == packets[frames].map(\.checksum), "\(segments)")
            let step = Double(PackedAudioChannel.frameLength) / Double(PackedAudioChannel.sampleRate)
            for (index, packet) in stream.packets.enumerated() {
                let time = Double(packet.pts) * stream.tick - stream.start
                #expect(abs(time - Double(index) * step) < 0.001, "packet \(index) of \(segments)")
            }
            // mpv drops a few frames.
            for (player, tolerance) in [(StreamPlayer.ffmpeg, 0.05), (.mpv, 0.25)] {
                let samples = try await player.samples(of: url)
                #expect(samples.errors == "", "\(player)")
                let seconds = Double(samples.count) / Double(PackedAudioChannel.sampleRate)
                #expect(
                    abs(seconds - Double(frames.count) * step) < tolerance, "\(player): \(seconds) s of \(segments)")
            }
        }

        /// Checks that an export contains a range of frames in order.
        private func expectExport(
            _ file: String, _ window: [String], _ frames: Range<Int>, _ radio: PackedAudioChannel, _ options: [String]
        ) async throws {
            try await MediaCacheBinary.output(["export", "radio", "-o", file, "-q"] + window + options)
            let expected = radio.folder.file("whole.m4a")
            if !FileManager.default.fileExists(atPath: expected) {
                try await Peer.run("ffmpeg", ["-v", "error", "-i", radio.whole, "-c", "copy", expected])
            }
            let made = try await ProbedStream.read(from: file)
            let stream = try #require(made.first)
            #expect(made.count == 1 && stream.type == "audio" && stream.codec == "aac")
            #expect(stream.sampleRate == PackedAudioChannel.sampleRate)
            let packets = try #require(try await ProbedStream.read(from: expected).first).packets
            #expect(stream.packets.map(\.checksum) == packets[frames].map(\.checksum))
            let steps = Set(zip(stream.packets, stream.packets.dropFirst()).map { $1.pts - $0.pts })
            #expect(steps.count == 1)
            let step = try #require(steps.first)
            let length = Double(PackedAudioChannel.frameLength) / Double(PackedAudioChannel.sampleRate)
            #expect(abs(Double(step) * stream.tick - length) < 1e-6)
            #expect(abs(try await ProbedStream.duration(of: file) - Double(frames.count) * length) < 0.03)
        }
    }
}
