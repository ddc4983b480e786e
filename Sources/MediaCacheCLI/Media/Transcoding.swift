import Foundation
import MediaCacheAPI
import MediaLibrary

/// A remux followed by encoding with ffmpeg.
struct Transcoding: Sendable {
    var job: RemuxJob
    var format: TranscodedFormat
    var ffmpeg: FFmpeg

    func run(_ gateway: APIGateway, _ progress: ReadProgress) async throws -> RemuxResult {
        let target = job.output
        // The draft is next to the output, since the temporary folder can be too small for a film.
        let draft = OutputTarget(path: target.temporaryName() + ".mp4", overwrites: true)
        defer { try? FileManager.default.removeItem(atPath: draft.path) }
        var remux = job
        remux.output = draft
        remux.subtitleBaseFile = target
        let result = try await remux.run(gateway: gateway, progress: progress)
        let seconds = result.duration ?? 0
        return try await BlockingOperation.run { control in
            var encoded = result
            let output = try OutputFile(target)
            try ffmpeg.encode(
                draft.path, as: format, to: output.path, outputName: "“\(target.path)”", duration: seconds, control)
            try output.moveToTarget()
            encoded.output = target.path
            try encoded.inspect(target.path, control)
            return encoded
        }
    }
}

/// An output format of ffmpeg.
enum TranscodedFormat: String, Sendable, CaseIterable {
    /// H.264 and AAC.
    case mp4
    /// H.264 (baseline) and AAC, for old phones.
    case threeGP = "3gp"
    /// VP8 and Opus.
    case webm
    /// MP3 audio.
    case mp3

    init(path: String) throws {
        let suffix = path.split(separator: "/").last?.split(separator: ".").last?.lowercased() ?? ""
        guard let format = TranscodedFormat(rawValue: suffix), path.contains(".") else {
            let names = Self.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
            throw CommandFailure(.usage, "--transcode can't write “\(path)”; use \(names)")
        }
        self = format
    }

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
