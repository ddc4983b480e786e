import Foundation
import MediaCache
import MediaCacheTesting
import MediaContainers
import Testing

@testable import MediaLibrary

struct MetadataReaderTests {
    private let fixture = LibraryFixture()
    private let song = SampleSong.mp3(["TIT2": "Song", "TPE1": "Anna"])

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/\(name)") }

    private func serve(_ bytes: [UInt8], at name: String) throws -> ResourceURL {
        let url = try url(name)
        fixture.origin[url] = ScriptedResource(.bytes(bytes), entityTag: "\"1\"", contentType: "audio/mpeg")
        return url
    }

    @Test func readsCachedBytesOnly() async throws {
        // Longer than the data that is requested ahead of a reader.
        let frames = 8000
        let url = try serve(SampleSong.mp3(["TIT2": "Song", "TPE1": "Anna"], frames: frames), at: "a/01.mp3")
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let reader = MetadataReader(store: store, assetStore: assetStore)
        _ = try await store.read(ReadRequest(url: url, range: .closed(0, through: 999))).collect()
        let asset = try await assetStore.add(try #require(try await store.resource(for: url)))
        let requests = fixture.origin.requests.count
        try await reader.read(asset)
        #expect(try await assetStore.requireAsset(asset.id).metadata == nil)
        #expect(fixture.origin.requests.count == requests)

        let info = try await store.complete(ReadRequest(url: url))
        let complete = fixture.origin.requests.count
        try await reader.read(asset)
        let found = try await assetStore.requireAsset(asset.id)
        #expect(found.metadata?.artist == "Anna" && found.title == "Song" && found.titleSource == .metadata)
        #expect(abs(try #require(found.duration) - Double(frames) * SampleSong.frameDuration) < 0.001)
        #expect(fixture.origin.requests.count == complete)
        // Reading isn't a use, which would delay eviction.
        #expect(try await store.resource(for: url)?.hits == info.hits)
        await store.close()
    }

    @Test func keepsTitleOfUser() async throws {
        let url = try serve(song, at: "01.mp3")
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let asset = try await assetStore.add(try await store.complete(ReadRequest(url: url)))
        let reader = MetadataReader(store: store, assetStore: assetStore)
        // The user chooses the title that would be derived from the URL.
        try await assetStore.setTitle("01", of: asset.id)
        try await reader.read(asset)
        let found = try await assetStore.requireAsset(asset.id)
        #expect(found.title == "01" && found.metadata?.title == "Song" && found.metadata?.artist == "Anna")
        await store.close()
    }

    /// A record of an earlier version has no source of its title. The title is replaced if it's the one that such a
    /// version derives from the URL.
    @Test(arguments: ["01", "My song"]) func readsRecordOfEarlierVersion(title: String) async throws {
        let url = try serve(song, at: "01.mp3")
        let store = try await fixture.open()
        let asset = try await AssetStore(of: store).add(try await store.complete(ReadRequest(url: url)))
        await store.close()
        let file = URL(filePath: "\(fixture.folder)/assets/\(asset.id).json")
        let record = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        var old = try #require(record)
        #expect(old["metadata"] == nil && old["titleSource"] == nil)
        old["title"] = title
        try JSONSerialization.data(withJSONObject: old).write(to: file)

        let again = try await fixture.open()
        let assetStore = AssetStore(of: again)
        try await MetadataReader(store: again, assetStore: assetStore).read(
            try await assetStore.requireAsset(asset.id))
        let found = try await assetStore.requireAsset(asset.id)
        #expect(found.title == (title == "01" ? "Song" : title) && found.metadata?.artist == "Anna")
        await again.close()
    }

    @Test(.timeLimit(.minutes(60))) func followsCompletions() async throws {
        let (first, second) = (try serve(song, at: "1.mp3"), try serve(SampleSong.mp4(["©ART": "Bo"]), at: "2.m4a"))
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let known = try await assetStore.add(try await store.complete(ReadRequest(url: first)))
        _ = try await store.read(ReadRequest(url: second, range: .closed(0, through: 9))).collect()
        let partial = try await assetStore.add(try #require(try await store.resource(for: second)))
        var events = assetStore.events().makeAsyncIterator()
        let task = Task { await MetadataReader(store: store, assetStore: assetStore).run() }
        // Read-ahead may already have completed the second file.
        _ = try await store.complete(ReadRequest(url: second))
        var changed: Set<AssetID> = []
        while changed != [known.id, partial.id], let event = await events.next() {
            if case .changed(let id) = event { changed.insert(id) }
        }
        #expect(try await assetStore.requireAsset(partial.id).metadata?.artist == "Bo")
        task.cancel()
        await task.value
        await store.close()
    }

    @Test func readsSessionDataAndTitleOfList() throws {
        func metadata(_ lines: String...) -> MediaMetadata {
            MetadataReader.metadata(ofPlaylist: Array(("#EXTM3U\n" + lines.joined(separator: "\n") + "\n").utf8))
        }
        let variant = "#EXT-X-STREAM-INF:BANDWIDTH=1000\na.m3u8"
        func data(_ id: String, _ value: String) -> String {
            "#EXT-X-SESSION-DATA:DATA-ID=\"\(id)\",VALUE=\"\(value)\""
        }
        let film = metadata(
            data("com.apple.hls.title", "A film"), data("com.apple.hls.description", "About"),
            data("com.apple.hls.release-date", "2019-04-01"), data("com.apple.hls.genre", "Drama"), variant)
        #expect(film.title == "A film" && film.description == "About" && film.year == 2019 && film.genre == "Drama")
        let episode = metadata(
            data("com.apple.hls.title", "Series"), data("com.apple.hls.episode-title", "Pilot"), variant)
        #expect(episode.title == "Pilot" && episode.show == "Series")
        // No specification defines other identifiers, and the titles of EXTINF are those of segments.
        #expect(metadata(data("com.example.title", "No"), variant).isEmpty)
        let segments = "#EXT-X-TARGETDURATION:4\n#EXTINF:4,Segment\na.ts\n#EXT-X-ENDLIST"
        #expect(metadata(segments).isEmpty)
        #expect(metadata("#PLAYLIST: Concert ", segments).title == "Concert")
        #expect(metadata("#PLAYLIST:", segments).isEmpty)
        #expect(MetadataReader.metadata(ofPlaylist: Array("no playlist".utf8)).isEmpty)
    }
}
