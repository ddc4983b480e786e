import Foundation

/// Short HLS streams of one clip, which ffmpeg encodes into the build folder once per run: 6 s of video and audio in
/// segments of 1 s.
actor StreamFixtures {
    static let shared = StreamFixtures()

    /// The folder of the streams, for an origin.
    static let folder = Fixtures.folder + "/streams"

    static let videoFrames = 150

    static let encoding =
        ["-c:v", "libx264", "-preset", "ultrafast", "-b:v", "400k", "-g", "25", "-pix_fmt", "yuv420p", "-threads", "1"]
        + ["-c:a", "aac", "-b:a", "64k"]

    static func source(seconds: Int) -> [String] {
        ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25", "-f", "lavfi", "-i", "sine=440:r=48000", "-t", "\(seconds)"]
    }

    private var made: Task<Void, any Error>?

    /// Creates all streams at the first call, and replaces those of an earlier run.
    func make() async throws {
        let task = made ?? Task { try await Self.make() }
        made = task
        try await task.value
    }

    /// Returns a folder with a copy of the stream ``StreamKind/transportStream``, which tests can change.
    static func copy() async throws -> TemporaryFolder {
        try await shared.make()
        let copy = try TemporaryFolder("stream")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where name.hasPrefix(StreamKind.transportStream.name) {
            try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: copy.file(name))
        }
        return copy
    }

    private static func make() async throws {
        let files = FileManager.default
        try? files.removeItem(atPath: folder)
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let clip = "\(folder)/clip.mp4"
        try await Peer.run("ffmpeg", ["-v", "error"] + source(seconds: 6) + encoding + [clip])
        for kind in StreamKind.allCases {
            var options = ["-hls_time", "1", "-hls_playlist_type", "vod"]
            switch kind {
            case .transportStream, .absolute: break
            case .fragmentedMP4:
                options += ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(kind.name)-init.mp4"]
            case .encrypted, .encryptedAbsolute:
                let key = "\(folder)/\(kind.name).key"
                try Data((0..<16).map { _ in UInt8.random(in: 0...255) }).write(to: URL(filePath: key))
                let information = "\(folder)/\(kind.name).keyinfo"
                try "\(kind.name).key\n\(key)\n".write(toFile: information, atomically: true, encoding: .utf8)
                options += ["-hls_key_info_file", information]
            case .byteRanges: options += ["-hls_flags", "single_file"]
            case .separateAudio:
                options += ["-map", "0:v", "-map", "0:a", "-master_pl_name", "\(kind.name).m3u8"]
                options += ["-var_stream_map", "a:0,agroup:sound,default:yes v:0,agroup:sound"]
            }
            let output = kind == .separateAudio ? "\(kind.name)-%v.m3u8" : "\(kind.name).m3u8"
            try await Peer.run(
                "ffmpeg", ["-v", "error", "-i", clip, "-c", "copy", "-f", "hls"] + options + ["\(folder)/\(output)"])
        }
    }
}

/// The media formats of a stream at its origin.
enum StreamKind: String, CaseIterable {
    /// MPEG-TS with a file for each segment.
    case transportStream
    /// MPEG-TS with absolute URIs.
    case absolute
    /// MP4 with a media initialization section.
    case fragmentedMP4
    /// AES-128 with a relative key URI.
    case encrypted
    /// AES-128 with an absolute key URI.
    case encryptedAbsolute
    /// A multivariant playlist with an audio rendition.
    case separateAudio
    /// Byte ranges of one file.
    case byteRanges

    var name: String { rawValue.lowercased() }

    /// Returns the path of the playlist at an origin. A playlist with absolute URIs is written for each origin, because
    /// the port varies.
    func playlist(at origin: NginxOrigin) throws -> String {
        let made = "\(StreamFixtures.folder)/\(name).m3u8"
        var text = try String(contentsOfFile: made, encoding: .utf8)
        switch self {
        case .absolute: text.replace("\n\(name)", with: "\n\(origin.url(name))")
        case .encryptedAbsolute: text.replace("URI=\"", with: "URI=\"\(origin.url(""))")
        default: return "\(name).m3u8"
        }
        let path = "\(name)-\(origin.port).m3u8"
        try text.write(toFile: "\(StreamFixtures.folder)/\(path)", atomically: true, encoding: .utf8)
        return path
    }
}
