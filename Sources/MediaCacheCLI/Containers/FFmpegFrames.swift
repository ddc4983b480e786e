import MediaCacheAPI
import MediaLibrary

/// Pictures out of films by ffmpeg, for the server.
struct FFmpegFrames: FrameTaker {
    /// The cache folder, where the files for ffmpeg lie.
    var cacheFolder: String?

    /// Takes a picture; see `FrameTaker`.
    func frame(of url: String, at time: Double) async throws -> Cover? {
        let server = ServerResources.server(of: url)
        // The URLs say what may be read; no call of the API is made.
        let client = APIClient(address: server, key: AccessKey())
        do {
            let folder = cacheFolder
            let cover = try await BlockingWork.run { control in
                try FilmFrame(
                    url: url, resources: ServerResources(server: server, client: client, control: control), time: time,
                    cacheFolder: folder
                ).take(of: "the film", control)
            }
            await client.close()
            return cover
        } catch {
            await client.close()
            guard let failure = error as? CommandFailure else { throw error }
            throw Problem(title: "Not decoded", status: 500, detail: failure.message, code: "undecodable")
        }
    }
}
