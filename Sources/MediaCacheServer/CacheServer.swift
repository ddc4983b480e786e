import HTTPTypes
import Logging
public import MediaCache
public import MediaCacheAPI
import MediaLibrary
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The local HTTP server in front of a store: players ask it for play URLs, programs for its API.
///
/// It ends without closing the store: running responses still read from it. ``CacheHost`` does both in order.
public final class CacheServer: Service, Sendable {
    /// The software's version.
    public static let version = "0.1.0"

    private enum State {
        case stopped
        case starting
        case running([any NIOCore.Channel])
    }

    private let store: CacheStore
    private let configuration: ServerConfiguration
    private let context: ServerContext
    private let registry: ConnectionRegistry
    /// Nil where the folder can't be written, and where the configuration says no.
    private let downloads: Downloads?
    private let recordings: Recordings?
    private let downloadSettings: DownloadSettingsKeeper?
    private let feeds: EventFeeds
    /// Nil where the configuration says no.
    private let covers: CoverKeeper?
    private let keepingCovers = Mutex<Task<Void, Never>?>(nil)
    private let state = Mutex(State.stopped)
    private let addresses: AddressBook
    private let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    /// Creates a server; ``start()`` or ``run()`` makes it listen.
    ///
    /// - Parameters:
    ///   - store: what is served.
    ///   - configuration: how the server listens, and to whom.
    ///   - key: the secret for the API.
    ///   - keyFile: the file of the key; nil if neither the key nor the tokens are stored.
    ///   - routes: further routes, looked at before the server's own.
    public init(
        store: CacheStore,
        key: AccessKey,
        keyFile: AccessKeyFile? = nil,
        configuration: ServerConfiguration = ServerConfiguration(),
        routes: [any Route] = []
    ) {
        let registry = ConnectionRegistry(
            maximum: configuration.limits.maximumConnections,
            maximumPerAddress: configuration.limits.maximumConnectionsPerAddress)
        let metrics = ServerMetrics()
        // Clients on other machines must not reach the private network through the server.
        let transfers = configuration.isExposed ? store.transfers.narrowed(to: .publicOnly) : store.transfers
        let profiles = HeaderProfileBook(base: transfers, storeScope: store.transfers.scope)
        let access = AccessControl(
            key: key, file: keyFile, tokenFile: keyFile.map { _ in TokenFile(of: store) }, now: { store.now })
        let addresses = AddressBook(publicPath: configuration.publicPath)
        let shelf = AssetShelf(of: store)
        let contents = ContentsBook(shelf: shelf)
        let loader = PlaylistLoader(store: store)
        let settings: Downloads.SettingsSource = { url, identity, headers in
            try profiles.settings(for: url, as: identity, fields: HTTPFields(named: headers)) ?? transfers
        }
        let runsDownloads = configuration.runsDownloads && store.folderFailure == nil
        let downloads =
            runsDownloads
            ? Downloads(
                store: store, shelf: shelf, loader: loader, conditions: SystemConditions(), settings: settings) : nil
        let recordings =
            runsDownloads
            ? Recordings(
                store: store, shelf: shelf, loader: loader, settings: settings, encoder: configuration.encoder) : nil
        let downloadSettings = downloads.map {
            DownloadSettingsKeeper(store: store, downloads: $0, overriding: configuration.downloads)
        }
        let feeds = EventFeeds(store: store, shelf: shelf, downloads: downloads, recordings: recordings)
        let movies = MovieBook(store: store, profiles: profiles, contents: contents)
        let frames = FrameQueue(configuration.frames)
        let assetFrames = AssetFrames(queue: frames, movies: movies) { asset, isMovie in
            // Not by way of a proxy. Other users see a decoder's arguments: no token, where none is needed.
            if isMovie {
                return try Self.libraryURL(of: asset.id, addresses.all.first, access, configuration)
                    + "media.mp4?gaps=1"
            }
            let options = PlayOptions(isKeptOnly: true, identity: asset.identity)
            return try Self.playURL(for: try ResourceURL(asset.url), options, addresses.all.first, access)
        }
        let own: [any Route] = [
            HealthRoute(),
            MetricsRoute(
                store: store, metrics: metrics, registry: registry, downloads: downloads, recordings: recordings),
            ResourcesRoute(store: store, shelf: shelf, downloads: downloads),
            AssetsRoute(
                store: store, shelf: shelf, downloads: downloads, recordings: recordings,
                libraryURL: { try Self.libraryURL(of: $0, addresses.base, access, configuration) },
                revokeTokens: { try await access.revokeAll(of: $0) }),
            LibraryRoute(
                shelf: shelf, movies: movies, frames: assetFrames, store: store,
                reading: LibraryReading(profiles: profiles, base: transfers, downloads: downloads)),
            BundlesRoute(
                store: store, shelf: shelf, downloads: downloads, recordings: recordings, book: contents,
                libraryURL: { try Self.libraryURL(of: $0, addresses.base, access, configuration) },
                liveURL: { try Self.liveURL(of: $0, addresses.base, access, configuration) }),
            DownloadsRoute(store: store, downloads: downloads, profiles: profiles),
            DownloadSettingsRoute(store: store, keeper: downloadSettings),
            ChannelsRoute(
                store: store, recordings: recordings, profiles: profiles,
                base: { try Self.liveURL(of: $0, addresses.base, access, configuration) }),
            EventsRoute(feeds: feeds),
            StoreRoute(store: store, shelf: shelf, profiles: profiles),
            StorageRoute(store: store, shelf: shelf, downloads: downloads, recordings: recordings),
            PlayedRoute(store: store, shelf: shelf),
            ProbeRoute(store: store, shelf: shelf, loader: loader, profiles: profiles),
            PageRoute(),
            ServerRoute(
                cacheFolder: configuration.cacheFolder,
                profiles: profiles,
                addresses: { addresses.all },
                playURL: { url in
                    let owner = try await profiles.identity(for: url, in: store)
                    return try Self.playURL(for: url, PlayOptions(identity: owner), addresses.base, access)
                }
            ),
            TokensRoute(
                store: store, shelf: shelf, control: access, feeds: feeds, base: { addresses.base },
                identity: { try await profiles.identity(for: $0, in: store) }),
        ]
        let live = recordings.map { recordings in
            LiveRoute(
                recordings: recordings, store: store, settings: store.transfers.askingNoOrigins, movies: movies,
                frames: frames,
                base: { try Self.liveURL(of: $0, addresses.all.first, access, configuration) })
        }
        self.store = store
        self.configuration = configuration
        self.registry = registry
        self.downloads = downloads
        self.recordings = recordings
        self.downloadSettings = downloadSettings
        self.feeds = feeds
        covers = downloads.flatMap { downloads in
            guard configuration.keepsCovers else { return nil }
            return CoverKeeper(
                downloads: downloads, shelf: shelf, frames: assetFrames, logger: configuration.logger)
        }
        self.addresses = addresses
        let streams = StreamSource(
            store: store, profiles: profiles, loader: loader, publicPath: configuration.publicPath,
            segmentsAhead: configuration.segmentsAhead, signature: access.signature)
        context = ServerContext(
            source: FastStartSource(store: store, base: streams, isAlwaysOn: configuration.fastStart),
            access: access,
            hosts: HostPolicy(configuration),
            isReadByAll: configuration.publicRead,
            profiles: profiles,
            router: Router(routes + own + (live.map { [$0] } ?? [])),
            limits: configuration.limits,
            metrics: metrics,
            logger: configuration.logger
        )
    }

