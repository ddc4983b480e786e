import CMediaCacheShims
import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

/// The owner of a cache folder in this process: the store, the way to origins, and the server in front.
struct LocalHost: Sendable {
    private let host: CacheHost
    private let origin: AsyncHTTPClientOrigin

    /// Opens the folder and serves it.
    ///
    /// - Throws: what the engine throws, `folderOwned` among it; `ServerError` if the port can't be had;
    ///   ``CommandFailure`` if a setting makes no sense.
    static func start(_ settings: HostSettings, routes: [any Route] = []) async throws -> LocalHost {
        mc_keep_heap_small()
        let origin = try AsyncHTTPClientOrigin(settings: settings.originSettings)
        do {
            let host = try await CacheHost.open(
                settings.storeConfiguration, server: settings.serverConfiguration, origin: origin, routes: routes)
            return LocalHost(host: host, origin: origin)
        } catch {
            await origin.shutdown()
            throw error
        }
    }

    /// Where it answers this machine: `http://127.0.0.1:9479`.
    var address: String { host.server.boundAddresses.first ?? "" }

    /// The port it listens at.
    var port: Int { host.server.port ?? 0 }

    /// The cache's key.
    var key: AccessKey { host.key }

    /// Says why nothing will be kept, if nothing will: players get everything all the same.
    func noteFolder() {
        guard let failure = host.store.folderFailure else { return }
        StandardStreams.printError("mediacache: note: nothing new is kept: \(failure.message)")
    }

    /// Removes all that is kept.
    func removeAll() async throws {
        _ = try await host.store.removeAll(includingPinned: true)
    }

    /// Records channels that the configuration declares now.
    ///
    /// - Returns: why some couldn't be taken, by name.
    func declare(_ channels: [ChannelRequest]) async -> [ChannelName: CacheError] {
        await host.server.declare(channels)
    }

    /// Waits for what other processes have it keep: they would lose it with this one.
    func waitForOthers() async {
        guard await host.server.isDownloading else { return }
        StandardStreams.printError("mediacache: note: other commands use this one; it ends when they are done")
        await host.server.downloadsEnded()
    }

    /// Ends it: running responses may go on for the settings' grace, then all is committed and the folder given up.
    func stop() async {
        await host.close()
        await origin.shutdown()
    }
}
