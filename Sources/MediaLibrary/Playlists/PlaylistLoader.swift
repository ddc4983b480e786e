import HLS
public import MediaCache
import Synchronization

/// A loader of playlists through a store.
///
/// On-demand playlists are cached, and revalidated like `Revalidation.beforeUse`, because an encoder may replace one
/// with a live playlist. Live playlists are requested from the origin each time. Concurrent requests for a playlist
/// share one transfer.
public final class PlaylistLoader: Sendable {
    /// The maximum number of cache keys in each set. A full set is emptied before a key is added.
    private static let maximumRemembered = 4096
    private static let maximumLength = PlaylistParser.Limits().playlistLength

    private let store: CacheStore
    /// The cache keys of playlists whose names don't reveal that they are playlists.
    private let unusualNames = Mutex<Set<String>>([])
    /// The cache keys of playlists that were live. A stream that has ended may continue when its encoder is restarted.
    private let liveKeys = Mutex<Set<String>>([])

    /// Creates a loader.
    public init(store: CacheStore) { self.store = store }

    /// Returns whether `url` is assumed to be a playlist because of its name or an earlier response.
    public func expectsPlaylist(at url: ResourceURL) -> Bool {
        Self.hasPlaylistName(url) || unusualNames.withLock { !$0.isEmpty && $0.contains(key(for: url)) }
    }

    /// Remembers that the resource at `url` is a playlist.
    public func remember(_ url: ResourceURL) { Self.insert(key(for: url), into: unusualNames) }

    /// Returns the cache key of a playlist, without delivery directives.
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

    /// Loads the playlist at `url`.
    ///
    /// - Parameters:
    ///   - scope: The address scope of the source of the URL: `any` if the user provided it,
    ///     ``LoadedPlaylist/references`` if a playlist contains it.
    ///   - settings: The transfer settings, narrowed to `scope`; nil means the store's settings.
    ///   - mayBeEncrypted: Whether bytes of no known format may be encrypted media, because a playlist lists them as a
    ///     segment.
    ///   - isFresh: Whether a new response from the origin is required. Otherwise, a cached playlist is returned if a
    ///     playlist that was live can no longer be loaded.
    /// - Returns: The playlist; nil if the resource is other media, which is cached and can be read like any resource.
    /// - Throws: `CacheError`, with `notMedia` if the resource is neither a playlist nor media, such as an error page
    ///   or an empty body, or if it has the name or type of a playlist and some players might find URLs in it.
    public func load(
        _ url: ResourceURL, scope: AddressScope = .publicOnly, settings: TransferSettings? = nil,
        mayBeEncrypted: Bool = false, transferClass: TransferClass = .playback, isFresh: Bool = false,
        countsAsUse: Bool = true
    ) async throws -> LoadedPlaylist? {
        let loaded = try await loadResource(
            url, scope: scope, settings: settings, mayBeEncrypted: mayBeEncrypted, transferClass: transferClass,
            isFresh: isFresh, countsAsUse: countsAsUse)
        return if case .playlist(let playlist) = loaded { playlist } else { nil }
    }

    /// A resource that may be a playlist.
    package enum LoadedResource {
        case playlist(LoadedPlaylist)
        /// Other media. Another request to its origin may return a playlist, so only these bytes, or those of
        /// `WholeBody.version`, are known to be media.
        case media(WholeBody)
    }

    /// Loads the resource at `url`, like ``load(_:scope:settings:mayBeEncrypted:transferClass:isFresh:countsAsUse:)``.
    package func loadResource(
        _ url: ResourceURL, scope: AddressScope = .publicOnly, settings: TransferSettings? = nil,
        mayBeEncrypted: Bool = false, transferClass: TransferClass = .playback, isFresh: Bool = false,
        countsAsUse: Bool = true
    ) async throws -> LoadedResource {
        let key = key(for: url)
        let directives = DeliveryDirectives(url: url.description)
        let isView = !directives.isEmpty
        var settings = (settings ?? store.transfers).narrowed(to: scope)
        if directives.mediaSequence != nil { settings = settings.waitingForFutureContent }
        let wasLive = liveKeys.withLock { $0.contains(key) }
        var request = WholeBodyRequest(
            url: url, maximumLength: Int64(Self.maximumLength), transferClass: transferClass, settings: settings,
            revalidation: wasLive || isFresh ? .since(store.monotonicTime) : .beforeUse, kind: .playlist
        ) { body in
            try Self.decode(&body, of: url)
            guard case .playlist(let kind) = try Self.content(of: body, at: url, mayBeEncrypted) else { return true }
            return !isView && !LoadedPlaylist.isLive(body.bytes, kind: kind)
        }
        request.countsAsUse = countsAsUse
        let (loaded, isCached): (LoadedResource, Bool)
        do {
            (loaded, isCached) = try await read(request, mayBeEncrypted)
        } catch let error as CacheError where wasLive && !isFresh && error.code != .cancelled {
            // After the encoder has stopped, the origin may be unreachable, but the final playlist in the cache is
            // still usable.
            guard try await store.resource(of: ReadRequest(url: url, settings: settings))?.isComplete == true else {
                throw error
            }
            request.revalidation = .never
            return try await read(request, mayBeEncrypted).loaded
        }
        guard case .playlist(let playlist) = loaded else { return loaded }
        if playlist.isLive, !wasLive { Self.insert(key, into: liveKeys) }
        guard isCached, playlist.isLive || isView,
            let info = try await store.resource(of: ReadRequest(url: url, settings: settings)), !info.isPinned
        else { return loaded }
        // The playlist was cached before its kind was known. If another reader still uses it, it's removed later, and
        // must not be read until then.
        _ = try await store.remove(id: info.id)
        request.revalidation = .since(store.monotonicTime)
        return try await read(request, mayBeEncrypted).loaded
    }