    /// Where the server answers, as `http://127.0.0.1:9479`; the first is the one to tell. Empty while it's stopped.
    public var boundAddresses: [String] { addresses.all }

    /// The port it listens at, or nil while it's stopped.
    public var port: Int? { addresses.port }

    /// The current key.
    public var key: AccessKey { context.access.key }

    /// The paths of its routes; those with a slash at the end stand for all that begin with them.
    var paths: [String] { context.router.paths }

    /// Replaces the key, and with it the standing playback token: the old ones are refused from now on.
    ///
    /// - Throws: `CacheError` with `storage` if the key's file can't be written; the old key holds then.
    public func rollKey() async throws -> AccessKey {
        defer { feeds.endAll() }
        return try await context.access.roll()
    }

    /// The standing playback token, which the URLs of the API and of ``playURL(for:)`` hold.
    var playbackToken: String { context.access.playbackToken }

    /// The URL to give to a player for `url`. User information in it becomes a header profile of what is played by that
    /// URL, which names neither user nor password.
    ///
    /// - Throws: ``ServerError`` with `wrongState` while the server is stopped.
    public func playURL(for url: ResourceURL) throws -> String {
        let identity = url.credentials.map { context.profiles.remember($0, for: url) }
        return try Self.playURL(for: url, PlayOptions(identity: identity), addresses.base, context.access)
    }

    /// What the paths of an asset of the library stand behind.
    ///
    /// - Throws: ``ServerError`` with `wrongState` while the server is stopped.
    func libraryURL(of id: AssetID) throws -> String {
        try Self.libraryURL(of: id, addresses.base, context.access, configuration)
    }

    /// Listens. Returns when it can be asked.
    ///
    /// - Throws: ``ServerError``: `portTaken`, naming the port, or `addressUnavailable`; `CacheError` with `storage` if
    ///   what downloads go by can't be read.
    public func start() async throws { try await start(at: nil) }

