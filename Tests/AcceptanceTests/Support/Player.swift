import Foundation

/// Programs that read media by URL and record what they read.
enum Player: String, CaseIterable {
    /// ffmpeg, which decodes all frames.
    case ffmpeg
    /// mpv, which decodes all frames.
    case mpv
    /// mpv, which decodes four seconds of frames after a seek to 25 s.
    case mpvSeeking
    /// curl, which reads the bytes.
    case curl

    var playsAll: Bool { self != .mpvSeeking }

    /// Returns a checksum of all bytes at `url` (curl) or of all decoded media (ffmpeg), or a checksum for each frame
    /// (mpv).
    func record(of url: URL) async throws -> String {
        let url = url.absoluteString
        switch self {
        case .ffmpeg:
            let output = try await Peer.run("ffmpeg", ["-v", "error", "-i", url, "-f", "md5", "-"])
            return String(decoding: output, as: UTF8.self)
        case .mpv:
            return try await mpv(url, [])
        case .mpvSeeking:
            return try await mpv(url, ["--start=25", "--length=4"])
        case .curl:
            let folder = try TemporaryFolder("curl")
            try await Peer.run("curl", ["-sS", "--fail", "-o", folder.file("body"), url])
            return String(decoding: try await Peer.run("ffmpeg", Self.bytesSum(folder.file("body"))), as: UTF8.self)
        }
    }

    /// Runs mpv in its encoding mode, which decodes as in playback and writes the checksum of each frame.
    private func mpv(_ url: String, _ more: [String]) async throws -> String {
        let folder = try TemporaryFolder("mpv")
        let output = folder.file("frames.txt")
        let arguments =
            ["--no-config", "--no-terminal", "--of=framemd5", "--ovc=rawvideo", "--oac=pcm_s16le", "--o=\(output)"]
        try await Peer.run("mpv", arguments + more + [url])
        return Self.frames(in: try String(contentsOfFile: output, encoding: .utf8))
    }

    /// Returns the frames of a `framemd5` file, sorted by kind and time, because stream numbers and interleaving vary
    /// between runs.
    private static func frames(in text: String) -> String {
        var kinds: [Substring: Substring] = [:]
        var frames: [String] = []
        for line in text.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/\#media_type (\d+): (\w+)/#) {
                kinds[match.1] = match.2
            } else if !line.hasPrefix("#"), let comma = line.firstIndex(of: ",") {
                frames.append("\(kinds[line[..<comma]] ?? "?")\(line[comma...])")
            }
        }
        return frames.sorted().joined(separator: "\n")
    }

    /// Returns the arguments that compute the MD5 of a file's bytes without decoding.
    private static func bytesSum(_ path: String) -> [String] {
        ["-v", "error", "-f", "data", "-i", path, "-map", "0", "-c", "copy", "-f", "md5", "-"]
    }
}
