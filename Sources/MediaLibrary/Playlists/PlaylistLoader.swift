import HLS
public import MediaCache
import Synchronization

/// Reads playlists through a store. What is on demand is kept and confirmed before its use, unless its origin says how
/// long it's fresh: an encoder that starts again makes a live one of it. What is live is as fresh as one request to the
/// origin makes it, whatever that says. Requests are shared by those who ask while one is under way.
public final class PlaylistLoader: Sendable {
    /// The most keys that are remembered to be of playlists, beyond what the name says.
    private static let maximumRemembered = 4096

    private static let maximumLength = PlaylistParser.Limits().playlistLength

    private let store: CacheStore
    private let unusualNames = Mutex<Set<String>>([])
    /// Keys of playlists that were live: one that says it has ended may go on, when its encoder starts again.
    private let liveKeys = Mutex<Set<String>>([])

    /// A loader over `store`.
    public init(store: CacheStore) {
        self.store = store
    }

    /// Whether `url` is to be read as a playlist before anything is known of its content: by its name, or since it was
    /// one before.
    public func expectsPlaylist(at url: ResourceURL) -> Bool {
        Self.hasPlaylistName(url) || unusualNames.withLock { !$0.isEmpty && $0.contains(key(for: url)) }
    }

    /// What lies at `url` has turned out to be a playlist, by its content.
    public func remember(_ url: ResourceURL) {
        Self.insert(key(for: url), into: unusualNames)
    }

    /// The key of the playlist that `url` asks for some view of.
    private func key(for url: ResourceURL) -> String {
        guard url.query?.contains("_HLS_") == true else { return store.key(for: url) }
        let whole = try? ResourceURL(DeliveryDirectives.removed(from: url.description))
        return store.key(for: whole ?? url)
    }

    private static func insert(_ key: String, into keys: borrowing Mutex<Set<String>>) {
        keys.withLock { keys in
            if keys.count >= maximumRemembered { keys.removeAll() }
            keys.insert(key)
        }
    }

    /// Reads the playlist at `url`.
    ///
    /// - Parameters:
    ///   - url: the playlist's URL.
    ///   - scope: the scope of what named the URL: `any` for the user, ``LoadedPlaylist/references`` for a playlist.
    ///     Public addresses alone unless set.
    ///   - settings: settings of this read alone; nil takes the store's. `scope` narrows theirs.
    ///   - mayBeEncrypted: whether bytes that are of no kind may be media: a playlist named them as a segment.
    ///   - transferClass: how urgent it is.
    ///   - isFresh: whether the origin is asked, however fresh what is kept may be, and nothing else counts.
    /// - Returns: the playlist; nil if it is media of another kind, which is kept then and can be read as any resource.
    /// - Throws: `CacheError`, with `notMedia` if it's neither: an error report, a page, nothing at all.
    public func load(
        _ url: ResourceURL, scope: AddressScope = .publicOnly, settings: TransferSettings? = nil,
        mayBeEncrypted: Bool = false,
        transferClass: TransferClass = .playback, isFresh: Bool = false
    ) async throws -> LoadedPlaylist? {
        let key = key(for: url)
        let directives = DeliveryDirectives(url: url.description)
        let isView = !directives.isEmpty
        var settings = (settings ?? store.transfers).narrowed(to: scope)
        if directives.mediaSequence != nil { settings = settings.waitingForWhatComes }
        let wasLive = liveKeys.withLock { $0.contains(key) }
        var request = WholeBodyRequest(
            url: url, maximumLength: Int64(Self.maximumLength), transferClass: transferClass, settings: settings,
            revalidation: wasLive || isFresh ? .since(store.monotonicTime) : .before, kind: .playlist
        ) { body in
            try Self.decode(&body, of: url)
            guard case .playlist(let kind) = try Self.content(of: body, at: url, mayBeEncrypted) else { return true }
            return !isView && !LoadedPlaylist.isLive(body.bytes, kind: kind)
        }
        let (playlist, isKept): (LoadedPlaylist?, Bool)
        do {
            (playlist, isKept) = try await read(request, mayBeEncrypted)
        } catch let error as CacheError where wasLive && !isFresh && error.code != .cancelled {
            // An encoder that has gone leaves the playlist that it ended.
            guard try await store.resource(of: ReadRequest(url: url, settings: settings))?.isComplete == true else {
                throw error
            }
            request.revalidation = .never
            return try await read(request, mayBeEncrypted).playlist
        }
        if playlist?.isLive == true, !wasLive { Self.insert(key, into: liveKeys) }
        guard let playlist, isKept, playlist.isLive || isView,
            let info = try await store.resource(of: ReadRequest(url: url, settings: settings)), !info.isPinned
        else { return playlist }
        // It was kept before anybody knew what it is.
        _ = try await store.remove(id: info.id)
        return try await read(request, mayBeEncrypted).playlist
    }

    private func read(
        _ request: WholeBodyRequest, _ mayBeEncrypted: Bool
    ) async throws -> (playlist: LoadedPlaylist?, isKept: Bool) {
        var body = try await store.wholeBody(request)
        // One that was kept in another way may be compressed still.
        try Self.decode(&body, of: request.url)
        guard case .playlist(let kind) = try Self.content(of: body, at: request.url, mayBeEncrypted) else {
            return (nil, body.isKept)
        }
        var playlist = LoadedPlaylist(
            bytes: body.bytes, head: body.head, url: request.url, kind: kind,
            scope: (request.settings ?? store.transfers).scope)
        playlist.replacesAnother = body.replacesAnother
        return (playlist, body.isKept)
    }

    /// What may lie where a playlist is expected.
    private enum Content {
        case playlist(PlaylistKind?)
        case media
    }

    private static func content(of body: WholeBody, at url: ResourceURL, _ mayBeEncrypted: Bool) throws -> Content {
        switch BodyKind(of: body.bytes) {
        case .playlist(let kind): return .playlist(kind)
        case .foreign(.binary) where mayBeEncrypted: return .media
        case .foreign(.transportStream), .foreign(.mp4), .foreign(.packedAudio), .foreign(.webVTT), .foreign(.image):
            return .media
        case .foreign(let content):
            throw CacheError(
                .notMedia, "\(url) came as something else than a playlist (\(content)); its origin may be failing")
        }
    }

    /// Takes a content coding off, and the compression of a file that was stored compressed.
    private static func decode(_ body: inout WholeBody, of url: ResourceURL) throws {
        let coding = body.contentCoding ?? (body.bytes.starts(with: [0x1F, 0x8B]) ? "gzip" : nil)
        body.bytes = try Inflater.decode(body.bytes, coding: coding, name: "\(url)", limit: maximumLength)
        body.contentCoding = nil
    }

    private static func hasPlaylistName(_ url: ResourceURL) -> Bool {
        let path = url.target.prefix { $0 != "?" }.lowercased()
        return path.hasSuffix(".m3u8") || path.hasSuffix(".m3u")
    }
}
