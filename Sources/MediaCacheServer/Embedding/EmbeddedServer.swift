public import MediaCache
public import MediaCacheAPI
public import MediaLibrary

/// A server inside an app, for what only plays over HTTP: streams (HLS).
///
/// It listens, at loopback unless the configuration says otherwise, from the first URL that is asked for until nobody keeps
/// one any more. Around the app's suspension it's called with ``suspend()`` and ``resume()``; it comes back at the same port,
/// so that URLs go on working.
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
    /// Only one thing at a time is done to the server.
    private let turns = Turns()
    /// The port of URLs that were given out.
    private var port: Int?
    private(set) var keptURLs = 0
    private var isSuspended = false
    private var isEnded = false
    private var idle: Task<Void, Never>?

    /// A server, which doesn't listen yet.
    ///
    /// - Parameters:
    ///   - store: what is served.
    ///   - key: the secret from which the token in URLs is derived; a new one unless given. URLs of other launches of the
    ///     app work only with theirs.
    ///   - configuration: how it listens. Port 0, as it is unless set, has one picked.
    ///   - idleLimit: how long it listens when nobody keeps a URL any more.
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

    /// The port it listens at; nil while it doesn't.
    public var listeningPort: Int? { server.isListening ? server.port : nil }

    /// The ports that it moves to, since another process has taken its own while it didn't listen: URLs from before don't
    /// work any more. Each call gives a stream of its own.
    public nonisolated func moves() -> AsyncStream<Int> { hub.stream() }

    /// The local URL of a resource: a file, or a playlist with all that it names. It works while it and the server are kept,
    /// but for times of suspension, and until the server ``moves()``.
    ///
    /// - Throws: ``ServerError``: `wrongState` while suspended and after the end, `addressUnavailable`.
    public func localURL(for url: ResourceURL) async throws -> LocalURL {
        try await localURL { try $0.playURL(for: url) }
    }

    /// The local URL of an asset of the library: of what is kept of it alone, without a network.
    ///
    /// - Throws: as ``localURL(for:)``. An asset that there isn't gets a URL at which nothing is.
    public func localURL(of asset: AssetID) async throws -> LocalURL {
        try await localURL { try $0.libraryURL(of: asset) }
    }

    private func localURL(_ text: (CacheServer) throws -> String) async throws -> LocalURL {
        keptURLs += 1
        do {
            try await turns.take { try await listen() }
            return LocalURL(try text(server)) { [weak self] in
                Task { await self?.letGo() }
            }
        } catch {
            letGo()
            throw error
        }
    }

    /// Stops listening and suspends the store, as an app must before the system suspends it.
    public func suspend() async {
        await turns.take {
            guard !isSuspended else { return }
            isSuspended = true
            await server.stop(grace: .zero)
            await store.suspend()
        }
    }

    /// Resumes the store and, where URLs are kept, listens again, at the same port unless another process has it now.
    ///
    /// - Throws: `CacheError` where the store can't be resumed; ``ServerError`` with `addressUnavailable`.
    public func resume() async throws {
        try await turns.take {
            if isSuspended {
                try await store.resume()
                isSuspended = false
            }
            if keptURLs > 0, !isEnded { try await listen() }
        }
    }

    /// Stops listening for good. The store stays as it is.
    public func end() async {
        await turns.take {
            isEnded = true
            await server.stop(grace: .zero)
        }
        idle?.cancel()
        hub.finish()
    }

    private func listen() async throws {
        if isSuspended || isEnded {
            throw ServerError(
                .wrongState, isEnded ? "the server has ended" : "the server is suspended; resume it first")
        }
        guard !server.isListening else { return }
        // The system may have taken the socket of an app that it suspended.
        await server.stop(grace: .zero)
        do {
            try await server.start(at: port)
        } catch let error as ServerError where error.code == .portTaken && port != nil {
            try await server.start(at: 0)
        }
        if let old = port, let new = server.port, new != old { hub.send(new) }
        port = server.port
    }

    private func letGo() {
        keptURLs -= 1
        guard keptURLs == 0 else { return }
        // From the last one on.
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

    /// Stops listening unless it's used.
    private func isStillUsed() async -> Bool {
        await turns.take {
            if keptURLs == 0, await server.isIdle { await server.stop(grace: .zero) }
            return server.isListening && keptURLs == 0
        }
    }
}
