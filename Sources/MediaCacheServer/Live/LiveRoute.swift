import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/live/<name>/`: any window of a channel's recording.
///
/// `index.m3u8` and its other forms (`WindowRequest`) are playlists for players. They reference the playlists of the
/// tracks, which reference the segments. `thumbnails.m3u8` is a window's I-frame playlist, `<from>-<to>.mp4` is a
/// window as one file, and `<time>.jpg` is the frame at that time. `programmes/<id>.mp4`, `programmes/<id>.3gp` and
/// `programmes/<id>/index.m3u8` are the exports of a programme. Below each playlist are the files of ``FragmentFile``,
/// and `media.json` is that of `index.m3u8`.
struct LiveRoute: MediaRoute {
    static let prefix = "/live/"
    /// The folder of exported programmes. No track has this name.
    private static let programmes = "programmes"

    let paths = [LiveRoute.prefix]
    let access = RouteAccess.reader
    let recordings: Recordings
    let store: CacheStore
    /// The settings of reads. They forbid requests to origins.
    let settings: TransferSettings
    let movies: MovieCache
    let frames: FrameQueue
    let inflations = SegmentInflations()
    let urls: ServerURLs
    let fragments: FragmentService

    func opener(for request: MediaRequest) throws -> any ReaderOpener {
        try opener(path: request.path, query: request.query)
    }

    private func opener(path: String, query: String) throws -> any ReaderOpener {
        let items = QueryItems(query)
        if let opener = fragmentOpener(path: path, query: query, items) { return opener }
        let parts = path.dropFirst(Self.prefix.utf8.count).split(
            separator: "/", omittingEmptySubsequences: false
        ).map { PercentCoding.decode($0) ?? String($0) }
        guard (2...4).contains(parts.count), let name = ChannelName(rawValue: parts[0]) else {
            throw Problem.notFound(
                "there is nothing at this path; the paths of a channel are /live/<name>/index.m3u8 and its variants, "
                    + "/live/<name>/<from>-<to>.mp4 and /live/<name>/<time>.jpg")
        }
        guard let recording = recordings.recording(name) else {
            throw Problem.notFound("there is no channel \(name); /api/v1/channels lists the channels")
        }
        let live = LiveChannel(
            recording: recording, name: name, query: query, isStrict: try items.flag("strict"))
        if parts.count > 2, parts[1] == Self.programmes { return try exportOpener(live, Array(parts[2...])) }
        guard parts.count < 4 else {
            throw Problem.notFound("the channel \(name) has no “\(parts[1...].joined(separator: "/"))”")
        }
        let file = parts.count == 2 ? parts[1].isEmpty ? "index.m3u8" : parts[1] : parts[2]
        if parts.count == 3 {
            return try live.opener(for: file, track: parts[1], store: store, settings: settings, inflations: inflations)
        }
        if let window = try live.window(file) {
            return WindowOpener(live: live, window: window, isIFramePlaylist: file == LiveChannel.thumbnails)
        }
        if file.hasSuffix(".mp4") {
            return try movieOpener(live, String(file.dropLast(4)), allowsGaps: try items.flag("gaps"))
        }
        if file.hasSuffix(".jpg") {
            guard frames.isAvailable else { throw Problem.noDecoder }
            let time = try live.moment(String(file.dropLast(4)), "the time")
            return MomentOpener(live: live, time: time, frames: frames, urls: urls)
        }
        throw Problem.notFound("the channel \(name) has no “\(file)”")
    }

    /// Returns the opener of a file below a playlist; nil for any other path.
    private func fragmentOpener(path: String, query: String, _ items: QueryItems) -> FragmentOpener? {
        guard let (folder, file) = FragmentFile.split(path),
            let name = ChannelName(rawValue: String(path.dropFirst(Self.prefix.utf8.count).prefix { $0 != "/" })),
            let recording = recordings.recording(name),
            let playlist = file.playlist(at: folder, root: "\(Self.prefix)\(name)")
        else { return nil }
        // The items not in `own` specify the window. For media.json, they include `from` and `to`.
        let own: Set<Substring> = file == .media ? ["variant"] : ["from", "to", "after"]
        let window = query.split(separator: "&").filter { !own.contains($0.prefix { $0 != "=" }) }
        var stream = FragmentStream(
            playlist: playlist + (window.isEmpty ? "" : "?\(window.joined(separator: "&"))"), name: playlist, at: path,
            open: opener)
        stream.adopt(recording)
        return FragmentOpener(stream: stream, file: file, query: items, service: fragments)
    }

    private func exportOpener(_ live: LiveChannel, _ parts: [String]) throws -> any ReaderOpener {
        if parts.count == 2, parts[1] == "index.m3u8" {
            return ExportOpener(live: live, recordings: recordings, programme: parts[0], format: .hls)
        }
        let pieces = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 1, pieces.count == 2, let format = ProgrammeFormat(rawValue: pieces[1]), format != .hls
        else {
            throw Problem.notFound(
                "there is nothing at this path; the exports of a programme are at programmes/<id>.mp4, "
                    + "programmes/<id>.3gp and programmes/<id>/index.m3u8")
        }
        return ExportOpener(live: live, recordings: recordings, programme: pieces[0], format: format)
    }

    private func movieOpener(_ live: LiveChannel, _ stem: String, allowsGaps: Bool) throws -> any ReaderOpener {
        let parts = stem.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw Problem.badRequest("“\(stem).mp4” isn't <from>-<to>.mp4, with times in seconds or milliseconds")
        }
        let from = try live.moment(parts[0], "the start")
        let to = try live.moment(parts[1], "the end")
        guard to > from else { throw Problem.badRequest("the window's end must be after its start") }
        let (movies, name) = (movies, "\(Self.prefix)\(live.name)/\(stem).mp4")
        let start: @Sendable () async throws -> Int64? = {
            try await live.recording.windowStart(from: from, to: to, isStrict: live.isStrict)
        }
        return MovieOpener(name: name, movies: movies, start: start) {
            // The recorded ranges are part of the name, since retention changes the movie.
            let ranges = live.recording.recordedRanges(from: from, to: to)
            let key = "\(live.recording.id) \(from) \(to) \(allowsGaps) \(live.isStrict) \(ranges)"
            let title = "this window of \(live.name)"
            return try await movies.movie(named: key, url: name, window: title, allowsGaps: allowsGaps) {
                try await live.recording.finished(from: from, to: to, isStrict: live.isStrict)
            }
        }
    }
}

/// The opener of the frame at a point in time.
private struct MomentOpener: ReaderOpener {
    let live: LiveChannel
    /// The time, in nanoseconds since 1970.
    let time: Int64
    let frames: FrameQueue
    let urls: ServerURLs

    var name: String { "a frame of \(live.name)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let (track, row, offset) = try await live.recording.moment(time)
        let url = try urls.liveURL(of: live.name) + "\(track)/span-\(row.start)-\(row.end).m3u8"
        var cover = try await frames.frame(of: url, at: offset)
        // The offset may be after the last frame of the segment.
        if cover == nil { cover = try await frames.frame(of: url, at: 0) }
        guard let cover else { throw CacheError(.notFound, "\(live.name) has no video frame at that time") }
        return try MemoryReader(cover, range: range, name: name, acceptsRanges: false)
    }
}
