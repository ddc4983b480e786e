import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/library/<id>/`: what players and pages read of an asset, without the URL that it came from.
///
/// What it consists of has a name each (`AssetContents`): `index.m3u8` is what a player is given of a stream, `file.mp4` or
/// the like a film that isn't one. Besides, `media.mp4` is all of it as one file (`?gaps=1`: with gaps for missing segments), `cover` the picture that is kept with it,
/// and `frame.jpg?t=<seconds>` one out of the film. What isn't kept is an error, and no origin is asked, except where an
/// asset is still being made complete: then what is read comes first.
struct LibraryRoute: MediaRoute {
    static let prefix = "/library/"

    let paths = [LibraryRoute.prefix]
    let access = RouteAccess.reader
    let shelf: AssetShelf
    let movies: MovieBook
    let frames: AssetFrames
    let store: CacheStore
    let reading: LibraryReading
    let book: ContentsBook
    private let plays: PlayCounter
    private let inflations = SegmentInflations()

    init(
        shelf: AssetShelf, movies: MovieBook, frames: AssetFrames, store: CacheStore, reading: LibraryReading
    ) {
        self.shelf = shelf
        self.movies = movies
        self.frames = frames
        self.store = store
        self.reading = reading
        book = movies.contents
        plays = PlayCounter(store: store, shelf: shelf)
    }

    func opener(for request: RouteRequest) throws -> any ReaderOpener {
        let parts = request.path.dropFirst(Self.prefix.utf8.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let id = AssetID(rawValue: String(parts[0])) else {
            throw Problem.notFound(
                "there is nothing at this path; an asset has its playlists and parts, media.mp4, cover and "
                    + "frame.jpg?t=<seconds>")
        }
        switch parts[1] {
        case "media.mp4":
            let takesGaps = try request.flag("gaps")
            return MovieOpener(name: "\(Self.prefix)\(id)/media.mp4", movies: movies) { [shelf, movies] in
                try await movies.movie(of: try await shelf.requireAsset(id), takesGaps: takesGaps)
            }
        case "cover": return CoverOpener(id: id, shelf: shelf)
        case "frame.jpg":
            guard frames.queue.isAble else { throw Problem.noDecoder }
            return FrameOpener(
                id: id, time: try Self.time(request.queryItem("t")), shelf: shelf, frames: frames)
        default:
            if let opener = try liveOpener(String(parts[1]), of: id) { return opener }
            return PartOpener(
                id: id, path: String(parts[1]), shelf: shelf, book: book, store: store, reading: reading, plays: plays,
                inflations: inflations)
        }
    }

    /// Returns the opener of a path within a live stream that is being downloaded: it plays as its recording does, from
    /// its beginning to the live edge. Nil for any other asset.
    private func liveOpener(_ path: String, of id: AssetID) throws -> (any ReaderOpener)? {
        guard let recording = reading.recording(of: id), let first = recording.kept().first?.lowerBound,
            let name = ChannelName(rawValue: id.rawValue)
        else { return nil }
        let live = LiveChannel(recording: recording, name: name, query: "", path: "\(Self.prefix)\(id)")
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            guard path.isEmpty || path == AssetContents.entryName else { return nil }
            plays.note(id)
            return WindowOpener(live: live, window: .span(from: first, to: nil), isPictures: false)
        }
        return try live.opener(
            for: parts[1], track: parts[0], store: store, settings: store.transfers.askingNoOrigins,
            inflations: inflations)
    }

    private static func time(_ text: String?) throws -> Double? {
        guard let text else { return nil }
        guard let time = Double(text), time.isFinite, time >= 0 else {
            throw Problem.badRequest("t is a number of seconds, not “\(text)”")
        }
        return time
    }
}
