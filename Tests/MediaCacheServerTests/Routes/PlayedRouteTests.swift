import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct PlayedRouteTests {
    private let origin = ScriptedOrigin()

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/\(name)") }

    private func withClient(_ body: (CacheHost, APIClient) async throws -> Void) async throws {
        try await CacheHost.use(origin: origin) { host in try await body(host, try host.client()) }
    }

    @Test func listsAndRemovesStreamAsOneTitle() async throws {
        origin[try url("film.mp4")] = ScriptedResource(.random(seed: 1, length: 5_000), contentType: "video/mp4")
        origin[try url("show/index.m3u8")] = .playlist(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.mp4\n#EXTINF:4,\nb.mp4\n#EXT-X-ENDLIST\n")
        origin[try url("show/a.mp4")] = ScriptedResource(.random(seed: 2, length: 3_000), contentType: "video/mp4")
        try await withClient { host, client in
            for name in ["show/index.m3u8", "show/a.mp4", "film.mp4"] {
                #expect(try await host.play(try url(name)).status == 200)
            }
            // The session of a response ends shortly after its last byte.
            var played = try await client.played()
            while played.contains(where: \.inUse) { played = try await client.played() }
            #expect(played.map(\.kind) == [.file, .stream])
            #expect(played[0].spans == [ByteSpan(start: 0, end: 5_000)] && played[0].length == 5_000)
            #expect(played[1].url == (try url("show/index.m3u8")).description)
            #expect(played[1].count == 2 && played[1].segments == 2 && played[1].segmentsCached == 1)
            #expect(try await client.played() == played, "listing played titles must not count as use")

            #expect(try await client.removePlayed(id: played[1].id).count == 2)
            #expect(try await client.played().map(\.id) == [played[0].id])
            await #expect(throws: Problem.self) { try await client.removePlayed(id: played[1].id) }
            _ = try await client.addAsset(for: try url("film.mp4"))
            #expect(try await client.played().isEmpty)

            // The size of a stream that is an asset includes all its resources.
            for name in ["show/index.m3u8", "show/a.mp4"] { #expect(try await host.play(try url(name)).status == 200) }
            let asset = try #require(try await client.addAsset(for: try url("show/index.m3u8")))
            let item = try await client.storage().items.first { $0.id == asset.id }
            #expect(try #require(item).bytes > 3_000)
        }
    }

    /// The removal of a stream by its playlist includes its segments, whether it was played or downloaded.
    @Test(arguments: [false, true]) func removesStreamByItsPlaylist(isDownload: Bool) async throws {
        let playlist = try url("show/index.m3u8")
        origin[playlist] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
        let packets = (0..<16).flatMap { _ in [UInt8(0x47)] + [UInt8](repeating: 1, count: 187) }
        origin[try url("show/a.ts")] = ScriptedResource(.bytes(packets), contentType: "video/mp2t")
        try await withClient { host, client in
            if isDownload {
                let id = try await client.addDownload(of: playlist, DownloadAddition(url: "")).id
                while try await client.download(id)?.state.isEnded == false { await Task.yield() }
            } else {
                for name in ["show/index.m3u8", "show/a.ts"] {
                    #expect(try await host.play(try url(name)).status == 200)
                }
                while try await client.played().contains(where: \.inUse) {}
            }
            let resource = try #require(try await client.resource(for: playlist))
            let removal = try await client.removeTitle(of: resource)
            #expect(removal.key == resource.key && removal.bytes > 3_000)
            #expect(try await client.resources().isEmpty)
        }
    }

    /// A client probes a URL before the user has decided to play it.
    @Test func doesNotListProbedTitles() async throws {
        origin[try url("film.mp4")] = ScriptedResource(.random(seed: 1, length: 5_000), contentType: "video/mp4")
        origin[try url("show.m3u8")] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
        try await withClient { host, client in
            _ = try await client.probe(try url("film.mp4"))
            _ = try await client.probe(try url("show.m3u8"))
            #expect(try await client.resources().count == 2)
            #expect(try await client.played().isEmpty)
            #expect(try await host.play(try url("film.mp4")).status == 200)
            #expect(try await client.played().map(\.url) == [try url("film.mp4").description])
        }
    }

    @Test func removesPinnedResourceOnlyOnRequest() async throws {
        origin[try url("film.mp4")] = ScriptedResource(.random(seed: 1, length: 5_000), contentType: "video/mp4")
        try await withClient { host, client in
            #expect(try await host.play(try url("film.mp4")).status == 200)
            let id = try #require(try await client.resources().first).id
            try await client.setPinned(true, id: id)
            let refused = try await host.call("DELETE", "/api/v1/resources/\(id)")
            #expect(refused.status == 409 && refused.fields["content-type"] == Problem.contentType)
            #expect(try await client.resources().count == 1)
            #expect(try await host.call("DELETE", "/api/v1/resources/\(id)?pinned=true").status == 200)
            #expect(try await client.resources().isEmpty)
        }
    }

    @Test func probesOrdersAndReadsStorageByClient() async throws {
        origin[try url("film.mp4")] = ScriptedResource(.random(seed: 1, length: 5_000), contentType: "video/mp4")
        try await withClient { _, client in
            let probe = try await client.probe(try url("film.mp4"), headers: ["X-Token": "t"])
            #expect(probe.probe.length == 5_000)
            let addition = DownloadAddition(url: "", paused: true)
            let first = try await client.addDownload(of: try url("film.mp4"), addition).id
            let second = try await client.addDownload(of: try url("other.mp4"), addition).id
            let ordered = try await client.orderDownloads([second, first])
            #expect(ordered.sorted { $0.priority > $1.priority }.map(\.id) == [second, first])
            let storage = try await client.storage()
            #expect(Set(storage.items.map(\.id)) == [first, second])
        }
    }
}
