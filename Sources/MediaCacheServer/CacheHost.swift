import Logging
public import MediaCache
public import MediaCacheAPI
public import ServiceLifecycle

/// A process that owns a cache folder: the store, the server in front of it, and its address in the folder's lock, so
/// that other processes find who to ask.
public final class CacheHost: Service, Sendable {
    /// The store.
    public let store: CacheStore
    /// The server, listening.
    public let server: CacheServer
    /// The key of the API.
    public var key: AccessKey { server.key }

    private let grace: Duration

    private init(store: CacheStore, server: CacheServer, grace: Duration) {
        self.store = store
        self.server = server
        self.grace = grace
    }

    /// Opens the folder and starts to serve it.
    ///
    /// In a folder that can't be written nothing more is kept, but everything plays.
    ///
    /// The store of an exposed server (``ServerConfiguration/isExposed``) contacts public addresses alone, so that its
    /// clients don't reach the private network through it.
    ///
    /// - Throws: `CacheError`, with `folderOwned` if another process has the folder; ``ServerError`` if the server
    ///   can't listen. The folder has then been given up again.
    public static func open(
        _ configuration: CacheConfiguration,
        server serverConfiguration: ServerConfiguration = ServerConfiguration(),
        origin: any Origin,
        routes: [any Route] = []
    ) async throws -> CacheHost {
        var configuration = configuration
        var serverConfiguration = serverConfiguration
        if serverConfiguration.isExposed { configuration.transfers.scope = .publicOnly }
        serverConfiguration.cacheFolder = serverConfiguration.cacheFolder ?? configuration.location.durable
        let logger = serverConfiguration.logger
        let store = try await CacheStore.open(configuration, origin: origin, logger: logger)
        do {
            let file = AccessKeyFile(location: configuration.location)
            if store.keepsBytes, file.isOpenToOthers {
                logger.warning("the key file could be read by other users; a new key replaces it")
            }
            let server = CacheServer(
                store: store,
                key: store.keepsBytes ? try file.loadOrCreate() : AccessKeyFile.keyToRead(configuration.location),
                keyFile: store.keepsBytes ? file : nil,
                configuration: serverConfiguration,
                routes: routes
            )
            try await server.start()
            if let address = server.boundAddresses.first { try store.announce(address: address) }
            return CacheHost(store: store, server: server, grace: serverConfiguration.grace)
        } catch {
            await store.close()
            throw error
        }
    }

    /// Stops the server, letting running responses go on for at most `grace`, then commits and gives the folder up.
    public func close(grace: Duration? = nil) async {
        await server.stop(grace: grace ?? self.grace)
        await store.close()
    }

    /// Serves until the service group shuts down or the task is cancelled, then closes.
    public func run() async throws {
        do {
            try await gracefulShutdown()
        } catch is CancellationError {
            await close(grace: .zero)
            return
        }
        await close()
    }
}
