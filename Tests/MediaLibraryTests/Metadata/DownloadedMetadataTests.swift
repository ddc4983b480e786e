import MediaCache
import MediaCacheTesting
import MediaContainers
import Testing

@testable import MediaLibrary

/// Tests of the metadata of downloads and imports.
@Suite(.timeLimit(.minutes(60)))
struct DownloadedMetadataTests {
    private let fixture = DownloadFixture()
    private let song = SampleSong.mp3(["TIT2": "Song", "TPE1": "Anna"])

    @Test func replacesTitleOfURLButNotOfUser() async throws {
        fixture.serve(song, at: "01.mp3", type: "audio/mpeg")
        fixture.serve(song, at: "02.mp3", type: "audio/mpeg")
        try await fixture.use { downloads in
            let derived = try await downloads.add(DownloadRequest(url: fixture.url("01.mp3")))
            #expect(derived.title == "01")
            let chosen = try await downloads.add(DownloadRequest(url: fixture.url("02.mp3"), title: "Mine"))
            for asset in [derived, chosen] { _ = try await fixture.end(asset.id, of: downloads) }
            let found = try #require(await downloads.status(of: derived.id)?.asset)
            #expect(found.title == "Song" && found.metadata?.artist == "Anna")
            #expect(abs(try #require(found.duration) - 10 * SampleSong.frameDuration) < 0.001)
            #expect(await downloads.status(of: chosen.id)?.asset.title == "Mine")
            #expect(await downloads.status(of: chosen.id)?.asset.metadata?.title == "Song")

            // A user's title remains when the download is completed again.
            try await downloads.setTitle("01", of: derived.id)
            _ = try await downloads.add(DownloadRequest(url: fixture.url("01.mp3")))
            _ = try await fixture.end(derived.id, of: downloads)
            #expect(await downloads.status(of: derived.id)?.asset.title == "01")
            let stored = try await downloads.assetStore.requireAsset(derived.id)
            #expect(stored.title == "01" && stored.titleSource == .user && stored.metadata?.artist == "Anna")
        }
    }

    @Test func readsPlaylistOfStream() async throws {
        fixture.serveStream(segments: 2, in: fixture.url("media/index.m3u8"))
        fixture.library.serve(
            """
            #EXTM3U
            #EXT-X-SESSION-DATA:DATA-ID="com.apple.hls.title",VALUE="A film"
            #EXT-X-STREAM-INF:BANDWIDTH=1000
            media/index.m3u8

            """, at: fixture.entry)
        var id: AssetID?
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            id = asset.id
            _ = try await fixture.end(asset.id, of: downloads)
            #expect(await downloads.status(of: asset.id)?.asset.title == "A film")
            #expect(try await downloads.assetStore.contents(of: asset.id)?.metadata?.title == "A film")
        }
        let known = try #require(id)
        try await fixture.use { downloads in
            #expect(await downloads.status(of: known)?.asset.title == "A film")
        }
    }

    @Test(arguments: [nil, "Mine"]) func importReadsMetadata(title: String?) async throws {
        let store = try await fixture.library.open()
        let ingestion = BundleIngestion(store: store, assetStore: AssetStore(of: store))
        let url = "http://one.bundle.invalid/01.mp3"
        let part = AssetPart(role: .file, name: "01.mp3", url: url)
        let asset = try await ingestion.begin(
            title: title, defaultTitle: "01", url: url, contents: AssetContents(parts: [part])
        ).asset
        #expect(asset.title == title ?? "01")
        try await ingestion.store(song, at: 0, of: Int64(song.count), as: part)
        let found = try await ingestion.finish(asset.id, gaps: false)
        #expect(found.title == title ?? "Song" && found.metadata?.artist == "Anna" && found.duration != nil)
        await store.close()
    }
}
