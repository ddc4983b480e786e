import Logging
public import MediaCache
public import MediaCacheAPI
public import MediaLibrary
import NIOCore
import NIOPosix
import Synchronization

/// The local HTTP server of a store: play URLs for players, an API for programs, and the page.
///
/// The server doesn't own the store, so stopping the server doesn't close it. ``CacheHost`` stops the server and then
/// closes the store.
public final class CacheServer: Sendable {
    /// The version of MediaCache.
    public static let version = "0.1.0"

    private enum State {
        case stopped
        case running([any NIOCore.Channel])
    }

    private let dependencies: ServerDependencies
    private let context: ServerContext
    /// The tasks that add covers and metadata to assets.
    private let descriptions = Mutex<[Task<Void, Never>]>([])
    private let state = Mutex(State.stopped)
    /// Serializes starts and stops.
    private let transitions = ConcurrencyLimit()
    private let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    private var configuration: ServerConfiguration { dependencies.configuration }
    private var addresses: ListenAddresses { dependencies.urls.addresses }
    private var downloads: Downloads? { dependencies.downloads }
    private var recordings: Recordings? { dependencies.recordings }

    /// Creates a server. ``start()`` makes it listen.
    ///
    /// - Parameters:
    ///   - keyFile: The file of the key; nil if neither the key nor tokens are stored.
    ///   - routes: Additional routes, which take precedence over the server's own.
    public init(
        store: CacheStore, key: AccessKey, keyFile: AccessKeyFile? = nil,
        configuration: ServerConfiguration = ServerConfiguration(), routes: [any Route] = []
    ) {
        let dependencies = ServerDependencies(store: store, key: key, keyFile: keyFile, configuration: configuration)
        self.dependencies = dependencies
        context = ServerContext(
            access: dependencies.access, hosts: HostPolicy(configuration), hasPublicReads: configuration.publicRead,
            router: Router(routes + dependencies.makeRoutes()), publicPath: configuration.publicPrefix,
            limits: configuration.limits, metrics: dependencies.metrics, logger: configuration.logger)
    }

    /// The addresses that the server listens on, such as `http://127.0.0.1:9479`, the preferred one first; empty while
    /// the server is stopped.
    public var boundAddresses: [String] { addresses.urls }

    /// The port that the server listens on; nil while the server is stopped.
    public var port: Int? { addresses.port }

    /// Returns the URLs at which other devices in the network reach the server, the preferred one first; none if the
    /// server listens only on loopback, or is stopped.
    public func networkURLs() async -> [String] { addresses.urls(in: await NetworkAddress.all()) }

    /// The token with which other devices list and play the library's items; nil unless
    /// ``ServerConfiguration/sharesLibrary`` is set.
    public var libraryToken: String? { dependencies.access.libraryToken }

    /// The current API key.
    public var key: AccessKey { dependencies.access.key }

    var paths: [String] { context.router.paths }

    /// Replaces the key and the standing playback token; the old ones are refused immediately, and event feeds end.
    ///
    /// - Returns: The new key.
    /// - Throws: `CacheError` with `storage` if the key file can't be written; the old key remains valid.
    public func rollKey() async throws -> AccessKey {
        let key = try await dependencies.access.roll()
        dependencies.feeds.endAll()
        return key
    }

    var playbackToken: String { dependencies.access.playbackToken }

    /// Returns the playback URL of a resource. The server remembers user information in `url`; the playback URL
    /// contains neither user name nor password.
    ///
    /// - Throws: ``ServerError`` with `wrongState` while the server is stopped.
    public func playURL(for url: ResourceURL) throws -> String {
        let identity = url.credentials.map { dependencies.profiles.remember($0, for: url) }
        return try dependencies.urls.playURL(for: url, options: PlayOptions(identity: identity))
    }

    func libraryURL(of id: AssetID) throws -> String { try dependencies.urls.libraryURL(of: id) }

    /// Starts the server. Returns when it listens. If the server is being stopped, it starts afterwards.
    ///
    /// - Throws: ``ServerError``; `CacheError` with `storage` if stored settings, downloads or recordings can't be
    ///   read, or with `invalidSetting` if a configured channel exists with another URL; `Problem` if a number in
    ///   ``ServerConfiguration/downloads`` or ``ServerConfiguration/cacheSettings`` is invalid.
    public func start() async throws { try await start(at: nil) }

    /// Starts the server at a port; nil for the configuration's.
    func start(at port: Int?) async throws {
        try await transitions.runUncancelled { try await startNow(at: port) }
    }

    private func startNow(at port: Int?) async throws {
        guard case .stopped = state.withLock({ $0 }) else {
            throw ServerError(.wrongState, "the server is already running")
        }
        let files = OpenFileLimit.raise()
        try await dependencies.access.load()
        try await BundleIngestion.removeAbandoned(in: dependencies.store)
        try await dependencies.cacheSettings.load()
        try await dependencies.downloadSettings?.load()
        let listener = Listener(server: context, registry: dependencies.registry, group: group)
        let channels = try await listener.bind(host: configuration.host, port: port ?? configuration.port)
        addresses.set(channels.compactMap(\.localAddress))
        state.withLock { $0 = .running(channels) }
        configuration.logger.info(
            "listening", metadata: ["addresses": "\(addresses.urls.joined(separator: ", "))", "open_files": "\(files)"])
        dependencies.feeds.start()
        if let generator = dependencies.coverGenerator {
            descriptions.withLock { $0.append(Task(priority: .utility) { await generator.run() }) }
        }
        do {
            try await downloads?.start(resuming: configuration.resumesDownloads)
            // Downloads must know their assets before records change.
            if dependencies.store.folderFailure == nil {
                let reader = dependencies.metadataReader
                descriptions.withLock { $0.append(Task(priority: .utility) { await reader.run() }) }
            }
            try await recordings?.start(resuming: configuration.resumesDownloads)
            for channel in configuration.channels { try await declare(channel) }
        } catch {
            await stopNow(grace: .zero)
            throw error
        }
    }

