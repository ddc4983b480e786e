import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of settings that survive a restart.
struct StoredSettingsTests {
    private let origin = ScriptedOrigin()
    private let folder = TestFolder()

    private var location: CacheLocation { CacheLocation(folder: folder.path) }

    /// Runs `body` with a host whose configuration limits the cache to 10,000 bytes.
    private func use(
        given: CacheSettingsUpdate? = nil, _ body: (CacheHost, APIClient) async throws -> Void
    ) async throws {
        var cache = CacheConfiguration(location: location)
        cache.limits = CacheLimits(maximumBytes: 10_000, maximumAge: .seconds(3600), minimumFreeBytes: 0)
        let server = ServerConfiguration(port: 0, cacheSettings: given, logger: .silent)
        let host = try await CacheHost.open(cache, server: server, origin: origin)
        do {
            try await body(host, try host.client())
        } catch {
            await host.close(grace: .zero)
            throw error
        }
        await host.close(grace: .zero)
    }

    private static let change = CacheSettingsUpdate(
        limits: .init(maximumBytes: 1_000_000, maximumAge: 0), transfers: .init(retries: 1, readAhead: 65_536),
        bandwidth: .init(total: 5_000_000, preload: 600_000))

    @Test func changesSurviveRestart() async throws {
        let url = try ResourceURL("http://origin.example/film.mp4")
        origin[url] = ScriptedResource(.bytes([UInt8](repeating: 7, count: 100_000)), contentType: "video/mp4")
        try await use { host, client in
            try await client.updateCacheSettings(Self.change)
            try await client.updateCacheSettings(CacheSettingsUpdate(transfers: .init(retries: 2)))
            #expect(try await host.play(url).status == 200)
        }
        try await use { host, client in
            let settings = try await client.cacheSettings()
            #expect(settings.limits.maximumBytes == 1_000_000 && settings.limits.maximumAge == nil)
            #expect(settings.transfers.retries == 2 && settings.transfers.readAhead == 65_536)
            #expect(settings.transfers.stallTimeout == TransferLimits().stall.seconds)
            #expect(settings.bandwidth == .init(total: 5_000_000, preload: 600_000))
            // The opening doesn't apply the lower limit of the configuration first.
            #expect(try await client.resource(for: url)?.complete == true)
        }
        let stored = try StoredSettings(at: location)
            .settings(of: CacheConfiguration(location: location), server: ServerConfiguration())
        #expect(stored.cache.limits.maximumBytes == 1_000_000 && stored.downloads == DownloadSettings())
    }

    @Test func settingsOfProcessTakePrecedenceUntilChanged() async throws {
        try await use { _, client in try await client.updateCacheSettings(Self.change) }
        let given = CacheSettingsUpdate(limits: .init(maximumBytes: 77_000), bandwidth: .init(total: 0))
        try await use(given: given) { _, client in
            var settings = try await client.cacheSettings()
            #expect(settings.limits.maximumBytes == 77_000 && settings.transfers.retries == 1)
            #expect(settings.bandwidth == .init(preload: 600_000))
            settings = try await client.updateCacheSettings(CacheSettingsUpdate(limits: .init(maximumBytes: 88_000)))
            #expect(settings.limits.maximumBytes == 88_000)
        }
        try await use { _, client in
            let settings = try await client.cacheSettings()
            #expect(settings.limits.maximumBytes == 88_000 && settings.bandwidth.total == 5_000_000)
        }
    }

    /// A reload of the configuration, such as by SIGHUP, preserves stored changes.
    @Test func reloadPreservesStoredSettings() async throws {
        try await use { host, client in
            try await client.updateCacheSettings(Self.change)
            var configuration = CacheConfiguration(location: location)
            configuration.limits = CacheLimits(maximumBytes: 20_000, maximumAge: nil, minimumFreeBytes: 5)
            let given = CacheSettingsUpdate(transfers: .init(retries: 9))
            try await host.server.overrideCacheSettings(given, of: configuration)
            let settings = try await client.cacheSettings()
            #expect(settings.limits.maximumBytes == 1_000_000 && settings.limits.minimumFreeBytes == 5)
            #expect(settings.transfers.retries == 9 && settings.transfers.readAhead == 65_536)
        }
    }

    @Test func invalidFileIsIgnored() async throws {
        try await use { host, _ in
            let settings = host.store.sideFolder("settings")
            try await settings.write(Array(#"{"transfers": {"retries": 1000000}}"#.utf8), to: "cache.json")
        }
        try await use { _, client in
            let settings = try await client.cacheSettings()
            #expect(settings.transfers.retries == RetryPolicy().budget)
        }
    }

    @Test func rejectsInvalidNumberWithoutStoringIt() async throws {
        try await use { _, client in
            let problem = await #expect(throws: Problem.self) {
                try await client.updateCacheSettings(
                    CacheSettingsUpdate(limits: .init(maximumBytes: 50_000), transfers: .init(retries: 101)))
            }
            #expect(problem?.status == 400)
            let settings = try await client.cacheSettings()
            #expect(settings.limits.maximumBytes == 10_000)
        }
        try await use { _, client in
            let settings = try await client.cacheSettings()
            #expect(settings.limits.maximumBytes == 10_000)
        }
    }
}
