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
        for resource: ResourceURL, in store: CacheStore, server: (any LocalURLProvider)?
    ) async throws -> PlaybackRoute {
        let kept = try await store.resource(for: resource)
        if MediaType.isPlaylist(kept?.contentType) || MediaType.isPlaylist(pathExtension: resource.pathExtension) {
            guard let server else {
                throw CacheError(
                    .invalidSetting,
                    "\(resource.withoutUserInfo) is a stream, and plays through a local server; pass one, such as "
                        + "MediaCacheServer's EmbeddedServer")
            }
            return .server(try await server.localURL(for: resource))
        }
        // A file that can't be had plays all the same.
        if kept?.isComplete == true, let file = try? await store.localFile(for: resource) { return .file(file) }
        return .loader
    }
}
