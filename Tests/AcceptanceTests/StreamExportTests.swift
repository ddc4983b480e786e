import Foundation
import TestSupport
import Testing

extension CommandAcceptanceTests {
    /// Tests of exporting HLS streams of many encoders to MP4.
    @Suite(
        .enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe", "mpv", "openssl") && Prerequisite.hasCorpora()))
    struct StreamExportTests {
        /// No packet of a stream is lost, repeated, moved or changed, whether the origin is reachable or not.
        @Test func filesContainPacketsOfStreams() async throws {
            let made = try await StreamExports.shared.make()
            let oracle = try StreamCorpus.packets()
            let origin = try await NginxOrigin(serving: StreamCorpus.root)
            let streams = try ExportedStream.all()
            #expect(streams.count + ExportedStream.unplayable.count == (try StreamCorpus.playlists().count))
            _ = try await concurrently(streams) { stream in
                let file = made.folder.file(stream.file)
                #expect(
                    FileManager.default.contentsEqual(atPath: file, andPath: made.again.file(stream.file)),
                    "\(stream.playlist): the file differs without the origin")
                let urls = stream.parts.map { origin.url($0).absoluteString }
                var sources: [ProbedStream] = []
                for url in urls { sources += try await ProbedStream.read(from: url) }
                let theirs = try await Self.remuxedByFFmpeg(urls)
                let ours = try await ProbedStream.read(from: file)
                let known = stream.parts.flatMap { oracle[$0] ?? [] }.filter { $0.type != "subtitle" }
                #expect(ours.count == known.count, "\(stream.playlist)")
                for row in known {
                    let find = { (all: [ProbedStream]) in try #require(all.first { $0.codec == row.codec }) }
                    let (one, source, reference) = (try find(ours), try find(sources), try find(theirs))
                    let name = "\(stream.playlist) \(row.codec)"
                    #expect(source.packets.count == row.count, "\(name)")
                    #expect(source.packets.reduce(0) { $0 + $1.size } == row.bytes, "\(name)")
                    Self.expectContent(of: one, source: source, reference: reference, name)
                    Self.expectTimes(
                        of: one, from: ours.map(\.start).min() ?? 0, source: source,
                        from: sources.map(\.start).min() ?? 0, stream.correction, name)
                }
            }
        }

        /// Every video and audio frame decodes as it does from the stream, without error messages.
        @Test func filesDecodeLikeStreams() async throws {
            let made = try await StreamExports.shared.make()
            let origin = try await NginxOrigin(serving: StreamCorpus.root)
            _ = try await concurrently(ExportedStream.distinct(), width: 3) { stream in
                let (file, warnings) = try await Self.decoded([made.folder.file(stream.file)])
                #expect(warnings.isEmpty, "\(stream.playlist): \(warnings.prefix(300))")
                let (source, _) = try await Self.decoded(stream.parts.map { origin.url($0).absoluteString })
                #expect(!source.isEmpty)
                #expect(
                    file == source, "\(stream.playlist): \(file.mapValues(\.count)) of \(source.mapValues(\.count))")
            }
        }

        @Test func mpvPlaysExportedFiles() async throws {
            let made = try await StreamExports.shared.make()
            let oracle = try StreamCorpus.packets()
            _ = try await concurrently(ExportedStream.distinct()) { stream in
                let playback = try await StreamPlayer.mpv.play(URL(filePath: made.folder.file(stream.file)))
                let known = stream.parts.flatMap { oracle[$0] ?? [] }
                let pictures = known.first { $0.type == "video" }?.count ?? 0
                #expect(playback.videoFrames == pictures, "\(stream.playlist)")
                #expect(playback.hasAudio == known.contains { $0.type == "audio" }, "\(stream.playlist)")
            }
        }

        /// Chromium plays each file to its end, except for HEVC, AC-3 and Enhanced AC-3, which Debian's build doesn't
        /// decode.
        @Test(.enabled(if: try Peer.isInstalled("chromium"))) func chromiumPlaysExportedFiles() async throws {
            let made = try await StreamExports.shared.make()
            let oracle = try StreamCorpus.packets()
            let files = try await NginxOrigin(serving: made.folder.path)
            let streams = try ExportedStream.distinct().filter { stream in
                !stream.parts.flatMap { oracle[$0] ?? [] }.contains { ["hevc", "ac3", "eac3"].contains($0.codec) }
            }
            #expect(streams.count >= 19)
            let cache = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: cache.path)
            let base = try await server.play(files.url(""))
            let playbacks = try await ChromiumPage.play(streams.map { base.appending(path: $0.file) }, rate: 4)
            try await server.stop()
            for (stream, playback) in zip(streams, playbacks) {
                let known = stream.parts.flatMap { oracle[$0] ?? [] }
                let pictures = known.first { $0.type == "video" }?.count ?? 0
                #expect((pictures * 9 / 10...pictures).contains(playback.videoFrames), "\(stream.playlist)")
                #expect(playback.hasAudio == known.contains { $0.type == "audio" }, "\(stream.playlist)")
            }
        }

