import Foundation
import Testing

extension LiveAcceptanceTests {
    /// Tests of `/live/<name>/<time>.jpg`, a frame of a recording.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg")))
    struct LiveMomentTests {
        private static let seconds = 20

        /// Creates a stream whose frames encode the second as brightness.
        private func makeStream(in folder: TemporaryFolder, at began: Date) async throws {
            let picture = "color=s=160x90:r=10:d=\(Self.seconds),format=yuv420p,geq=lum='20+10*floor(T)':cb=128:cr=128"
            let playlist = folder.file("index.m3u8")
            try await Peer.run(
                "ffmpeg",
                ["-v", "error", "-f", "lavfi", "-i", picture, "-c:v", "libx264", "-preset", "ultrafast", "-g", "20"]
                    + ["-f", "hls", "-hls_time", "2", "-hls_list_size", "0"]
                    + ["-hls_segment_filename", folder.file("%d.ts"), playlist])
            let text = try String(contentsOfFile: playlist, encoding: .utf8)
            let first = try #require(text.firstRange(of: "#EXTINF"))
            let date = "#EXT-X-PROGRAM-DATE-TIME:\(began.formatted(.iso8601))\n"
            try (text[..<first.lowerBound] + date + text[first.lowerBound...]).write(
                toFile: playlist, atomically: true, encoding: .utf8)
        }

        private func second(of picture: Data) async throws -> Int {
            let folder = try TemporaryFolder("picture")
            try picture.write(to: URL(filePath: folder.file("moment.jpg")))
            let light = try await Peer.run(
                "ffmpeg",
                ["-v", "error", "-i", folder.file("moment.jpg"), "-vf", "format=yuvj420p,extractplanes=y,scale=1:1"]
                    + ["-f", "rawvideo", "-pix_fmt", "gray", "-"])
            // The luma range is 16 to 235 in video, and 0 to 255 in JPEG.
            let luma = Double(try #require(light.first)) * 219 / 255 + 16
            return Int(((luma - 20) / 10).rounded())
        }

        @Test func returnsFrameAtGivenTime() async throws {
            let (source, cache) = (try TemporaryFolder("source"), try TemporaryFolder("cache"))
            let began = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down) - 60)
            try await makeStream(in: source, at: began)
            let origin = try await NginxOrigin(serving: source.path)
            let url = origin.url("index.m3u8").absoluteString
            try await MediaCacheBinary.output(["record", url, "--name", "news", "--cache", cache.path])
            origin.stop()
            let server = try await RunningServer(cache: cache.path)
            let channel = try await RecordedChannel("news", on: server)
            let start = Int64(began.timeIntervalSince1970) * 1000
            let spans = try channel.status().recordedRanges
            #expect(spans == [RecordedChannel.Span(from: start, to: start + Int64(Self.seconds) * 1000)])
            for second in [0, 1, 2, 7, 12, 19] {
                // The time in milliseconds and as ISO 8601.
                let time = began.addingTimeInterval(Double(second) + 0.45)
                let iso = time.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
                for form in ["\(start + Int64(second) * 1000 + 450)", iso] {
                    let (status, body) = try channel.get("\(form).jpg")
                    #expect(status == 200 && body.starts(with: [0xFF, 0xD8, 0xFF]), "\(form)")
                    #expect(try await self.second(of: body) == second, "\(form)")
                }
            }
            for time in [start - 1000, start + Int64(Self.seconds) * 1000 + 1000] {
                #expect(try channel.get("\(time).jpg").status == 404, "\(time)")
            }
            try await server.stop()
        }
    }
}
