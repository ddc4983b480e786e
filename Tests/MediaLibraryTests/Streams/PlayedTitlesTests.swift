import MediaCache
import MediaCacheTesting
import MediaLibrary
import Testing

struct PlayedTitlesTests {
    private let fixture = LibraryFixture()

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/\(name)") }

    private func play(_ name: String, _ content: ScriptedBody, in store: CacheStore) async throws {
        let url = try url(name)
        fixture.origin[url] = ScriptedResource(content, contentType: "video/mp4")
        let session = try await store.read(ReadRequest(url: url))
        for try await _ in session.buffers {}
        session.cancel()
    }

    private func box(_ type: String, of length: UInt8 = 16) -> ScriptedBody {
        .bytes([0, 0, 0, length] + Array(type.utf8) + [UInt8](repeating: 0, count: Int(length) - 8))
    }

    private func titles(_ store: CacheStore) async throws -> [PlayedTitle] {
        try await PlayedTitles(store: store, assetStore: AssetStore(of: store)).all()
    }

    /// Neither the names of the segments nor the order of the playlists matters.
    @Test(arguments: [false, true])
    func groupsResourcesOfStream(variantIsLoadedFirst: Bool) async throws {
        fixture.serve(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\nhigh/index.m3u8\n",
            at: try url("s/index.m3u8"))
        fixture.serve(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXT-X-MAP:URI="init.mp4"
            #EXTINF:6,
            1.mp4
            #EXTINF:6,
            /elsewhere/2.mp4
            #EXTINF:6,
            3.mp4
            #EXT-X-ENDLIST
            """, at: try url("s/low.m3u8"))
        let store = try await fixture.open()
        let names = ["s/index.m3u8", "s/low.m3u8"]
        for name in variantIsLoadedFirst ? names.reversed() : names {
            _ = try await PlaylistLoader(store: store).load(try url(name))
        }
        for name in ["s/init.mp4", "s/1.mp4", "elsewhere/2.mp4"] { try await play(name, box("moof"), in: store) }
        // This file is in the same folder, but no playlist refers to it.
        try await play("s/film.mp4", box("ftyp"), in: store)
        let found = try await titles(store)
        #expect(found.map(\.kind) == [.file, .stream])
        #expect(found[0].main.url == (try url("s/film.mp4")).description)
        #expect(found[1].main.url == (try url("s/index.m3u8")).description)
        #expect(found[1].resources.count == 5)
        #expect(found[1].segments == 3 && found[1].segmentsCached == 2)
        await store.close()
    }

    @Test func distinguishesLiveSegmentsFromFilms() async throws {
        let store = try await fixture.open()
        try await play("live/init.mp4", box("ftyp", of: 40), in: store)
        for name in ["live/a1.mp4", "live/a2.mp4"] { try await play(name, box("styp"), in: store) }
        try await play("live/a3.mp4", box("moof"), in: store)
        for name in ["films/one.mp4", "films/two.mp4"] { try await play(name, box("ftyp"), in: store) }
        let found = try await titles(store)
        #expect(found.map(\.kind) == [.file, .file, .parts])
        #expect(found[2].resources.count == 4)

        // A file longer than any segment is a film, even if its media type is that of a segment.
        let url = try url("films/three.ts")
        fixture.origin[url] = ScriptedResource(.random(seed: 1, length: 70 << 20), contentType: "video/mp2t")
        let session = try await store.read(ReadRequest(url: url, range: .closed(0, through: 999)))
        for try await _ in session.buffers {}
        session.cancel()
        #expect(try await titles(store).first?.kind == .file)
        await store.close()
    }

    /// The resources may change while their playlists are read.
    @Test func evictedPlaylistDoesNotPreventListing() async throws {
        let store = try await fixture.open()
        for name in ["a/index.m3u8", "b/index.m3u8"] {
            fixture.serve(SamplePlaylist.onDemand, at: try url(name))
            _ = try await PlaylistLoader(store: store).load(try url(name))
        }
        let resources = try await store.resources()
        let evicted = try #require(resources.first { $0.url.contains("/a/") })
        _ = try await store.remove(id: evicted.id)
        let found = try await PlayedTitles(store: store, assetStore: AssetStore(of: store)).all(among: resources)
        let remaining = try url("b/index.m3u8").description
        #expect(found.filter { $0.kind == .stream }.map(\.main.url) == [remaining])
        await store.close()
    }

    @Test func listingDoesNotCountAsUse() async throws {
        fixture.serve(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.mp4\n#EXT-X-ENDLIST\n", at: try url("s/index.m3u8"))
        let store = try await fixture.open()
        _ = try await PlaylistLoader(store: store).load(try url("s/index.m3u8"))
        try await play("live/a1.mp4", box("styp"), in: store)
        func uses() async throws -> [String] {
            try await store.resources().map { "\($0.url) \($0.hits) \($0.lastUsed)" }
        }
        let before = try await uses()
        fixture.time.advance(by: .seconds(3600))
        _ = try await titles(store)
        #expect(try await uses() == before)
        await store.close()
    }
}
