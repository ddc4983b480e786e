import MediaCache

/// The way a player accesses a resource.
enum PlaybackRoute: Sendable {
    /// The file of a complete resource, which the player reads directly.
    case file(LocalFile)
    /// Requests to the app.
    case loader
    /// A local server. Streams need it, because AVFoundation requests playlists and keys from an app, but not segments.
    /// So do resources of unknown length, because AVFoundation may fail to load media from an app that can't serve
    /// arbitrary ranges.
    case server(LocalURL)

    /// Returns the route of a resource. The header profiles of `settings`, or of the store, determine the user.
    ///
    /// - Throws: `CacheError` with `invalidSetting` for a stream without a server; errors of the store and the server.
    static func find(
        for resource: ResourceURL, in store: CacheStore, settings: TransferSettings? = nil,
        server: (any LocalURLProvider)?
    ) async throws -> PlaybackRoute {
        // Not by the URL alone, which would also find the resources of other users.
        let cached = try await store.resource(of: ReadRequest(url: resource, settings: settings))
        let obstacle = try await obstacle(to: resource, cached, in: store, settings, readsHead: server != nil)
        if obstacle != nil, let server { return .server(try await server.localURL(for: resource)) }
        if obstacle == .isStream { throw needsServer(resource) }
        // If the file is unavailable, the loader can still play the resource.
        if let cached, cached.isComplete, let file = try? await store.localFile(id: cached.id) { return .file(file) }
        return .loader
    }

    static func needsServer(_ resource: ResourceURL) -> CacheError {
        CacheError(
            .invalidSetting,
            "\(resource.withoutUserInfo) is a stream, which needs a local server for playback; pass one, such as "
                + "MediaCacheServer's EmbeddedServer")
    }

    static func needsLength(_ resource: ResourceURL) -> CacheError {
        CacheError(
            .invalidSetting,
            "the origin of \(resource.withoutUserInfo) doesn't announce its length, which AVFoundation needs to load it "
                + "from the app; play it through a local server, such as MediaCacheServer's EmbeddedServer")
    }

    /// A reason why a resource can't be loaded from the app.
    private enum Obstacle {
        case isStream
        case hasNoLength
    }

    /// Returns the reason why a resource can be played only through a server; nil if there is none.
    ///
    /// - Parameter readsHead: Whether to request the first bytes of a resource that isn't cached, to determine its type
    ///   and length.
    private static func obstacle(
        to resource: ResourceURL, _ cached: ResourceInfo?, in store: CacheStore, _ settings: TransferSettings?,
        readsHead: Bool
    ) async throws -> Obstacle? {
        if MediaType.isPlaylist(cached?.contentType) || MediaType.isPlaylist(pathExtension: resource.pathExtension) {
            return .isStream
        }
        if let cached { return cached.length == nil ? .hasNoLength : nil }
        guard readsHead,
            // A failure here is ignored: playback fails in the same way and reports the error.
            let session = try? await store.read(
                ReadRequest(url: resource, range: .closed(0, through: 1), policy: .onDemand, settings: settings))
        else { return nil }
        defer { session.cancel() }
        if MediaType.isPlaylist(session.head.contentType) { return .isStream }
        return session.head.length == nil ? .hasNoLength : nil
    }
}