    /// The same at another port than the configuration's.
    func start(at port: Int?) async throws {
        try state.withLock { state in
            guard case .stopped = state else { throw ServerError(.wrongState, "the server runs already") }
            state = .starting
        }
        let files = OpenFileLimit.raise()
        do {
            try await context.access.load()
            try await BundleIngestion.removeAbandoned(in: store)
            try await downloadSettings?.load()
            let listener = Listener(server: context, registry: registry, group: group)
            let channels = try await listener.bind(host: configuration.host, port: port ?? configuration.port)
            addresses.set(channels.compactMap(\.localAddress))
            state.withLock { $0 = .running(channels) }
            configuration.logger.info(
                "listening",
                metadata: ["addresses": "\(addresses.all.joined(separator: ", "))", "open_files": "\(files)"]
            )
        } catch {
            state.withLock { $0 = .stopped }
            throw error
        }
        feeds.start()
        if let covers { keepingCovers.withLock { $0 = Task(priority: .utility) { await covers.run() } } }
        do {
            try await downloads?.start(goingOn: configuration.goesOnWithDownloads)
            try await recordings?.start(goingOn: configuration.goesOnWithDownloads)
            for channel in configuration.channels { try await declare(channel) }
        } catch {
            await stop(grace: .zero)
            throw error
        }
    }

    /// Records a channel that the configuration declares. One whose recording was ended on purpose stays so.
    func declare(_ channel: ChannelRequest) async throws {
        guard let recordings else { return }
        if let known = recordings.recording(channel.name), await known.channel.hasEnded {
            configuration.logger.warning(
                "the recording of a declared channel has ended; it isn't recorded",
                metadata: ["channel": "\(channel.name)"])
            return
        }
        var channel = channel
        if let selection = await recordings.recording(channel.name)?.channel.selection, selection != channel.selection {
            configuration.logger.warning(
                "a declared channel is recorded with another selection of variants and languages; delete it first",
                metadata: ["channel": "\(channel.name)"])
            channel.selection = selection
        }
        if let credentials = channel.url.credentials {
            channel.identity = channel.identity ?? context.profiles.remember(credentials, for: channel.url)
        }
        try await recordings.add(channel)
    }

    /// Whether its sockets still take connections.
    var isListening: Bool {
        state.withLock { state in
            guard case .running(let channels) = state else { return false }
            return channels.allSatisfy(\.isActive)
        }
    }

    /// Whether nobody is connected, and it does nothing by itself.
    var isIdle: Bool {
        get async {
            guard registry.count == 0, await !isDownloading else { return false }
            return await recordings?.isRecording != true
        }
    }

    /// Whether it downloads something at this moment.
    public var isDownloading: Bool { get async { await downloads?.isBusy ?? false } }

    /// Returns when it downloads nothing any more. What waits for something isn't waited for.
    public func downloadsEnded() async { await downloads?.idle() }

    /// Stops: no new connection is taken, running responses go on for at most `grace`, then their connections are
    /// closed. Returns when all of that is done; it can't be cancelled.
    public func stop(grace: Duration = .seconds(10)) async {
        let channels: [any NIOCore.Channel] = state.withLock { state in
            guard case .running(let channels) = state else { return [] }
            state = .stopped
            return channels
        }
        guard !channels.isEmpty else { return }
        for channel in channels { try? await channel.close() }
        let keeping = keepingCovers.withLock { $0.take() }
        keeping?.cancel()
        await keeping?.value
        await recordings?.stop()
        await downloads?.stop()
        feeds.stop()
        await registry.drain(within: grace, on: group.any())
        do {
            try await context.access.save()
        } catch {
            configuration.logger.warning(
                "can't write when tokens were last used", metadata: ["error": "\(error)"])
        }
        addresses.set([])
    }

    /// Listens until the service group shuts down or the task is cancelled.
    public func run() async throws {
        try await start()
        do {
            try await gracefulShutdown()
        } catch is CancellationError {
            await stop(grace: .zero)
            return
        }
        await stop(grace: configuration.grace)
    }

    private static func playURL(
        for url: ResourceURL,
        _ options: PlayOptions,
        _ base: String?,
        _ access: AccessControl
    ) throws -> String {
        guard let base else {
            throw ServerError(.wrongState, "the server isn't running, so it has no play URLs")
        }
        return base + PlayTarget.path(for: url, token: access.playbackToken, options: options)
    }

    /// Returns the prefix of an asset's paths. It holds the standing playback token if the server is exposed.
    private static func libraryURL(
        of id: AssetID,
        _ base: String?,
        _ access: AccessControl,
        _ configuration: ServerConfiguration
    ) throws -> String {
        try readersURL(base, access, configuration) + "\(LibraryRoute.prefix)\(id)/"
    }

    /// What the paths of a channel stand behind, likewise.
    private static func liveURL(
        of name: ChannelName,
        _ base: String?,
        _ access: AccessControl,
        _ configuration: ServerConfiguration
    ) throws -> String {
        try readersURL(base, access, configuration) + "\(LiveRoute.prefix)\(name)/"
    }

    private static func readersURL(
        _ base: String?, _ access: AccessControl, _ configuration: ServerConfiguration
    ) throws -> String {
        guard let base else {
            throw ServerError(.wrongState, "the server isn't running, so it has no URLs of what is kept")
        }
        let isOpen = configuration.publicRead || !configuration.isExposed
        return base + (isOpen ? "" : "\(ReaderPath.prefix)\(access.playbackToken)")
    }
}
