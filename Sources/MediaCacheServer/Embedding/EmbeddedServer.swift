public import MediaCache
public import MediaCacheAPI
public import MediaLibrary

/// A server inside an app, for media that plays only over HTTP, such as HLS streams.
///
/// It listens, on loopback by default, while the app holds at least one `LocalURL`, and for some time afterwards. Call
/// ``suspend()`` and ``resume()`` around the app's suspension.
///
/// ```swift
/// let server = EmbeddedServer(store: store)
/// let url = try await server.localURL(for: ResourceURL("https://example.org/live/index.m3u8"))
/// player.replaceCurrentItem(with: AVPlayerItem(url: URL(string: url.text)!))
/// ```
public actor EmbeddedServer: LocalURLProvider {
    private let store: CacheStore
    private let server: CacheServer
    private let idleLimit: Duration
    private let hub = EventHub<Int>()
    /// Serializes operations on the server.
    private let changes = ConcurrencyLimit()
    /// The port in the URLs that were returned to the app.
    private var port: Int?
    private(set) var heldURLs = 0
    private var isSuspended = false
    private var isEnded = false
    private var idle: Task<Void, Never>?

    /// Creates a server. It listens when the first URL is requested.
    ///
    /// - Parameters:
    ///   - key: The key from which the token in URLs is derived; random by default. For URLs to remain valid across
    ///     launches of the app, pass the same key and a configuration with a fixed port.
    ///   - configuration: The configuration. With port 0, the default, the system picks a port.
    ///   - idleLimit: The time for which the server keeps listening after the last URL was released.
    public init(
        store: CacheStore, key: AccessKey = AccessKey(),
        configuration: ServerConfiguration = ServerConfiguration(port: 0, runsDownloads: false),
        idleLimit: Duration = .seconds(60)
    ) {
        self.store = store
        self.idleLimit = idleLimit
        server = CacheServer(store: store, key: key, configuration: configuration)
    }

    deinit {
        idle?.cancel()
        Task { [server] in await server.stop(grace: .zero) }
    }

    /// The port that the server listens on; nil while it doesn't listen.
    public var listeningPort: Int? { server.isListening ? server.port : nil }

    /// Returns a stream of port changes. The port changes if another process is using it when the server starts
    /// listening again; earlier URLs are then invalid. Each call returns a separate stream.
    public nonisolated func portChanges() -> AsyncStream<Int> { hub.stream() }

    /// Returns the local URL of a resource: a file, or a playlist with everything it references. The URL is valid while
    /// the app holds it and the server, except during suspension, and until the server's port changes
    /// (``portChanges()``).
    ///
    /// - Throws: ``ServerError``: `wrongState` while the server is suspended or has ended, `addressUnavailable`, or
    ///   `portTaken` if another process is using the configuration's port at the first start; the other errors of
    ///   ``CacheServer/start()``.
    public func localURL(for url: ResourceURL) async throws -> LocalURL {
        try await localURL { try $0.playURL(for: url) }
    }

    /// Returns the local URL of an asset in the library. Origins are contacted only while the asset's download is
    /// unfinished.
    ///
    /// - Throws: The errors of ``localURL(for:)``. An unknown asset isn't an error; the response to its URL is 404.
    public func localURL(of asset: AssetID) async throws -> LocalURL {
        try await localURL { try $0.libraryURL(of: asset) }
    }

    private func localURL(_ text: (CacheServer) throws -> String) async throws -> LocalURL {
        heldURLs += 1
        do {
            try await changes.runUncancelled { try await listen() }
            return LocalURL(try text(server)) { [weak self] in
                Task { await self?.releaseURL() }
            }
        } catch {
            releaseURL()
            throw error
        }
    }

    /// Stops listening and suspends the store. Call it before the system suspends the app.
    public func suspend() async {
        await changes.runUncancelled {
            guard !isSuspended else { return }
            isSuspended = true
            await server.stop(grace: .zero)
            await store.suspend()
        }
    }

    /// Resumes the store. If the app holds URLs, the server listens again, on the same port unless another process is
    /// using it.
    ///
    /// - Throws: `CacheError` if the store can't be resumed; the errors of ``CacheServer/start()``.
    public func resume() async throws {
        try await changes.runUncancelled {
            if isSuspended {
                try await store.resume()
                isSuspended = false
            }
            if heldURLs > 0, !isEnded { try await listen() }
        }
    }

    /// Stops listening permanently. The store isn't changed.
    public func end() async {
        await changes.runUncancelled {
            isEnded = true
            await server.stop(grace: .zero)
        }
        idle?.cancel()
        hub.finish()
    }

    private func listen() async throws {
        if isSuspended || isEnded {
            throw ServerError(
                .wrongState,
                isEnded
                    ? "the embedded server was shut down; create another" : "the server is suspended; resume it first")
        }
        guard !server.isListening else { return }
        // The system may have reclaimed the socket while the app was suspended.
        await server.stop(grace: .zero)
        do {
            try await server.start(at: port)
        } catch let error as ServerError where error.code == .portTaken && port != nil {
            try await server.start(at: 0)
        }
        if let old = port, let new = server.port, new != old { hub.send(new) }
        port = server.port
    }

    private func releaseURL() {
        heldURLs -= 1
        guard heldURLs == 0 else { return }
        idle?.cancel()
        let time = store.time
        let end = time.monotonic + idleLimit
        idle = Task { [weak self, idleLimit] in
            var end = end
            repeat {
                guard (try? await time.sleep(for: end - time.monotonic)) != nil else { return }
                end = time.monotonic + idleLimit
            } while await self?.isStillUsed() ?? false
        }
    }

    /// Stops listening if the server is idle and no URL is held.
    ///
    /// - Returns: Whether to check again later, because the server is still in use although no URL is held.
    private func isStillUsed() async -> Bool {
        await changes.runUncancelled {
            if heldURLs == 0, await server.isIdle { await server.stop(grace: .zero) }
            return server.isListening && heldURLs == 0
        }
    }
}
