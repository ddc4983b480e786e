import MediaCache
import MediaCacheTesting
import MediaLibrary
import Testing

struct StreamStatusTests {
    private let fixture = LibraryFixture()

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/s/\(name)") }

    private func cache(_ name: String, _ range: RequestedRange = .all, in store: CacheStore) async throws {
        let url = try url(name)
        fixture.origin[url] = ScriptedResource(.random(seed: 1, length: 3000), contentType: "video/mp4")
        _ = try await store.fill(ReadRequest(url: url, range: range))
    }

    @Test func completeMediaPlaylistIsPlayable() async throws {
        let playlist = try url("index.m3u8")
        fixture.serve(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXT-X-KEY:METHOD=AES-128,URI="data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAAAAAA=="
            #EXTINF:6,
            b.mp4
            #EXT-X-KEY:METHOD=AES-128,URI="k.key"
            #EXT-X-MAP:URI="all.mp4",BYTERANGE="100@0"
            #EXTINF:6,
            #EXT-X-BYTERANGE:900@100
            all.mp4
            #EXTINF:6,
            #EXT-X-GAP
            gone.mp4
            #EXT-X-ENDLIST
            """, at: playlist)
        let store = try await fixture.open()
        #expect(try await StreamStatus(of: playlist, in: store) == nil)
        _ = try await PlaylistLoader(store: store).load(playlist)
        var status = try #require(try await StreamStatus(of: playlist, in: store))
        #expect(status.playlists.map(\.segments) == [2])
        #expect(status.playlists.map(\.segmentsCached) == [0])
        #expect(status.playlists[0].missing == ["all.mp4", "k.key"])
        #expect(!status.playsWithoutOrigin)
        try await cache("all.mp4", .closed(0, through: 999), in: store)
        try await cache("k.key", in: store)
        status = try #require(try await StreamStatus(of: playlist, in: store))
        #expect(status.playlists[0].missing.isEmpty)
        #expect(status.playlists[0].segmentsCached == 1)
        #expect(!status.playsWithoutOrigin)
        try await cache("b.mp4", in: store)
        let before = fixture.origin.requests.count
        status = try #require(try await StreamStatus(of: playlist, in: store))
        #expect(status.playsWithoutOrigin)
        #expect(fixture.origin.requests.count == before)
        await store.close()
    }

    /// A rendition without a playlist is in the variant stream's segments (RFC 8216bis §4.4.6.2.1).
    @Test func muxedAudioIsSufficient() async throws {
        let multivariant = try url("index.m3u8")
        fixture.serve(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="A",DEFAULT=YES
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="B",URI="other.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
            low.m3u8
            """, at: multivariant)
        fixture.serve("#EXTM3U\n#EXTINF:6,\nlow.mp4\n#EXT-X-ENDLIST\n", at: try url("low.m3u8"))
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        for name in ["index", "low"] { _ = try await loader.load(try url("\(name).m3u8")) }
        #expect(try await StreamStatus(of: multivariant, in: store)?.playsWithoutOrigin == false)
        try await cache("low.mp4", in: store)
        let status = try #require(try await StreamStatus(of: multivariant, in: store))
        #expect(status.playsWithoutOrigin)
        #expect(status.playlists.map(\.isComplete) == [true, false, true])
        await store.close()
    }

    /// Groups of different types may have the same identifier (RFC 8216bis §4.4.6.1.1).
    @Test func cachedVideoDoesNotReplaceAudioWithSameIdentifier() async throws {
        let multivariant = try url("index.m3u8")
        fixture.serve(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",NAME="A",URI="audio.m3u8"
            #EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="g",NAME="V",URI="video.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="g",VIDEO="g"
            low.m3u8
            """, at: multivariant)
        let names = ["audio", "video", "low"]
        for name in names {
            fixture.serve("#EXTM3U\n#EXTINF:6,\n\(name).mp4\n#EXT-X-ENDLIST\n", at: try url("\(name).m3u8"))
        }
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        for name in ["index"] + names { _ = try await loader.load(try url("\(name).m3u8")) }
        for name in ["video", "low"] { try await cache("\(name).mp4", in: store) }
        #expect(try await StreamStatus(of: multivariant, in: store)?.playsWithoutOrigin == false)
        try await cache("audio.mp4", in: store)
        #expect(try await StreamStatus(of: multivariant, in: store)?.playsWithoutOrigin == true)
        await store.close()
    }

    @Test func oneVariantWithAudioIsSufficient() async throws {
        let multivariant = try url("index.m3u8")
        fixture.serve(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="A",URI="audio.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO="a"
            high.m3u8
            """, at: multivariant)
        for name in ["audio", "low"] {
            fixture.serve("#EXTM3U\n#EXTINF:6,\n\(name).mp4\n#EXT-X-ENDLIST\n", at: try url("\(name).m3u8"))
        }
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        for name in ["index", "audio", "low"] { _ = try await loader.load(try url("\(name).m3u8")) }
        try await cache("low.mp4", in: store)
        #expect(try await StreamStatus(of: multivariant, in: store)?.playsWithoutOrigin == false)
        try await cache("audio.mp4", in: store)
        let status = try #require(try await StreamStatus(of: multivariant, in: store))
        #expect(status.playsWithoutOrigin)
        #expect(status.playlists.map(\.role) == ["multivariant", "audio", "variant", "variant"])
        #expect(status.playlists.map(\.isCached) == [true, true, true, false])
        await store.close()
    }
}
