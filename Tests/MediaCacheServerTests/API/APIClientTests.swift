import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of the API's Swift client against a server.
struct APIClientTests {
    private let origin = ScriptedOrigin()
    private let film: ResourceURL

    init() throws {
        film = try ResourceURL("http://origin.example/film.mp4")
        origin[film] = ScriptedResource(.random(seed: 1, length: 10_000))
    }

    @Test func changesTitlesAndSettings() async throws {
        try await CacheHost.use(origin: origin) { host in
            let client = try host.client()
            let id = try await host.download(#"{"url":"\#(film)"}"#).id
            #expect(try await client.updateAsset(id, AssetUpdate(title: "A film")).title == "A film")
            #expect(try await client.assets().map(\.title) == ["A film"])

            let before = try await client.cacheSettings()
            let limits = CacheSettingsUpdate.Limits(maximumBytes: 1_000_000)
            let settings = try await client.updateCacheSettings(CacheSettingsUpdate(limits: limits))
            #expect(settings.limits.maximumBytes == 1_000_000 && settings.transfers == before.transfers)
            #expect(try await client.cacheSettings() == settings)

            let change = DownloadSettingsUpdate(limits: .init(assets: 7), bandwidth: 50_000)
            let downloads = try await client.updateDownloadSettings(change)
            #expect(downloads.limits.assets == 7 && downloads.bandwidth == 50_000)
            #expect(try await client.downloadSettings() == downloads)
        }
    }

    /// An app whose server runs no downloads learns how to enable them.
    @Test func reportsDisabledDownloads() async throws {
        try await CacheHost.use(origin: origin, { $0.runsDownloads = false }) { host in
            let client = try host.client()
            #expect(try await host.play(film).status == 200)
            let asset = try #require(try await client.addAsset(for: film))
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await client.downloads() }, { _ = try await client.downloadSettings() },
                { _ = try await client.channels() }, { try await client.removeAsset(asset.id) },
            ]
            for call in calls {
                let problem = await #expect(throws: Problem.self) { try await call() }
                #expect(problem?.status == 501 && problem?.title == "Downloads are disabled")
                #expect(problem?.code == Problem.downloadsDisabledCode)
                #expect(problem?.detail.contains("start it with `runsDownloads`") == true)
            }
        }
    }
}
