import MediaCache

/// The way a player accesses a resource.
enum PlaybackRoute: Sendable {
    /// The file of a complete resource, which the player reads directly.
    case file(LocalFile)
    /// Requests to the app.
    case loader
    /// A local server. Streams need it, because AVFoundation requests playlists and keys from an app, but not segments.
    case server(LocalURL)

    /// Returns the route of a resource. The header profiles in `settings`, or in those of the store, determine the user.
    ///
    /// - Throws: `CacheError` with `invalidSetting` for a stream without a server; errors of the store and the server.
    static func find(
        for resource: ResourceURL, in store: CacheStore, settings: TransferSettings? = nil,
        server: (any LocalURLProvider)?
    ) async throws -> PlaybackRoute {
        // Not by the URL alone, which would also find the resources of other users.
        let cached = try await store.resource(of: ReadRequest(url: resource, settings: settings))
        if try await isStream(resource, cached, in: store, settings, readsType: server != nil) {
            guard let server else { throw needsServer(resource) }
            return .server(try await server.localURL(for: resource))
        }
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

    /// Returns whether a resource is a playlist.
    ///
    /// - Parameter readsType: Whether to read the first bytes if neither the URL nor the cached resource reveals the
    ///   type.
    private static func isStream(
        _ resource: ResourceURL, _ cached: ResourceInfo?, in store: CacheStore, _ settings: TransferSettings?,
        readsType: Bool
    ) async throws -> Bool {
        if MediaType.isPlaylist(cached?.contentType) || MediaType.isPlaylist(pathExtension: resource.pathExtension) {
            return true
        }
        guard readsType, cached == nil, !MediaType.expectsAudioOrVideo(declared: nil, where: resource.pathExtension),
            // A failure here is ignored: playback fails in the same way and reports the error.
            let session = try? await store.read(
                ReadRequest(url: resource, range: .closed(0, through: 1), policy: .onDemand, settings: settings))
        else { return false }
        defer { session.cancel() }
        return MediaType.isPlaylist(session.head.contentType)
    }
}
