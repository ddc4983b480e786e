import Foundation

/// ffmpeg as a live encoder: it writes a window of a few segments that moves on as time does, removes what has left it,
/// and ends the stream after a while. Beside it, it keeps the same stream whole, to compare with.
final class LiveEncoder: Sendable {
    /// The live playlist's path, for an origin that serves ``folder``.
    static let window = "window.m3u8"
    /// The path of the playlist with everything.
    static let whole = "whole.m3u8"

    /// Where it writes.
    let folder: TemporaryFolder
    let process: ChildProcess

    /// Starts it and waits for the first segments; it ends after `seconds`.
    init(seconds: Int) async throws {
        let folder = try TemporaryFolder("live")
        self.folder = folder
        let window = "hls_time=1:hls_list_size=4:hls_delete_threshold=2:hls_flags=delete_segments"
        let outputs =
            "[f=hls:\(window)]\(folder.file(Self.window))|[f=hls:hls_time=1:hls_list_size=0]\(folder.file(Self.whole))"
        // Real time, as a camera has it.
        let source = StreamFixtures.source(seconds: seconds).flatMap { $0 == "-i" ? ["-re", $0] : [$0] }
        process = try ChildProcess(
            Peer.required("ffmpeg"),
            ["-v", "error"] + source + StreamFixtures.encoding + ["-map", "0:v", "-map", "1:a", "-f", "tee", outputs])
        try await eventually("the encoder has written three segments") {
            let text = try? String(contentsOfFile: folder.file(Self.window), encoding: .utf8)
            if let ending = process.ending { throw HarnessError("ffmpeg: \(ending): \(process.errorText)") }
            return (text?.split(separator: "\n").count { $0.hasSuffix(".ts") } ?? 0) >= 3 ? () : nil
        }
    }

    deinit { process.signal(SIGKILL) }

    /// Waits until it has ended the stream.
    func end() async throws {
        let ending = try await process.end(within: .seconds(60))
        guard ending == .exit(0) else { throw HarnessError("ffmpeg: \(ending): \(process.errorText)") }
    }
}
