import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of references to items by ID and title.
struct ItemReferenceTests {
    private let origin = ScriptedOrigin()

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/\(name)") }

    private func serveFile(_ name: String, length: Int = 1000) throws -> ResourceURL {
        let url = try url(name)
        origin[url] = ScriptedResource(
            .bytes((0..<length).map { UInt8(truncatingIfNeeded: $0) }), entityTag: "\"1\"", contentType: "video/mp4")
        return url
    }

    private func serveStream(_ name: String) throws -> ResourceURL {
        let url = try url("\(name)/index.m3u8")
        origin[url] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
        let packets = (0..<16).flatMap { _ in [UInt8(0x47)] + [UInt8](repeating: 1, count: 187) }
        origin[try self.url("\(name)/a.ts")] = ScriptedResource(.bytes(packets), contentType: "video/mp2t")
        return url
    }

    private func use(_ body: (CacheHost, APIClient) async throws -> Void) async throws {
        try await CacheHost.use(origin: origin, { $0.segmentsAhead = 0 }) { host in
            try await body(host, try host.client())
        }
    }

    private func path(_ url: String, of host: CacheHost) throws -> String {
        let address = try #require(host.server.boundAddresses.first)
        try #require(url.hasPrefix(address), "\(url)")
        return String(url.dropFirst(address.count))
    }

    @Test func findsItemByIDTitleAndURL() async throws {
        let (film, song) = (try serveFile("a-film.mp4"), try serveFile("song.mp3"))
        try await use { host, client in
            let download = try await host.download(#"{"url": "\#(film)", "title": "Alien: Covenant"}"#)
            #expect(try await host.play(song).status == 200)
            let played = try #require(try await client.resource(for: song))
            for text in [download.id, "Alien: Covenant", "alien: covenant", "\(film)"] {
                let item = try await client.item(try AssetReference(text))
                #expect(item.id == download.id && item.kind == .asset, "\(text)")
            }
            for text in ["\(played.id)", "song", "\(song)"] {
                let item = try await client.item(try AssetReference(text))
                #expect(item.id == "\(played.id)" && item.kind == .file, "\(text)")
                #expect(try await client.originURL(of: try AssetReference(text)) == song)
            }
            let unknown = await #expect(throws: MediaJobError.self) { try await client.item(.asset("Nothing")) }
            #expect(unknown?.message == "there is no item “Nothing”; check its URL, ID or title")
        }
    }

    /// A number may be the ID of a resource and a title.
    @Test func rejectsAmbiguousNumber() async throws {
        let (film, song) = (try serveFile("film.mp4"), try serveFile("song.mp3"))
        try await use { host, client in
            #expect(try await host.play(song).status == 200)
            let played = try #require(try await client.resource(for: song))
            let download = try await host.download(#"{"url": "\#(film)", "title": "\#(played.id)"}"#)
            let error = await #expect(throws: MediaJobError.self) { try await client.item(.id(played.id)) }
            #expect(
                error?.message
                    == "“\(played.id)” matches 2 items; use an ID or a URL: \(download.id) (\(film)), \(song)")
            #expect(try await client.item(.asset(download.id)).id == download.id)

            try await client.updateAsset(download.id, AssetUpdate(title: "1984"))
            #expect(try await client.item(.id(1984)).id == download.id)
        }
    }

    @Test func rejectsAmbiguousTitle() async throws {
        let urls = [try serveFile("1.mp4"), try serveFile("2.mp4")]
        try await use { host, client in
            var ids: [String] = []
            for url in urls { ids.append(try await host.download(#"{"url": "\#(url)", "title": "Film"}"#).id) }
            let error = await #expect(throws: MediaJobError.self) { try await client.item(.asset("Film")) }
            let message = try #require(error?.message)
            #expect(message.hasPrefix("“Film” matches 2 items; use an ID or a URL: "))
            for (id, url) in zip(ids, urls) { #expect(message.contains("\(id) (\(url))")) }
        }
    }

    /// A completed download plays from the library, and other media through the cache.
    @Test func playURLLeadsToLibraryOrCache() async throws {
        let (film, show, song) = (try serveFile("film.mp4"), try serveStream("show"), try serveFile("song.mp3"))
        try await use { host, client in
            let file = try await host.download(#"{"url": "\#(film)"}"#)
            let stream = try await host.download(#"{"url": "\#(show)"}"#)
            #expect(try await host.play(song).status == 200)
            let expected = [
                "film": "/library/\(file.id)/file.mp4", "show": "/library/\(stream.id)/index.m3u8",
                "song": try path(try await client.playURL(for: song), of: host),
            ]
            for (title, expectedPath) in expected {
                let url = try await client.playURL(of: .asset(title))
                #expect(try path(url, of: host) == expectedPath)
                #expect(try await host.exchange("GET", expectedPath).status == 200, "\(title)")
            }
            #expect(try await client.mediaInput(of: .asset("song")) == .url(song))
            let entry = try await client.mediaInput(of: .asset("show"))
            #expect(entry.name.hasSuffix("/library/\(stream.id)/index.m3u8"))
        }
    }

    /// Each player gets its own token, which is revoked separately: a token of the asset, or a playback token for media
    /// that isn't an asset.
    @Test func issuesTokensForPlayers() async throws {
        let (film, song) = (try serveFile("film.mp4"), try serveFile("song.mp3"))
        try await use { host, client in
            let file = try await host.download(#"{"url": "\#(film)"}"#)
            #expect(try await host.play(song).status == 200)
            for title in ["film", "song"] {
                let token = try await client.issuePlayToken(for: .asset(title), label: "test")
                let secret = try #require(token.token)
                let path = try path(try #require(token.playURL), of: host)
                #expect(path.contains(secret))
                #expect(token.scope == (title == "film" ? .asset : .playback))
                #expect(token.asset == (title == "film" ? file.id : nil))
                #expect(try await host.exchange("GET", path).status == 200)
                try await client.revokeToken(token.id)
                #expect(try await host.exchange("GET", path).status != 200)
            }
        }
    }

    @Test func channelPlaysFromItsRecording() async throws {
        try await use { host, client in
            _ = try await client.addChannel(
                of: try url("live.m3u8"), ChannelAddition(name: "news", url: "", stopped: true))
            #expect(try path(try await client.playURL(of: .asset("news")), of: host) == "/live/news/index.m3u8")
            let token = try await client.issuePlayToken(for: .asset("news"))
            let secret = try #require(token.token)
            #expect(try path(try #require(token.playURL), of: host) == "/k/\(secret)/live/news/index.m3u8")
            let error = await #expect(throws: MediaJobError.self) { try await client.addAsset(of: .asset("news")) }
            #expect(error?.message.hasPrefix("“news” is a channel") == true)
        }
    }

    /// Only segments of the stream are cached. Without its playlist, no URL plays them.
    @Test func segmentsWithoutPlaylistArentPlayable() async throws {
        _ = try serveStream("series")
        try await use { host, client in
            #expect(try await host.play(try url("series/a.ts")).status == 200)
            let played = try #require(try await client.played().first)
            let error = await #expect(throws: MediaJobError.self) { try await client.playURL(of: .id(played.id)) }
            #expect(error?.message.hasPrefix("only segments of “series” are cached, not its playlist;") == true)
        }
    }
}
