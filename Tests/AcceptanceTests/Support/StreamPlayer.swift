import Foundation

/// Players of HLS streams.
enum StreamPlayer: String, CaseIterable {
    case ffmpeg, mpv, vlc, chromium

    /// The result of playing a stream from the player's start position to its end.
    struct Playback {
        /// The decoded frames; empty if the player doesn't report them.
        var frames: [DecodedFrame] = []
        var videoFrames: Int
        var hasAudio: Bool

        /// Returns the checksums of the frames of `video` or `audio`.
        func sums(_ kind: String = "video") -> [String] { frames.filter { $0.kind == kind }.map(\.sum) }
    }

    /// The name of the program on Debian.
    var program: String { self == .vlc ? "cvlc" : rawValue }

    var reportsFrames: Bool { self == .ffmpeg || self == .mpv }

    /// Returns the installed players; see `Prerequisite`.
    static func installed() throws -> [StreamPlayer] { try allCases.filter { try Peer.isInstalled($0.program) } }

    /// Plays a whole stream as fast as possible (in Chromium, at four times normal speed), or a live stream from near
    /// its end until it ends.
    func play(_ url: URL, isLive: Bool = false, within limit: Duration = .seconds(60)) async throws -> Playback {
        switch self {
        case .ffmpeg:
            let output = try await Peer.run(
                program, ["-v", "error", "-i", url.absoluteString, "-f", "framecrc", "-"], within: limit)
            return try Self.playback(String(decoding: output, as: UTF8.self))
        case .mpv: return try await Self.mpv(url, limit)
        case .vlc: return try await Self.vlc(url, limit)
        case .chromium: return try await ChromiumPage.play(url, rate: isLive ? 1 : 4, within: limit)
        }
    }

    /// Decodes the audio of a whole stream with ffmpeg or mpv. Returns the number of samples and the player's error
    /// messages.
    func samples(of url: URL, within limit: Duration = .seconds(60)) async throws -> (count: Int, errors: String) {
        let folder = try TemporaryFolder(rawValue)
        let output = folder.file("samples.wav")
        let command =
            switch self {
            case .ffmpeg: ["-v", "error", "-i", url.absoluteString, "-vn", "-ac", "1", output]
            case .mpv:
                ["--no-config", "--msg-level=all=error", "--input-terminal=no", "--vid=no", "--audio-channels=mono"]
                    + ["--oac=pcm_s16le", "--o=\(output)", url.absoluteString]
            case .vlc, .chromium: throw HarnessError("\(self) doesn't report samples")
            }
        let child = try ChildProcess(Peer.required(program), command)
        guard try await child.end(within: limit) == .exit(0) else {
            throw HarnessError("\(self) \(url): \(child.outputText.suffix(1000)) \(child.errorText.suffix(1000))")
        }
        let text = try await Peer.run(
            "ffprobe",
            ["-v", "error", "-count_packets", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", output])
        guard let count = Int(String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw HarnessError("\(self) \(url): no samples") }
        return (count, child.outputText + child.errorText)
    }

    private static func playback(_ frameSums: String) throws -> Playback {
        let frames = try DecodedFrame.all(in: frameSums)
        return Playback(
            frames: frames, videoFrames: frames.count { $0.kind == "video" },
            hasAudio: frames.contains { $0.kind == "audio" })
    }

    /// Runs mpv in its encoding mode, which decodes as in playback and writes the checksum of each frame.
    private static func mpv(_ url: URL, _ limit: Duration) async throws -> Playback {
        let folder = try TemporaryFolder("mpv")
        let output = folder.file("frames.txt")
        try await Peer.run(
            "mpv",
            ["--no-config", "--no-terminal", "--of=framecrc", "--ovc=rawvideo", "--oac=pcm_s16le", "--o=\(output)"]
                + [url.absoluteString],
            within: limit)
        return try playback(String(contentsOfFile: output, encoding: .utf8))
    }

    /// Runs VLC, which refuses to run as root. VLC transcodes the stream to a file, and ffprobe counts the frames of
    /// this file.
    private static func vlc(_ url: URL, _ limit: Duration) async throws -> Playback {
        let folder = try TemporaryFolder("vlc")
        let output = folder.file("all.ts")
        var command = ["cvlc", "-I", "dummy", "--no-interact", "--play-and-exit"]
        command += ["--sout", "#transcode{vcodec=mp2v,vb=1000,acodec=mp2a}:std{access=file,mux=ts,dst=\(output)}"]
        command.append(url.absoluteString)
        if geteuid() == 0 {
            let nobody = 65534
            try FileManager.default.setAttributes([.ownerAccountID: nobody], ofItemAtPath: folder.path)
            command = ["setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] + command
        }
        let child = try ChildProcess(command[0], Array(command.dropFirst()), environment: ["HOME": folder.path])
        let ending = try await child.end(within: limit)
        guard ending == .exit(0), FileManager.default.fileExists(atPath: output) else {
            throw HarnessError("vlc \(url): \(ending), \(child.errorText.suffix(2000))")
        }
        let streams = try await StreamPackets.read(from: URL(filePath: output))
        return Playback(
            videoFrames: streams.filter { $0.type == "video" }.reduce(0) { $0 + $1.count },
            hasAudio: streams.contains { $0.type == "audio" && $0.count > 0 })
    }
}