        @Test(arguments: EncryptedStream.all) func encryptedStreamsExportToSameFile(encrypted: EncryptedStream)
            async throws
        {
            let made = try await StreamExports.shared.make()
            let folder = try TemporaryFolder("encrypted")
            try await encrypted.make(in: folder.path)
            let origin = try await NginxOrigin(serving: folder.path)
            let output = try TemporaryFolder("output")
            let options = ["--cache", output.file("cache"), "-q"]
            let url = origin.url(EncryptedStream.playlist).absoluteString
            try await MediaCacheBinary.output(["export", url, "--fetch", "-o", output.file("film.mp4")] + options)
            #expect(
                FileManager.default.contentsEqual(
                    atPath: output.file("film.mp4"), andPath: made.folder.file(encrypted.clear.file)))
            origin.stop()
            try await MediaCacheBinary.output(["export", url, "-o", output.file("again.mp4")] + options)
            #expect(
                FileManager.default.contentsEqual(
                    atPath: output.file("film.mp4"), andPath: output.file("again.mp4")))
        }

        @Test func reportsMissingSegments() async throws {
            let origin = try await NginxOrigin(serving: StreamCorpus.root)
            let output = try TemporaryFolder("output")
            for (playlist, named) in [("mp4.m3u8", "000000000.m4s"), ("master.m3u8", "000000000.m4s")] {
                let result = try await MediaCacheBinary.run([
                    "export", origin.url("shaka-player/hls-muxed-mp4-ts/\(playlist)").absoluteString, "--fetch", "-q",
                    "-o", output.file("film.mp4"), "--cache", output.file("cache"),
                ])
                #expect(result.ending == .exit(1))
                #expect(result.errorText.contains(named), "\(result.errorText)")
            }
            #expect(!FileManager.default.fileExists(atPath: output.file("film.mp4")))
        }

        /// Checks that each sample equals the one that ffmpeg writes for the packet: NAL units with lengths instead of
        /// start codes (ISO/IEC 14496-15, 5.3.2), AAC without the seven bytes of its ADTS header (14496-3, 1.A.2), and
        /// other samples unchanged.
        private static func expectContent(
            of one: ProbedStream, source: ProbedStream, reference: ProbedStream, _ name: String
        ) {
            let facts = { (packet: ProbedStream.Packet) in "\(packet.size) \(packet.checksum)" }
            #expect(one.packets.map(facts) == reference.packets.map(facts), "\(name)")
            #expect(one.packets.map(\.isSync) == source.packets.map(\.isSync), "\(name)")
            let growth = zip(one.packets, source.packets).map { $0.size - $1.size }
            switch (one.codec, growth.first) {
            case ("aac", -7): #expect(growth.allSatisfy { $0 == -7 }, "\(name)")
            // A start code has three or four bytes, and a zero byte may follow a unit (14496-10, B.1).
            case ("h264", _): #expect(growth.allSatisfy { (0...8).contains($0) }, "\(name)")
            default: #expect(growth.allSatisfy { $0 == 0 }, "\(name)")
            }
        }

        /// Checks that video frames have exactly the expected times, and audio frames the expected times within half a
        /// millisecond. Audio frames that should be contiguous within half a millisecond must be exactly contiguous.
        /// 90 kHz timestamps can't express the end of a frame of 1024 samples.
        private static func expectTimes(
            of one: ProbedStream, from zero: Double, source: ProbedStream, from sourceZero: Double,
            _ correction: ExportedStream.Correction?, _ name: String
        ) {
            let count = source.packets.count
            guard one.packets.count == count else {
                Issue.record("\(name): \(one.packets.count) of \(count) packets")
                return
            }
            let frame = ["aac": 1024.0, "ac3": 1536, "eac3": 1536][one.codec].map { $0 / Double(one.sampleRate) }
            let allowed = one.type == "video" ? 1e-9 : 0.0005
            var before: (mine: Double, expected: Double)?
            for (index, (packet, other)) in zip(one.packets, source.packets).enumerated() {
                let isMoved = correction.map { index >= $0.first(count) } ?? false
                let shift = isMoved ? correction?.seconds ?? 0 : 0
                let mine = Double(packet.pts) * one.tick - zero
                let expected = Double(other.pts) * source.tick - sourceZero + shift
                let decoded = Double(packet.dts - packet.pts) * one.tick - Double(other.dts - other.pts) * source.tick
                guard abs(mine - expected) <= allowed, abs(decoded) < 1e-9 else {
                    Issue.record("\(name), packet \(index): shown at \(mine), not \(expected); decoded \(decoded) off")
                    return
                }
                if let frame, let before, abs(expected - before.expected - frame) <= 0.0005 {
                    guard abs(mine - before.mine - frame) < 1e-9 else {
                        Issue.record("\(name), packet \(index): \(mine - before.mine) after the previous packet")
                        return
                    }
                }
                before = (mine, expected)
            }
        }

        /// Returns the streams of an MP4 file that ffmpeg creates from the packets.
        private static func remuxedByFFmpeg(_ urls: [String]) async throws -> [ProbedStream] {
            let folder = try TemporaryFolder("reference")
            let maps = urls.indices.flatMap { ["-map", "\($0):v?", "-map", "\($0):a?"] }
            try await Peer.run(
                "ffmpeg",
                ["-v", "error"] + urls.flatMap { ["-i", $0] } + maps + ["-c", "copy", folder.file("film.mp4")])
            return try await ProbedStream.read(from: folder.file("film.mp4"))
        }

        /// Returns the checksums of all video and audio frames, and the messages of the decoder.
        private static func decoded(_ inputs: [String]) async throws -> (frames: [String: [String]], messages: String) {
            let maps = inputs.indices.flatMap { ["-map", "\($0):v?", "-map", "\($0):a?"] }
            let child = try ChildProcess(
                Peer.required("ffmpeg"),
                ["-v", "warning", "-nostdin"] + inputs.flatMap { ["-i", $0] } + maps + ["-f", "framecrc", "-"])
            try await child.end(within: .seconds(120))
            let frames = try DecodedFrame.all(in: child.outputText)
            return (Dictionary(grouping: frames, by: \.kind).mapValues { $0.map(\.sum) }, child.errorText)
        }
    }
}
