import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A channel for one request.
struct LiveChannel: Sendable {
    /// The name of a window's I-frame playlist.
    static let thumbnails = "thumbnails.m3u8"

    let recording: Recording
    let name: ChannelName
    let query: String
    /// The current time of the stream's clock, in nanoseconds since 1970. Relative times refer to it.
    let now: Int64
    /// Whether a window that begins outside the recorded ranges is refused instead of being served from its recorded
    /// part.
    let isStrict: Bool
    /// The path of the channel's folder, for messages: `/live/<name>`, or the library path of an asset.
    let path: String

    init(
        recording: Recording, name: ChannelName, query: String, path: String? = nil, isStrict: Bool = false
    ) {
        self.recording = recording
        self.name = name
        self.query = query
        now = recording.streamTime
        self.isStrict = isStrict
        self.path = path ?? "\(LiveRoute.prefix)\(name)"
    }

    /// Returns the window that a playlist's name and the query request; nil if the name isn't that of a playlist.
    ///
    /// - Throws: ``Problem`` if the window is invalid.
    func window(_ file: String) throws -> WindowRequest? {
        guard file.hasSuffix(".m3u8") else { return nil }
        do {
            return try WindowRequest(name: file, query: QueryItems(query).all, now: now)
        } catch {
            throw Problem.badRequest(error.description)
        }
    }

    /// Returns the opener of a file in a track's folder: a window's playlist, or a part of the recording.
    ///
    /// - Throws: ``Problem`` if the window is invalid.
    func opener(
        for file: String, track: String, store: CacheStore, settings: TransferSettings, inflations: SegmentInflations
    ) throws -> any ReaderOpener {
        if let window = WindowRequest(granted: file) {
            return TrackOpener(live: self, track: track, window: window, isGranted: true)
        }
        if file != Self.thumbnails, let window = try window(file) {
            return TrackOpener(live: self, track: track, window: window, isGranted: false)
        }
        return SegmentOpener(
            live: self, track: track, file: file, store: store, settings: settings, inflations: inflations)
    }

    /// Parses a point in time that may be relative to ``now``; see ``moment(_:_:_:)``.
    func moment(_ text: String, _ name: String) throws -> Int64 { try Self.moment(text, name, now) }

    /// Parses a point in time that may be relative to `now`, in nanoseconds since 1970.
    ///
    /// - Parameter name: The name of the value in messages.
    /// - Throws: ``Problem`` if the text isn't a valid time.
    static func moment(_ text: String, _ name: String, _ now: Int64) throws -> Int64 {
        do {
            return try WindowRequest.moment(text, name, now)
        } catch {
            throw Problem.badRequest(error.description)
        }
    }
}
