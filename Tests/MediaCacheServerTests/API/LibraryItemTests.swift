import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct LibraryItemTests {
    private let origin = ScriptedOrigin()
    private let folder = TestFolder()

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/\(name)") }

    /// Bytes that are recognized as transport stream packets.
    private static let packets = (0..<16).flatMap { _ in [UInt8(0x47)] + [UInt8](repeating: 1, count: 187) }

    /// A stream is one item, whether it was downloaded or played.
    @Test func listsItemsInsteadOfResources() async throws {
        for name in ["show", "series"] {
            origin[try url("\(name)/index.m3u8")] = .playlist(
                "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXTINF:4,\nb.ts\n#EXT-X-ENDLIST\n")
            for part in ["a", "b"] {
                origin[try url("\(name)/\(part).ts")] = ScriptedResource(
                    .bytes(Self.packets), contentType: "video/mp2t")
            }
        }
        try await CacheHost.use(folder: folder.path, origin: origin, { $0.segmentsAhead = 0 }) { host in
            let client = try host.client()
            let id = try await client.addDownload(of: try url("show/index.m3u8"), DownloadAddition(url: "")).id
            while try await client.download(id)?.state.isEnded == false { await Task.yield() }
            for name in ["index.m3u8", "a.ts"] {
                #expect(try await host.play(try url("series/\(name)")).status == 200)
            }
            while try await client.played().contains(where: \.inUse) {}
            let added = try await client.addChannel(
                of: try url("live.m3u8"), ChannelAddition(name: "news", url: "", stopped: true))
            #expect(added.name == "news")

            let items = try await client.libraryItems()
            #expect(try await client.resources().count == 5)
            #expect(Set(items.map(\.title)) == ["show", "series", "news"])
            let show = try #require(items.first { $0.title == "show" })
            #expect(show.id == id && show.kind == .asset && show.complete && show.state == "complete")
            let series = try #require(items.first { $0.title == "series" })
            #expect(series.kind == .stream && !series.complete && (series.bytes ?? 0) > 3_000)
            let news = try #require(items.first { $0.title == "news" })
            #expect(news.kind == .channel && news.state == "stopped" && news.id == "news")
        }
        // The names are known without a server.
        let names = await StoredNames(at: CacheLocation(folder: folder.path), origin: origin)
        #expect(names.assets == ["show"] && names.downloads == ["show"] && names.channels == ["news"])
        #expect(names.titles == ["series", "show"])
    }

    /// An ended recording has neither a download nor a length. It plays from the library, even if the live stream was
    /// also played through the cache.
    @Test func endedRecordingIsComplete() async throws {
        let live = try url("live.m3u8")
        origin[live] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:4,\na.ts\n")
        origin[try url("a.ts")] = ScriptedResource(.bytes(Self.packets), contentType: "video/mp2t")
        try await CacheHost.use(origin: origin, { $0.segmentsAhead = 0 }) { host in
            let client = try host.client()
            let name = try #require(ChannelName(rawValue: "news"))
            _ = try await client.addChannel(of: live, ChannelAddition(name: "news", url: ""))
            while try await client.channel(name).segments < 1 { await Task.yield() }
            for state in ["stopped", "ended"] {
                let body = #"{"state":"\#(state)"}"#
                #expect(try await host.call("PATCH", "/api/v1/channels/news", body: body).status == 200)
            }
            #expect(try await host.play(live).status == 200)
            let items = try await client.libraryItems()
            #expect(!items.contains { $0.kind == .channel })
            let recording = try #require(items.first { $0.kind == .asset })
            #expect(recording.title == "news" && recording.state == "ended" && recording.complete)
            let playURL = try await client.playURL(of: .asset("news"))
            #expect(playURL.hasSuffix("/library/\(recording.id)/index.m3u8"), "\(playURL)")
            // The asset remains a recording after its channel is removed.
            try await client.removeChannel(name)
            #expect(try await client.libraryItems().first { $0.kind == .asset }?.state == "ended")
        }
    }

    @Test func namesAreTitlesUnlessAmbiguous() {
        let items: [(id: String, title: String?)] = [
            ("a1", "Film"), ("b2", "Song"), ("c3", "Song"), ("d4", nil), ("e5", "1984"), ("f6", "Alien: Covenant"),
            ("g7", "http://h/"),
        ]
        #expect(StoredNames.names(items) == ["Alien: Covenant", "Film", "b2", "c3", "d4", "e5", "g7"])
    }
}
