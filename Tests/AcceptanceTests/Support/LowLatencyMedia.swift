import Foundation

/// The partial segments of a low-latency stream: video and audio in parts of 0.5 s, each independently decodable.
struct LowLatencyMedia: Sendable {
    /// The media initialization section.
    var initialization: Data
    var parts: [Data]
    /// The checksums of all video frames.
    var pictures: [String]

    /// Encodes media of a duration in seconds.
    init(seconds: Int) async throws {
        let folder = try TemporaryFolder("parts")
        let source = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=24", "-f", "lavfi", "-i", "sine=440:r=48000"]
        let encoding = ["-t", "\(seconds)"] + StreamFixtures.encoding + ["-g", "12", "-keyint_min", "12"]
        let output = ["-f", "hls", "-hls_time", "0.5", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4"]
        let names = ["-hls_fmp4_init_filename", "init.mp4", "-hls_segment_filename", folder.file("%d.m4s")]
        let list = folder.file("all.m3u8")
        try await Peer.run("ffmpeg", ["-v", "error"] + source + encoding + output + names + [list])
        initialization = try Data(contentsOf: URL(filePath: folder.file("init.mp4")))
        parts = try (0..<2 * seconds).map { try Data(contentsOf: URL(filePath: folder.file("\($0).m4s"))) }
        pictures = try await StreamPlayer.ffmpeg.play(URL(filePath: list)).frames
            .filter { $0.kind == "video" }.map(\.sum)
    }
}