    private func read(
        _ request: WholeBodyRequest, _ mayBeEncrypted: Bool
    ) async throws -> (loaded: LoadedResource, isCached: Bool) {
        var body = try await store.wholeBody(request)
        if body.isCached, !request.revalidation.isSince,
            store.needsAccessCheck(body.head.addressKind(at: request.url), request.settings)
        {
            var confirmed = request
            confirmed.revalidation = try store.revalidationForAccess(to: request.url, request.settings)
            body = try await store.wholeBody(confirmed)
        }
        // A playlist that was cached as a plain resource may still be compressed.
        try Self.decode(&body, of: request.url)
        guard case .playlist(let kind) = try Self.content(of: body, at: request.url, mayBeEncrypted) else {
            return (.media(body), body.isCached)
        }
        var playlist = LoadedPlaylist(
            bytes: body.bytes, head: body.head, url: request.url, kind: kind,
            scope: (request.settings ?? store.transfers).scope)
        playlist.replacesAnother = body.replacesAnother
        return (.playlist(playlist), body.isCached)
    }

    /// The contents of a resource that was expected to be a playlist.
    private enum Content {
        case playlist(PlaylistKind?)
        case media
    }

    private static func content(of body: WholeBody, at url: ResourceURL, _ mayBeEncrypted: Bool) throws -> Content {
        switch BodyKind(of: body.bytes) {
        case .playlist(let kind): return .playlist(kind)
        case .other(let content):
            let isMedia =
                switch content {
                case .transportStream, .mp4, .packedAudio, .webVTT, .image: true
                case .binary: mayBeEncrypted
                default: false
                }
            let isNamed = hasPlaylistName(url) || MediaType.isPlaylist(body.head.contentType)
            if isMedia, !isNamed || containsNoReferences(body.bytes, content) { return .media }
            throw CacheError(.notMedia, "\(url) is \(content) instead of a playlist; its origin may be failing")
        }
    }

    /// Returns whether players find no URL in a body, even those that parse any resource with a playlist's name or type
    /// as a playlist. The body must be binary or WebVTT, and none of its lines may be an absolute URL or a tag.
    private static func containsNoReferences(_ bytes: [UInt8], _ content: OtherContent) -> Bool {
        let isBinary = bytes.withUnsafeBytes(MediaType.isBinary)
        guard isBinary || content == .webVTT else { return false }
        return !bytes.split(whereSeparator: { (0x0A...0x0D).contains($0) }).contains { line in
            let text = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let word = text.prefix { $0 > 0x20 }
            // Binary data often contains two slashes.
            let isRelative = !isBinary && (word.starts(with: "//".utf8) || word.starts(with: "\\\\".utf8))
            return isRelative || text.starts(with: "#EXT".utf8) || word.contains("://".utf8)
        }
    }

    /// Removes the content coding, or the compression of a gzip file.
    private static func decode(_ body: inout WholeBody, of url: ResourceURL) throws {
        let coding = body.contentCoding ?? (body.bytes.starts(with: [0x1F, 0x8B]) ? "gzip" : nil)
        body.bytes = try Inflater.decode(body.bytes, coding: coding, name: "\(url)", limit: maximumLength)
        body.contentCoding = nil
    }

    /// Returns whether `url` has the extension of a playlist. Some players choose their parser by it.
    package static func hasPlaylistName(_ url: ResourceURL) -> Bool {
        let path = url.target.prefix { $0 != "?" }.lowercased()
        return path.hasSuffix(".m3u8") || path.hasSuffix(".m3u")
    }
}

extension TransferSettings {
    /// The additional time limit for future content: three target durations of 20 s (RFC 8216bis §6.2.5.2).
    private static let holdTime = Duration.seconds(60)

    /// The settings for a blocking request, such as a blocking playlist reload or a preload hint.
    package var waitingForFutureContent: TransferSettings {
        var settings = self
        settings.waitsForOrigin = true
        settings.limits.firstByte += Self.holdTime
        settings.limits.stall += Self.holdTime
        return settings
    }
}
