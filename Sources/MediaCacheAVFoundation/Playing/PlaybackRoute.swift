import MediaCache

/// How a player best gets a resource.
enum PlaybackRoute: Sendable {
    /// All of it is here: from its file, past everything else.
    case file(LocalFile)
    /// By asking the app for its bytes.
    case loader
    /// From a local server: the system asks an app for playlists, but never for what they name.
    case server(LocalURL)

    /// The route of a resource.
    ///
    /// - Parameter server: what gives local URLs, for streams.
    /// - Throws: `CacheError` with `invalidSetting` for a stream where there is no server; what the server throws.
    static func find(
        for resource: ResourceURL, in store: CacheStore, settings: TransferSettings? = nil,
        server: (any LocalURLProvider)?
    ) async throws -> PlaybackRoute {
        let kept = try await store.resource(for: resource)
        if try await isStream(resource, kept, in: store, settings, looks: server != nil) {
            guard let server else { throw needsServer(resource) }
            return .server(try await server.localURL(for: resource))
        }
        // A file that can't be had plays all the same.
        if kept?.isComplete == true, let file = try? await store.localFile(for: resource) { return .file(file) }
        return .loader
    }

    /// A stream can't be answered: what its playlists name is never asked of the app.
    static func needsServer(_ resource: ResourceURL) -> CacheError {
        CacheError(
            .invalidSetting,
            "\(resource.withoutUserInfo) is a stream, and plays through a local server; pass one, such as "
                + "MediaCacheServer's EmbeddedServer")
    }

    /// - Parameter looks: whether what neither its name nor what is kept tells is asked for.
    private static func isStream(
        _ resource: ResourceURL, _ kept: ResourceInfo?, in store: CacheStore, _ settings: TransferSettings?, looks: Bool
    ) async throws -> Bool {
        if MediaType.isPlaylist(kept?.contentType) || MediaType.isPlaylist(pathExtension: resource.pathExtension) {
            return true
        }
        guard looks, kept == nil, !MediaType.expectsAudioOrVideo(declared: nil, where: resource.pathExtension),
            // What can't be had now fails when it's played, and tells why.
            let session = try? await store.read(
                ReadRequest(url: resource, range: .closed(0, through: 1), policy: .onDemand, settings: settings))
        else { return false }
        defer { session.cancel() }
        return MediaType.isPlaylist(session.head.contentType)
    }
}
