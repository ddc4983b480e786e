import MediaCache
import MediaLibrary

/// `/library/<id>/`: what players and pages read of an asset, without the URL that it came from.
///
/// `media.mp4` is all of it as one file, `cover` the picture that is kept with it, and `frame.jpg?t=<seconds>` one out of
/// the film. What isn't kept is an error; no origin is asked.
struct LibraryRoute: MediaRoute {
    static let prefix = "/library/"

    let paths = [LibraryRoute.prefix]
    let access = RouteAccess.reader
    let shelf: AssetShelf
    let movies: MovieBook
    let frames: FrameQueue
    /// Where a decoder reads an asset: its movie, or its file as it is.
    let filmURL: @Sendable (_ asset: Asset, _ isMovie: Bool) throws -> String

    func opener(for request: RouteRequest) throws -> any ReaderOpener {
        let parts = request.path.dropFirst(Self.prefix.utf8.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = AssetID(rawValue: String(parts[0])) else {
            throw Problem.notFound(
                "there is nothing at this path; an asset has media.mp4, cover and frame.jpg?t=<seconds>")
        }
        switch parts[1] {
        case "media.mp4": return MovieOpener(id: id, shelf: shelf, movies: movies)
        case "cover": return CoverOpener(id: id, shelf: shelf)
        case "frame.jpg":
            guard frames.isAble else { throw Problem.noDecoder }
            return FrameOpener(
                id: id, time: try Self.time(request.queryItem("t")), shelf: shelf, movies: movies, frames: frames,
                filmURL: filmURL)
        default: throw Problem.notFound("an asset has media.mp4, cover and frame.jpg?t=<seconds>, not “\(parts[1])”")
        }
    }

    private static func time(_ text: String?) throws -> Double? {
        guard let text else { return nil }
        guard let time = Double(text), time.isFinite, time >= 0 else {
            throw Problem.badRequest("t is a number of seconds, not “\(text)”")
        }
        return time
    }
}
