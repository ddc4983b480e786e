import Foundation

/// A live stream that ffmpeg encodes in real time, with a sliding window of a few segments. Segments that leave the
/// window are removed. A second playlist keeps the whole stream for comparison.
final class LiveEncoder: Sendable {
    /// The path of the live playlist, for an origin that serves ``folder``.
    static let window = "window.m3u8"
    /// The path of the playlist with all segments.
    static let whole = "whole.m3u8"

    let folder: TemporaryFolder
    let process: ChildProcess

    /// Starts the encoder, and waits for the first segments. The stream ends after `seconds`.
    init(seconds: Int) async throws {
        let folder = try TemporaryFolder("live")
        self.folder = folder
        let window = "hls_time=1:hls_list_size=8:hls_delete_threshold=2:hls_flags=delete_segments"
        let outputs =
            "[f=hls:\(window)]\(folder.file(Self.window))|[f=hls:hls_time=1:hls_list_size=0]\(folder.file(Self.whole))"
        // Encodes in real time.
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

    func end() async throws {
        let ending = try await process.end(within: .seconds(60))
        guard ending == .exit(0) else { throw HarnessError("ffmpeg: \(ending): \(process.errorText)") }
    }
}
