import Foundation

/// Streams of one clip in local folders, to be imported into a cache or served by an origin.
enum OfflineStream: String, CaseIterable {
    /// MPEG-TS without encryption.
    case clear
    /// AES-128 with two alternating keys.
    case rotatingKeys
    /// Fragmented MP4: video, with audio and subtitle renditions.
    case separate
    /// MPEG-TS segments that follow a small image or are compressed.
    case hidden

    static let entry = "index.m3u8"

    func make(in folder: String) async throws {
        try await StreamFixtures.shared.make()
        let clip = "\(StreamFixtures.folder)/clip.mp4"
        switch self {
        case .separate:
            for (map, name) in [("0:v", "v"), ("0:a", "a")] {
                try await Self.ffmpeg(
                    ["-i", clip, "-map", map] + Self.format
                        + ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(name)-init.mp4"]
                        + ["\(folder)/\(name).m3u8"])
            }
            try Self.write(Self.subtitles, to: "\(folder)/s.vtt")
            try Self.write(Self.subtitlePlaylist, to: "\(folder)/s.m3u8")
            try Self.write(Self.multivariant, to: "\(folder)/\(Self.entry)")
        case .clear: try await Self.ffmpeg(["-i", clip] + Self.format + ["\(folder)/\(Self.entry)"])
        case .rotatingKeys:
            try await Self.ffmpeg(["-i", clip] + Self.format + ["\(folder)/\(Self.entry)"])
            try await Self.encrypt(folder)
        case .hidden:
            try await Self.ffmpeg(["-i", clip] + Self.format + ["\(folder)/\(Self.entry)"])
            try await Self.hide(folder)
        }
    }

    private static let format = ["-c", "copy", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"]

    private static func ffmpeg(_ arguments: [String]) async throws {
        try await Peer.run("ffmpeg", ["-v", "error"] + arguments)
    }

    private static func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func encrypt(_ folder: String) async throws {
        let keys = ["00112233445566778899aabbccddeeff", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"]
        for (index, key) in keys.enumerated() {
            let bytes = stride(from: 0, to: 32, by: 2).map { UInt8(key.dropFirst($0).prefix(2), radix: 16) ?? 0 }
            try Data(bytes).write(to: URL(filePath: "\(folder)/key\(index).bin"))
        }
        var lines: [String] = []
        var number = 0
        for line in try segmentLines(folder) {
            guard !line.hasPrefix("#") else {
                if line.hasPrefix("#EXTINF") {
                    lines.append("#EXT-X-KEY:METHOD=AES-128,URI=\"key\(number % 2).bin\"")
                }
                lines.append(line)
                continue
            }
            let own = String(number, radix: 16)
            try await Peer.run(
                "openssl",
                [
                    "enc", "-aes-128-cbc", "-K", keys[number % 2], "-iv",
                    String(repeating: "0", count: 32 - own.count) + own,
                ]
                    + ["-in", "\(folder)/\(line)", "-out", "\(folder)/e\(line)"])
            try FileManager.default.removeItem(atPath: "\(folder)/\(line)")
            lines.append("e\(line)")
            number += 1
        }
        try write(lines.joined(separator: "\n"), to: "\(folder)/\(entry)")
    }

    /// Prepends an image to every second segment, and compresses the others.
    private static func hide(_ folder: String) async throws {
        try await ffmpeg(["-f", "lavfi", "-i", "color=s=16x16", "-frames:v", "1", "\(folder)/pixel.png"])
        let picture = try Data(contentsOf: URL(filePath: "\(folder)/pixel.png"))
        try FileManager.default.removeItem(atPath: "\(folder)/pixel.png")
        for (index, line) in try segmentLines(folder).filter({ !$0.hasPrefix("#") }).enumerated() {
            let file = URL(filePath: "\(folder)/\(line)")
            let hidden =
                index % 2 == 0
                ? picture + (try Data(contentsOf: file)) : try await Peer.run("gzip", ["-c", file.path])
            try hidden.write(to: file)
        }
    }

    private static func segmentLines(_ folder: String) throws -> [String] {
        try String(contentsOfFile: "\(folder)/\(entry)", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private static let multivariant = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Sound",DEFAULT=YES,AUTOSELECT=YES,URI="a.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="s.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=600000,CODECS="avc1.42C00D,mp4a.40.2",RESOLUTION=320x180,AUDIO="a",SUBTITLES="s"
        v.m3u8

        """

    private static let subtitlePlaylist = """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXTINF:6,
        s.vtt
        #EXT-X-ENDLIST

        """

    private static let subtitles = "WEBVTT\n\n00:01.000 --> 00:03.000\nHello\n"
}
