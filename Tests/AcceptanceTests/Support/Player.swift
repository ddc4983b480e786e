import Foundation

/// Programs that read media by URL, and a record of all that they got out of it.
enum Player: String, CaseIterable {
    /// Every frame decoded, from the first to the last.
    case ffmpeg
    /// Every frame decoded.
    case mpv
    /// Frames after a seek to the middle.
    case mpvSeeking
    /// The bytes.
    case curl

    /// Whether it plays from the first byte to the last.
    var playsAll: Bool { self != .mpvSeeking }

    /// What the player made of `url`: a checksum of everything, or one per frame.
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

    /// mpv in its encoding mode, which decodes and plays as ever and writes each frame's checksum.
    private func mpv(_ url: String, _ more: [String]) async throws -> String {
        let folder = try TemporaryFolder("mpv")
        let output = folder.file("frames.txt")
        let arguments =
            ["--no-config", "--no-terminal", "--of=framemd5", "--ovc=rawvideo", "--oac=pcm_s16le", "--o=\(output)"]
        try await Peer.run("mpv", arguments + more + [url])
        return Self.frames(in: try String(contentsOfFile: output, encoding: .utf8))
    }

    /// The frames of a `framemd5` file by kind and time. Which stream is number 0, and how the streams interleave,
    /// depends on which was decoded first.
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

    /// The MD5 of a file's bytes, undecoded.
    private static func bytesSum(_ path: String) -> [String] {
        ["-v", "error", "-f", "data", "-i", path, "-map", "0", "-c", "copy", "-f", "md5", "-"]
    }
}
