import Foundation
import MediaContainers

/// A remux that ffmpeg then encodes anew.
struct Transcoding: Sendable {
    /// What is read, and where the file is put.
    var job: RemuxJob
    /// What is made of it.
    var format: TranscodedFormat
    /// What makes it.
    var ffmpeg: FFmpeg

    /// Makes it.
    ///
    /// - Throws: ``CommandFailure`` and `ContainerError`.
    func run(_ opening: InputOpening) throws -> RemuxResult {
        let output = try OutputFile(job.target)
        // Beside the output, where there is room for films.
        let draft = OutputTarget(path: job.target.temporaryName() + ".mp4", overwrites: true)
        defer { try? FileManager.default.removeItem(atPath: draft.path) }
        var remux = job
        remux.target = draft
        remux.film = job.target
        var result = try remux.run(opening)
        try ffmpeg.encode(
            draft.path, as: format, to: output.path, called: "“\(job.target.path)”", lasting: Self.seconds(draft.path),
            opening.control)
        try output.place()
        result.output = job.target.path
        result.size = try InputBytes(path: job.target.path, control: opening.control).length
        // What is in it now is ffmpeg's to say.
        if format != .mp4 { result.tracks = [] } else { try result.look(at: job.target.path, opening.control) }
        return result
    }

    /// The duration of an MP4, in seconds; 0 where it can't be read.
    private static func seconds(_ path: String) -> Double {
        guard let movie = try? MP4Reader(try FileSource(path: path)).movie, movie.timescale > 0 else { return 0 }
        return Double(movie.duration ?? 0) / Double(movie.timescale)
    }
}
