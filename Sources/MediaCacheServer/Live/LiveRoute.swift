import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/live/<name>/`: any window of a channel's recording, as players read it.
///
/// `index.m3u8` and its other forms (`WindowRequest`) are what a player is given; they name the tracks' playlists, and
/// those the segments. `thumbnails.m3u8` has a window's pictures, `<from>-<to>.mp4` is a window as one file, `<time>.jpg` a picture of a moment.
/// `programmes/<id>.mp4`, `programmes/<id>.3gp` and `programmes/<id>/index.m3u8` are what a programme was exported as, and
/// stay so for as long as there is the programme.
struct LiveRoute: MediaRoute {
    static let prefix = "/live/"
    /// The folder of what programmes were exported as; no track is called that.
    private static let programmes = "programmes"

    let paths = [LiveRoute.prefix]
    let access = RouteAccess.reader
    let recordings: Recordings
    let store: CacheStore
    /// How what is kept is read.
    let settings: TransferSettings
    let movies: MovieBook
    let frames: FrameQueue
    let inflations = SegmentInflations()
    /// What paths of a channel stand behind, for a decoder on this machine.
    let base: @Sendable (ChannelName) throws -> String

    func opener(for request: RouteRequest) throws -> any ReaderOpener {
        let parts = request.path.dropFirst(Self.prefix.utf8.count).split(
            separator: "/", omittingEmptySubsequences: false
        ).map { PercentCoding.decode($0) ?? String($0) }
        guard (2...4).contains(parts.count), let name = ChannelName(rawValue: parts[0]) else {
            throw Problem.notFound(
                "there is nothing at this path; a channel has /live/<name>/index.m3u8 and other forms of it, "
                    + "/live/<name>/<from>-<to>.mp4 and /live/<name>/<time>.jpg")
        }
        guard let recording = recordings.recording(name) else {
            throw Problem.notFound("there is no channel \(name); /api/v1/channels lists those that there are")
        }
        let live = LiveChannel(
            recording: recording, name: name, query: request.query, isStrict: try request.flag("strict"))
        if parts.count > 2, parts[1] == Self.programmes { return try exportOpener(live, Array(parts[2...])) }
        guard parts.count < 4 else {
            throw Problem.notFound("a channel has no “\(parts[1...].joined(separator: "/"))”")
        }
        let file = parts.count == 2 ? parts[1].isEmpty ? "index.m3u8" : parts[1] : parts[2]
        if parts.count == 3 {
            return try live.opener(
                for: file, track: parts[1], store: store, settings: settings, inflations: inflations)
        }
        if let window = try live.window(file) {
            return WindowOpener(live: live, window: window, isPictures: file == LiveChannel.pictures)
        }
        if file.hasSuffix(".mp4") {
            return try movieOpener(live, String(file.dropLast(4)), takesGaps: try request.flag("gaps"))
        }
        if file.hasSuffix(".jpg") {
            guard frames.isAble else { throw Problem.noDecoder }
            let time = try live.moment(String(file.dropLast(4)), "the moment")
            return MomentOpener(live: live, time: time, frames: frames, base: base)
        }
        throw Problem.notFound("a channel has no “\(file)”")
    }

    private func exportOpener(_ live: LiveChannel, _ parts: [String]) throws -> any ReaderOpener {
        if parts.count == 2, parts[1] == "index.m3u8" {
            return ExportOpener(live: live, recordings: recordings, programme: parts[0], format: .hls)
        }
        let pieces = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 1, pieces.count == 2, let format = ProgrammeFormat(rawValue: pieces[1]), format != .hls
        else {
            throw Problem.notFound(
                "a programme has programmes/<id>.mp4, programmes/<id>.3gp and programmes/<id>/index.m3u8, as far as it "
                    + "was exported so")
        }
        return ExportOpener(live: live, recordings: recordings, programme: pieces[0], format: format)
    }

    private func movieOpener(_ live: LiveChannel, _ stem: String, takesGaps: Bool) throws -> any ReaderOpener {
        let parts = stem.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw Problem.badRequest("“\(stem).mp4” isn't <from>-<to>.mp4, with times in seconds or milliseconds")
        }
        let from = try live.moment(parts[0], "the beginning")
        let to = try live.moment(parts[1], "the end")
        guard to > from else { throw Problem.badRequest("the end isn't after the beginning") }
        let (movies, name) = (movies, "\(Self.prefix)\(live.name)/\(stem).mp4")
        return MovieOpener(name: name, movies: movies) {
            // What was given up since isn't in it any more.
            let kept = live.recording.kept(from: from, to: to)
            let known = "\(live.recording.id) \(from) \(to) \(takesGaps) \(live.isStrict) \(kept)"
            return try await movies.movie(named: known, called: name, takesGaps: takesGaps) {
                try await live.translating {
                    let window = try await live.recording.finished(from: from, to: to, isStrict: live.isStrict)
                    guard window.gaps == 0 || takesGaps else {
                        throw Problem.notFound(lost: window.gaps, of: "this window of \(live.name)")
                    }
                    return window.contents
                }
            }
        }
    }
}
