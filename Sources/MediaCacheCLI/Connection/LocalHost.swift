import CMediaCacheShims
import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaCacheServer
import MediaLibrary

/// The owner of a cache folder in this process: the store, the HTTP client for origins, and the server.
struct LocalHost: Sendable {
    private let host: CacheHost
    private let origin: CurlOrigin

    static func start(_ settings: HostSettings, routes: [any Route] = []) async throws -> LocalHost {
        mc_keep_heap_small()
        let origin = try CurlOrigin(settings: settings.originSettings)
        do {
            let host = try await CacheHost.open(
                settings.storeConfiguration, server: settings.serverConfiguration, origin: origin, routes: routes)
            return LocalHost(host: host, origin: origin)
        } catch {
            await origin.shutdown()
            throw error
        }
    }

    /// The address for this machine: `http://127.0.0.1:9479`.
    var address: String { host.server.boundAddresses.first ?? "" }

    var port: Int { host.server.port ?? 0 }

    var key: AccessKey { host.key }

    /// The address that other devices open, with the token for the library in its fragment, which browsers don't send;
    /// nil if the server can't be reached from other devices.
    func networkPage() async -> NetworkPage? {
        guard let token = host.server.libraryToken else { return nil }
        return NetworkPage(urls: await host.server.networkURLs(), token: token)
    }

    /// Prints a note if the folder can't be written. Playback then works without caching.
    func noteFolder() {
        guard let failure = host.store.folderFailure else { return }
        StandardStreams.printError("mediacache: note: new data isn't cached: \(failure.message)")
    }

    /// Removes the cached data of a URL, including pinned data.
    func removeResources(at url: String) async throws {
        for resource in try await host.store.resources() where resource.url == url {
            _ = try await host.store.remove(id: resource.id)
        }
    }

    func declare(_ channels: [ChannelRequest]) async -> [ChannelName: CacheError] {
        await host.server.declare(channels)
    }

    /// Applies the settings that can change while the store is open.
    ///
    /// - Throws: `CacheError` if content beyond the new limits can't be evicted. The settings are applied nevertheless.
    ///   `Problem` if a limit of downloads is invalid.
    func apply(_ settings: HostSettings) async throws {
        try await host.server.overrideDownloadSettings(settings.downloads)
        try await host.server.overrideCacheSettings(settings.cacheSettings, of: settings.storeConfiguration)
    }

    /// Waits for the downloads of other commands, which stopping this process would interrupt.
    func waitForOtherDownloads() async {
        guard await host.server.isDownloading else { return }
        StandardStreams.printError("mediacache: note: waiting for other commands that use this process")
        await host.server.downloadsEnded()
    }

    /// Stops the server. Running responses may finish within the grace period. Then all data is committed, and the
    /// folder is released.
    func stop() async {
        await host.close()
        await origin.shutdown()
    }
}
