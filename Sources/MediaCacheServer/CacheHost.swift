import Logging
public import MediaCache
public import MediaCacheAPI
import MediaLibrary

/// The owner of a cache folder: its store and its server. It announces the server's address in the folder's lock, so
/// that other processes can find it.
public final class CacheHost: Sendable {
    /// The store.
    public let store: CacheStore
    /// The running server.
    public let server: CacheServer
    /// The API key.
    public var key: AccessKey { server.key }

    private let grace: Duration

    private init(store: CacheStore, server: CacheServer, grace: Duration) {
        self.store = store
        self.server = server
        self.grace = grace
    }

    /// Opens a cache folder and starts its server.
    ///
    /// If the folder can't be written, playback works without caching. The store of an exposed server
    /// (``ServerConfiguration/isExposed``) contacts only public addresses, and networks that the origin permits.
    ///
    /// - Throws: `CacheError`, such as `folderOwned` if another process owns the folder; the errors of
    ///   ``CacheServer/start()``. The folder is closed again after an error.
    public static func open(
        _ configuration: CacheConfiguration, server serverConfiguration: ServerConfiguration = ServerConfiguration(),
        origin: any Origin, routes: [any Route] = []
    ) async throws -> CacheHost {
        var configuration = configuration
        var serverConfiguration = serverConfiguration
        if serverConfiguration.isExposed { configuration.transfers.scope = .publicOnly }
        serverConfiguration.cacheFolder = serverConfiguration.cacheFolder ?? configuration.location.durable
        let (location, logger) = (configuration.location, serverConfiguration.logger)
        // Applied before the opening, which would otherwise evict content that the stored limits permit.
        let stored = try await BlockingOperation.run { StoredSettings(at: location) }
        configuration = stored.applied(to: configuration, serverConfiguration)
        let store = try await CacheStore.open(configuration, origin: origin, logger: logger)
        do {
            let file = AccessKeyFile(location: configuration.location)
            let wasAccessible = file.isAccessibleByOtherUsers
            let key = store.isWritable ? try file.loadOrCreate() : AccessKeyFile.keyToRead(configuration.location)
            // The key isn't replaced if the file system doesn't store modes, or the folder can't be written.
            if wasAccessible, !file.isAccessibleByOtherUsers {
                logger.warning("other users had access to the key file, so the server replaced the key")
            }
            let server = CacheServer(
                store: store, key: key, keyFile: store.isWritable ? file : nil, configuration: serverConfiguration,
                routes: routes)
            try await server.start()
            if let address = server.boundAddresses.first { try store.announce(address: address) }
            return CacheHost(store: store, server: server, grace: serverConfiguration.grace)
        } catch {
            await store.close()
            throw error
        }
    }

    /// Stops the server, then commits and closes the folder.
    ///
    /// - Parameter grace: The time for which running responses may continue; nil for ``ServerConfiguration/grace``.
    public func close(grace: Duration? = nil) async {
        await server.stop(grace: grace ?? self.grace)
        await store.close()
    }
}
