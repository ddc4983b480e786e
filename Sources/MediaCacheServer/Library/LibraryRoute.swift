import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/library/<id>/`: an asset for players and pages, without the URLs of its origin.
///
/// Each part has a name (`AssetContents`): `index.m3u8` is the top playlist of a stream, and `file.mp4` or similar is
/// the file of any other asset. `media.mp4` is the asset as one MP4, `cover` is its cover, and `frame.jpg?t=<seconds>`
/// is a frame of its video. Below each playlist are the files of ``FragmentFile``, and `media.json` is that of the top
/// playlist.
///
/// Missing parts are errors. With `?gaps=1`, `media.mp4` contains gaps instead, and playlists mark missing segments as
/// gaps (EXT-X-GAP). Without it, playlists don't mark them, because an export would omit them as gaps of the stream.
/// Origins are contacted only while the asset's download is unfinished; the requested part is then fetched first.
struct LibraryRoute: MediaRoute {
    static let prefix = "/library/"

    let paths = [LibraryRoute.prefix]
    let access = RouteAccess.reader
    let assetStore: AssetStore
    let movies: MovieCache
    let frames: AssetFrames
    let store: CacheStore
    let reading: LibraryReading
    let contents: AssetContentsCache
    let fragments: FragmentService
    private let plays: PlayCountRecorder
    private let inflations = SegmentInflations()

    init(
        assetStore: AssetStore, movies: MovieCache, frames: AssetFrames, store: CacheStore, reading: LibraryReading,
        fragments: FragmentService
    ) {
        self.assetStore = assetStore
        self.movies = movies
        self.frames = frames
        self.store = store
        self.reading = reading
        self.fragments = fragments
        contents = movies.contents
        plays = PlayCountRecorder(store: store, assetStore: assetStore)
    }

    func opener(for request: MediaRequest) throws -> any ReaderOpener {
        try opener(path: request.path, query: QueryItems(request.query))
    }

    private func opener(path: String, query: QueryItems) throws -> any ReaderOpener {
        let parts = path.dropFirst(Self.prefix.utf8.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let id = AssetID(rawValue: String(parts[0])) else {
            throw Problem.notFound(
                "there is nothing at this path; the paths of an asset are its playlists and parts, media.mp4, cover and "
                    + "frame.jpg?t=<seconds>")
        }
        if let (folder, file) = FragmentFile.split(path),
            let playlist = file.playlist(at: folder, root: "\(Self.prefix)\(id)")
        {
            return FragmentOpener(
                stream: fragmentStream(playlist, of: id, at: path), file: file, query: query, service: fragments)
        }
        let name = PercentCoding.decode(parts[1]) ?? String(parts[1])
        switch name {
        case "media.mp4":
            let allowsGaps = try query.flag("gaps")
            return MovieOpener(name: "\(Self.prefix)\(id)/media.mp4", movies: movies) { [assetStore, movies] in
                try await movies.movie(of: try await assetStore.requireAsset(id), allowsGaps: allowsGaps)
            }
        case "cover": return CoverOpener(id: id, assetStore: assetStore)
        case "frame.jpg":
            guard frames.queue.isAvailable else { throw Problem.noDecoder }
            return FrameOpener(
                id: id, time: try query.seconds("t", from: 0), assetStore: assetStore, frames: frames)
        default:
            if let opener = try liveOpener(name, of: id) { return opener }
            return PartOpener(
                id: id, path: name, encodedPath: String(parts[1]), marksGaps: try query.flag("gaps"),
                assetStore: assetStore, contentsCache: contents, store: store, reading: reading, plays: plays,
                inflations: inflations)
        }
    }

    private func fragmentStream(_ playlist: String, of id: AssetID, at path: String) -> FragmentStream {
        var stream = FragmentStream(playlist: playlist, name: playlist, at: path) { path, query in
            try opener(path: path, query: QueryItems(query))
        }
        if let recording = reading.recording(of: id) { stream.adopt(recording) }
        return stream
    }

    /// Returns the opener of a path within a live stream that is being downloaded; nil for any other path. The stream
    /// plays like a recording, from its beginning to the live edge.
    private func liveOpener(_ path: String, of id: AssetID) throws -> (any ReaderOpener)? {
        guard let recording = reading.recording(of: id), let first = recording.coveredRanges().first?.lowerBound,
            let name = ChannelName(rawValue: id.rawValue)
        else { return nil }
        let live = LiveChannel(recording: recording, name: name, query: "", path: "\(Self.prefix)\(id)")
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            guard path.isEmpty || path == AssetContents.entryName else { return nil }
            plays.record(id)
            return WindowOpener(live: live, window: .span(from: first, to: nil), isIFramePlaylist: false)
        }
        return try live.opener(
            for: parts[1], track: parts[0], store: store, settings: store.transfers.withoutOriginRequests,
            inflations: inflations)
    }
}