    /// Replaces the limits and conditions of downloads in ``ServerConfiguration/downloads``. They take precedence over
    /// the stored ones until they are changed through the API.
    ///
    /// - Parameter settings: The new settings; nil for the stored ones.
    /// - Throws: `Problem` if a number is invalid.
    public func overrideDownloadSettings(_ settings: DownloadSettingsUpdate?) async throws {
        try await dependencies.downloadSettings?.override(with: settings)
    }

    /// Replaces the limits of the cache and of transfers in ``ServerConfiguration/cacheSettings``, and applies them
    /// together with the stored ones. Content beyond lower limits is evicted before the call returns.
    ///
    /// - Parameters:
    ///   - settings: The new settings; nil for the stored ones.
    ///   - configuration: The configuration that provides the values of all other settings.
    /// - Throws: `Problem` if a number is invalid; `CacheError` with `storage` if content can't be evicted, in which
    ///   case the settings are applied nevertheless.
    public func overrideCacheSettings(
        _ settings: CacheSettingsUpdate?, of configuration: CacheConfiguration
    ) async throws {
        try await dependencies.cacheSettings.override(with: settings, of: configuration)
    }

    /// Applies a configuration's channels, as ``start()`` does with ``ServerConfiguration/channels``: new channels are
    /// recorded. Existing ones get the declared settings except the selection, and their recordings resume. Ended
    /// recordings remain unchanged.
    ///
    /// - Returns: The errors of channels that couldn't be applied, by name.
    public func declare(_ channels: [ChannelRequest]) async -> [ChannelName: CacheError] {
        var failures: [ChannelName: CacheError] = [:]
        for channel in channels {
            do {
                try await declare(channel)
            } catch let error as CacheError {
                failures[channel.name] = error
            } catch {
                failures[channel.name] = CacheError(.storage, "\(error)")
            }
        }
        return failures
    }

    private func declare(_ channel: ChannelRequest) async throws {
        guard let recordings else { return }
        if let recording = recordings.recording(channel.name), await recording.channel.hasEnded {
            configuration.logger.warning(
                "a declared channel isn't recorded, because its recording has ended; rename it, or delete it first",
                metadata: ["channel": "\(channel.name)"])
            return
        }
        var channel = channel
        if let selection = await recordings.recording(channel.name)?.channel.selection, selection != channel.selection {
            configuration.logger.warning(
                "a declared channel is already recorded with another selection of tracks; remove it first",
                metadata: ["channel": "\(channel.name)"])
            channel.selection = selection
        }
        if let credentials = channel.url.credentials {
            channel.identity = channel.identity ?? dependencies.profiles.remember(credentials, for: channel.url)
        }
        try await recordings.add(channel)
    }

    var isListening: Bool {
        state.withLock { state in
            guard case .running(let channels) = state else { return false }
            return channels.allSatisfy(\.isActive)
        }
    }

    /// Whether the server has no connections, running downloads or recordings.
    var isIdle: Bool {
        get async {
            guard dependencies.registry.count == 0, await !isDownloading else { return false }
            return await recordings?.isRecording != true
        }
    }

    /// Whether a download is running.
    public var isDownloading: Bool { get async { await downloads?.isBusy ?? false } }

    /// Waits until no download is running. Downloads that are blocked by an obstacle don't count.
    public func downloadsEnded() async { await downloads?.idle() }

    /// Stops the server, its downloads and its recordings. It accepts no new connections, and closes the connections of
    /// responses that are still running after `grace`. Returns when all connections are closed. Does nothing if the
    /// server isn't running. If the server is being started or stopped, waits for that first. Cancellation has no
    /// effect.
    public func stop(grace: Duration = .seconds(10)) async {
        await transitions.runUncancelled { await stopNow(grace: grace) }
    }

    private func stopNow(grace: Duration) async {
        let channels: [any NIOCore.Channel] = state.withLock { state in
            guard case .running(let channels) = state else { return [] }
            state = .stopped
            return channels
        }
        guard !channels.isEmpty else { return }
        for channel in channels { try? await channel.close() }
        let tasks = descriptions.withLock { exchange(&$0, with: []) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await dependencies.preloads.stop()
        await recordings?.stop()
        await downloads?.stop()
        dependencies.feeds.stop()
        await dependencies.registry.drain(within: grace, on: group.any())
        // Requests that ended in the meantime may have added preloads.
        await dependencies.preloads.stop()
        do {
            try await dependencies.access.save()
        } catch {
            configuration.logger.warning(
                "the times of the tokens' last uses can't be saved", metadata: ["error": "\(error)"])
        }
        addresses.set([])
    }
}
