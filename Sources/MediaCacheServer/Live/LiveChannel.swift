import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A channel as one request means it.
struct LiveChannel: Sendable {
    /// What the playlist of a window's pictures is called.
    static let pictures = "thumbnails.m3u8"

    let recording: Recording
    let name: ChannelName
    let query: String
    /// The stream's present, from which relative moments count: nanoseconds since 1970.
    let now: Int64
    /// Whether a window that begins where nothing is recorded is refused, instead of being served from where something is.
    let isStrict: Bool
    /// The path of its folder, for messages: `/live/<name>` unless it's read as an asset.
    let path: String

    init(
        recording: Recording, name: ChannelName, query: String, path: String? = nil, isStrict: Bool = false
    ) {
        self.recording = recording
        self.name = name
        self.query = query
        now = recording.present
        self.isStrict = isStrict
        self.path = path ?? "\(LiveRoute.prefix)\(name)"
    }

    /// The window of a playlist's name; nil for another name.
    ///
    /// - Throws: ``Problem`` for a form that makes no sense.
    func window(_ file: String) throws -> WindowRequest? {
        guard file.hasSuffix(".m3u8") else { return nil }
        do {
            return try WindowRequest(name: file, query: QueryItems(query).all, now: now)
        } catch {
            throw Problem.badRequest(error.description)
        }
    }

    /// Returns the opener of a file in a track's folder: a playlist of a window, or a part of the recording.
    ///
    /// - Throws: ``Problem`` for a form that makes no sense.
    func opener(
        for file: String, track: String, store: CacheStore, settings: TransferSettings, inflations: SegmentInflations
    ) throws -> any ReaderOpener {
        if let window = WindowRequest(granted: file) {
            return TrackOpener(live: self, track: track, window: window, isGranted: true)
        }
        if file != Self.pictures, let window = try window(file) {
            return TrackOpener(live: self, track: track, window: window, isGranted: false)
        }
        return SegmentOpener(
            live: self, track: track, file: file, store: store, settings: settings, inflations: inflations)
    }

    /// A moment as people write it.
    ///
    /// - Throws: ``Problem`` for what is none.
    func moment(_ text: String, _ what: String) throws -> Int64 { try Self.moment(text, what, now) }

    /// The same at any time.
    static func moment(_ text: String, _ what: String, _ now: Int64) throws -> Int64 {
        do {
            return try WindowRequest.moment(text, what, now)
        } catch {
            throw Problem.badRequest(error.description)
        }
    }

    /// Does work, and tells what lies outside of what is kept as the API does.
    func translating<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as OutsideRecording {
            throw Problem(error)
        }
    }
}

extension Problem {
    /// A window that isn't kept.
    init(_ error: OutsideRecording) {
        self = .notFound(error.description)
        kept = error.kept.map { TimeSpan($0) }
    }
}
