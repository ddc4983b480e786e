import Foundation
import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// The opener of an asset, or of a window of a recording, as one MP4.
struct MovieOpener: ReaderOpener {
    let name: String
    let movies: MovieCache
    /// Returns the start of a recording's window, in nanoseconds since 1970; nil for an asset.
    var start: @Sendable () async throws -> Int64? = { nil }
    let find: @Sendable () async throws -> (movie: MovieCache.Movie, name: String)

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let (movie, key) = try await find()
        switch movie {
        case .layout(let layout, let file, let head, let hasVideo):
            return LayoutReader(
                layout, of: file, in: movies.store, original: head,
                range: try range.resolved(in: layout.length, of: name), contentType: Self.type(isAudio: !hasVideo),
                mark: "mp4", onChange: { [movies] in movies.forget(key) })
        case .stream(let movie):
            guard movies.budget.count < MovieCache.maximumReaders else { throw Problem.busy }
            let head = ResourceHead(
                length: movie.length, contentType: Self.type(isAudio: movie.isAudioOnly), validator: Validator(),
                validatedAt: Date(), entityTag: "\"mc-\(movie.identity)\"")
            let control = OperationControl()
            let resources = movie.resources.ended(by: control)
            return MovieReader(
                movie.reader(sharing: movies.budget, from: resources), head: head,
                range: try range.resolved(in: movie.length, of: name), windowStart: try await start(),
                gaps: movie.gaps, name: name, limit: movies.reading, control: control,
                onChange: { [movies] in movies.forget(key) })
        }
    }

    /// Returns the media type of an MP4 with video or with audio only (RFC 4337).
    private static func type(isAudio: Bool) -> String { isAudio ? "audio/mp4" : "video/mp4" }
}
