import MediaCacheServer
import MediaLibrary

/// Pictures out of films by ffmpeg, for the server.
struct FFmpegFrames: FrameTaker {
    /// Takes a picture; see `FrameTaker`.
    func frame(of url: String, at time: Double) async throws -> Cover? {
        do {
            return try await BlockingWork.run { control in
                try FilmFrame(input: url, time: time).take(of: "the film", control)
            }
        } catch let failure as CommandFailure {
            throw Problem(title: "Not decoded", status: 500, detail: failure.message, code: "undecodable")
        }
    }
}
