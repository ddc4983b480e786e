/// What ffmpeg can make of a film, where its samples can't stay as they are.
enum TranscodedFormat: String, Sendable, CaseIterable {
    /// H.264 and AAC, for every player.
    case mp4
    /// H.264 (baseline) and AAC, for phones of old.
    case threeGP = "3gp"
    /// VP8 and Opus.
    case webm
    /// The sound alone.
    case mp3

    /// The format that a path's extension names.
    ///
    /// - Throws: ``CommandFailure``, naming those that can be made.
    init(path: String) throws {
        let suffix = path.split(separator: "/").last?.split(separator: ".").last?.lowercased() ?? ""
        guard let format = TranscodedFormat(rawValue: suffix), path.contains(".") else {
            let names = Self.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
            throw CommandFailure(.usage, "“\(path)” names nothing that --transcode makes; name it \(names)")
        }
        self = format
    }

    /// The arguments by which ffmpeg makes it.
    var arguments: [String] {
        switch self {
        case .mp4:
            ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-movflags", "+faststart", "-f", "mp4"]
        case .threeGP:
            ["-c:v", "libx264", "-profile:v", "baseline", "-pix_fmt", "yuv420p", "-c:a", "aac", "-ac", "2"]
                + ["-movflags", "+faststart", "-f", "3gp"]
        case .webm:
            ["-c:v", "libvpx", "-b:v", "1M", "-deadline", "good", "-cpu-used", "4", "-c:a", "libopus", "-f", "webm"]
        case .mp3: ["-vn", "-c:a", "libmp3lame", "-q:a", "2", "-f", "mp3"]
        }
    }
}
