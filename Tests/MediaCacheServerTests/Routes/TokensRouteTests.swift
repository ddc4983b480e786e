import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct TokensRouteTests {
    private let origin = ScriptedOrigin()
    private let film: ResourceURL
    private let show: ResourceURL
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47] + (0..<96).map { UInt8($0) }

    init() throws {
        film = try ResourceURL("http://origin.example/film.mp4")
        show = try ResourceURL("http://origin.example/show/index.m3u8")
        origin[film] = ScriptedResource(.random(seed: 3, length: 5000), contentType: "video/mp4")
        for (path, text) in [
            "show/index.m3u8": """
            #EXTM3U
            #EXT-X-DEFINE:NAME="folder",VALUE="media"
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="key.bin"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="en",URI="http://other.example/audio.m3u8"
            #EXT-X-CONTENT-STEERING:SERVER-URI="steering.json"
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="a"
            {$folder}/video.m3u8
            """,
            "show/media/video.m3u8": """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="../key.bin"
            #EXT-X-MAP:URI="init.mp4"
            #EXTINF:4,
            0.m4s
            #EXTINF:4,
            /show/media/1.m4s
            #EXTINF:4,
            ../../show/media/2.m4s?faststart=1
            #EXT-X-ENDLIST
            """,
            "audio.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na/0.aac\n#EXT-X-ENDLIST\n",
        ] {
            let host = path.hasPrefix("audio") ? "other" : "origin"
            origin[try ResourceURL("http://\(host).example/\(path)")] = .playlist(text)
        }
        for path in ["init.mp4", "0.m4s", "1.m4s", "2.m4s?faststart=1"] {
            let url = try ResourceURL("http://origin.example/show/media/\(path)")
            origin[url] = ScriptedResource(.random(seed: 5, length: 700), contentType: "video/mp4")
        }
        origin[try ResourceURL("http://origin.example/show/key.bin")] = ScriptedResource(.random(seed: 6, length: 16))
        origin[try ResourceURL("http://other.example/a/0.aac")] = ScriptedResource(
            .random(seed: 7, length: 300), contentType: "audio/aac")
        origin[try ResourceURL("http://origin.example/show/steering.json")] = ScriptedResource(
            .bytes(Array(#"{"VERSION":1,"TTL":300,"RELOAD-URI":"steering.json","PATHWAY-PRIORITY":["."]}"#.utf8)),
            contentType: "application/json")
        origin[try ResourceURL("http://origin.example/show/manifest.mpd")] = ScriptedResource(
            .bytes(Array("<MPD><BaseURL>http://origin.example/show/</BaseURL></MPD>".utf8)),
            contentType: "application/dash+xml")
    }

    /// Runs a server that requires a token in the paths of all clients.
    private func withHost(_ body: (CacheHost) async throws -> Void) async throws {
        try await CacheHost.use(origin: origin, { $0.allowedHosts = ["cache.example"] }, body)
    }

    private func asset(of url: ResourceURL, _ host: CacheHost) async throws -> AssetRecord {
        #expect(try await host.play(url).status == 200)
        let asset: AssetRecord = try await host.answer("POST", "/api/v1/assets", body: #"{"url":"\#(url)"}"#)
        try await host.client().setCover(Cover(bytes: Self.png, mediaType: "image/png"), of: asset.id)
        return asset
    }

    private func issue(_ body: String, _ host: CacheHost) async throws -> TokenRecord {
        try await host.answer("POST", "/api/v1/tokens", body: body)
    }

    private func path(of url: String?, _ host: CacheHost) throws -> String {
        let address = try #require(host.server.boundAddresses.first)
        let url = try #require(url)
        try #require(url.hasPrefix(address))
        return String(url.dropFirst(address.count))
    }

    /// Reads a play path and everything that its documents reference.
    ///
    /// - Returns: The responses by path.
    private func responses(below path: String, _ host: CacheHost) async throws -> [String: RawResponse] {
        var (read, waiting): ([String: RawResponse], [String]) = ([:], [path])
        while let next = waiting.popLast() {
            guard read[next] == nil else { continue }
            let response = try await host.exchange("GET", next)
            read[next] = response
            let type = response.fields["content-type"] ?? ""
            guard type.contains("mpegurl") || type.contains("json") else { continue }
            let text = response.text
            let attributes = text.matches(of: /URI"?[=:]"([^"]+)"/).map { String($0.1) }
            let lines = text.split(separator: "\n").filter { type.contains("mpegurl") && !$0.hasPrefix("#") }
            for reference in attributes + lines.map(String.init) {
                let base = try ResourceURL("http://localhost\(next)")
                waiting.append(try base.resolve(reference.replacing("{$folder}", with: "media")).target)
            }
        }
        return read
    }

    @Test func opensPlayerPathsOnlyWithPlaybackToken() async throws {
        try await withHost { host in
            let asset = try await asset(of: film, host)
            let issued = try await issue(#"{"scope":"playback","label":"tv","url":"\#(film)"}"#, host)
            let token = try #require(issued.token)
            #expect(issued.scope == .playback && issued.label == "tv" && issued.libraryURL == nil)
            #expect(try await host.exchange("GET", try path(of: issued.playURL, host)).status == 200)
            let play = PlayTarget.path(for: show, token: token)
            #expect(try await host.exchange("GET", play).status == 200)
            let cover = "/library/\(asset.id)/cover"
            #expect(try await host.exchange("GET", "/k/\(token)\(cover)").body == Self.png)
            #expect(try await host.exchange("GET", cover).status == 403)
            for secret in [token, host.server.playbackToken] {
                for path in ["/api/v1/assets", "/api/v1/tokens", "/api/v1/key"] {
                    let field = "Authorization: Bearer \(secret)"
                    #expect(try await host.exchange("GET", path, [field]).status == 401)
                    #expect(try await host.exchange("GET", "/k/\(secret)\(path)").status == 404)
                }
            }
            #expect(try await host.call("DELETE", "/api/v1/tokens/\(issued.id)").status == 204)
            #expect(try await host.exchange("GET", play).status == 403)
            #expect(try await host.exchange("GET", "/k/\(token)\(cover)").status == 403)
            #expect(try await host.call("DELETE", "/api/v1/tokens/\(issued.id)").status == 404)
        }
    }

    @Test func opensAPIOnlyWithKey() async throws {
        try await withHost { host in
            let asset = try await asset(of: film, host)
            let cover = "/library/\(asset.id)/cover"
            #expect(try await host.exchange("GET", PlayTarget.path(for: film, token: host.key.value)).status == 403)
            #expect(try await host.exchange("GET", "/k/\(host.key.value)\(cover)").status == 403)
            // A client with the key may also read the library.
            #expect(try await host.call("GET", cover).body == Self.png)
        }
    }

    @Test func opensOneAssetWithAssetToken() async throws {
        try await withHost { host in
            let (mine, other) = (try await asset(of: show, host), try await asset(of: film, host))
            let issued = try await issue(#"{"scope":"asset","asset":"\#(mine.id)"}"#, host)
            let token = try #require(issued.token)
            let library = try path(of: issued.libraryURL, host)
            #expect(library == "/k/\(token)/library/\(mine.id)/")
            #expect(try await host.exchange("GET", library + "cover").body == Self.png)
            for path in [
                "/k/\(token)/library/\(other.id)/cover", "/k/\(token)/library/\(mine.id)",
                "/k/\(token)/live/news/index.m3u8",
                "/k/\(token)/library/../library/\(other.id)/cover",
                PlayTarget.path(for: show, token: token), PlayTarget.path(for: film, token: token),
                "/k/\(token)/api/v1/assets", "/k/\(token)/",
            ] {
                #expect(try await host.exchange("GET", path).status == 403, "\(path)")
            }
            let climbing = try await host.exchange("GET", "/k/\(token)/library/\(mine.id)/../\(other.id)/cover")
            #expect(climbing.status == 404)
            #expect(try await host.exchange("GET", "/api/v1/assets", ["Authorization: Bearer \(token)"]).status == 401)
        }
    }

    @Test func opensReferencesOfAssetWithAssetToken() async throws {
        try await withHost { host in
            let mine = try await asset(of: show, host)
            let issued = try await issue(#"{"scope":"asset","asset":"\#(mine.id)"}"#, host)
            let token = try #require(issued.token)
            let start = try path(of: issued.playURL, host)
            let all = try await responses(below: start, host)
            // The three playlists, the steering manifest, the key, the initialization section, and four segments.
            #expect(all.count == 10, "\(all.keys.sorted())")
            for (path, response) in all {
                #expect(response.status == 200, "\(path)")
                #expect(path.hasPrefix("/play/\(token);"), "\(path)")
                // The signature is valid for this resource and these options only.
                let target = try PlayTarget(path)
                let signature = try #require(target.options.signature)
                var moved = target
                moved.url = film
                #expect(try await host.exchange("GET", moved.path).status == 403, "\(path)")
                var unsigned = target
                unsigned.options.signature = nil
                #expect(try await host.exchange("GET", unsigned.path).status == 403, "\(path)")
                let optioned = path.replacing(";sig=\(signature)", with: ";cached=1;sig=\(signature)")
                #expect(try await host.exchange("GET", optioned).status == 403, "\(path)")
            }
            let another = try await issue(#"{"scope":"asset","asset":"\#(mine.id)"}"#, host)
            var borrowed = try PlayTarget(start)
            borrowed.token = try #require(another.token)
            #expect(try await host.exchange("GET", borrowed.path).status == 403)
            #expect(try await host.call("DELETE", "/api/v1/tokens/\(issued.id)").status == 204)
            for path in all.keys { #expect(try await host.exchange("GET", path).status == 403, "\(path)") }
            #expect(try await host.exchange("GET", try path(of: another.playURL, host)).status == 200)
        }
    }

    /// The asset's origin refers to a file at another origin, where the owner has an account.
    @Test func sendsNoCredentialsToOtherOriginsForAssetToken() async throws {
        try await withHost { host in
            let update = #"{"origin":"http://other.example","headers":{"Cookie":"session=1"}}"#
            #expect(try await host.call("PUT", "/api/v1/header-profiles", body: update).status == 204)
            let own = #"{"origin":"http://origin.example","headers":{"Referer":"http://page.example/"}}"#
            #expect(try await host.call("PUT", "/api/v1/header-profiles", body: own).status == 204)
            let moved = try ResourceURL("http://origin.example/show/media/0.m4s")
            let elsewhere = try ResourceURL("http://other.example/0.m4s")
            origin[elsewhere] = origin[moved]
            origin.always(moved, .redirect(to: elsewhere.description))
            let mine = try await asset(of: show, host)
            let issued = try await issue(#"{"scope":"asset","asset":"\#(mine.id)"}"#, host)
            let before = origin.requests.count
            for (path, response) in try await responses(below: try path(of: issued.playURL, host), host) {
                #expect(response.status == 200, "\(path)")
            }
            let requests = origin.requests.dropFirst(before)
            let others = requests.filter { $0.url.host == "other.example" }
            #expect(Set(others.map(\.url.target)) == ["/audio.m3u8", "/a/0.aac", "/0.m4s"])
            #expect(others.allSatisfy { $0.headerFields[.cookie] == nil })
            let owns = requests.filter { $0.url.host == "origin.example" }
            #expect(!owns.isEmpty && owns.allSatisfy { $0.headerFields[.referer] != nil })
            // The owner's own player may send the credentials.
            #expect(try await host.play(try ResourceURL("http://other.example/a/1.aac")).status == 404)
            #expect(origin.requests.last?.headerFields[.cookie] == "session=1")
        }
    }

    /// The owner has read the other origin's file with a cookie, so it is cached.
    @Test func assetTokenGrantsNoCachedFileFromAccount() async throws {
        try await withHost { host in
            let update = #"{"origin":"http://other.example","headers":{"Cookie":"session=1"}}"#
            #expect(try await host.call("PUT", "/api/v1/header-profiles", body: update).status == 204)
            let file = try ResourceURL("http://other.example/a/0.aac")
            #expect(try await host.play(file).status == 200)
            // This is the origin's response to anonymous requests.
            origin[file] = ScriptedResource(.random(seed: 9, length: 200), contentType: "audio/aac")
            let mine = try await asset(of: show, host)
            let issued = try await issue(#"{"scope":"asset","asset":"\#(mine.id)"}"#, host)
            let before = origin.requests.count
            let all = try await responses(below: try path(of: issued.playURL, host), host)
            let read = try #require(all.first { $0.key.contains("other.example/a/0.aac") })
            #expect(read.value.status == 200 && read.value.body.count == 200)
            let requests = origin.requests.dropFirst(before).filter { $0.url == file }
            #expect(!requests.isEmpty && requests.allSatisfy { $0.headerFields[.cookie] == nil })
        }
    }

    /// Because the server isn't exposed, the owner could play a file from a private address. Through an upstream proxy,
    /// the address of its server is unknown.
    @Test(arguments: [("nas.example", AddressKind.local), ("nas.local", .unknown)])
    func assetTokenGrantsNoCachedFileFromPrivateAddress(_ name: String, _ peer: AddressKind) async throws {
        let (inner, list) = (
            try ResourceURL("http://\(name)/kept.mp4"), try ResourceURL("http://origin.example/list.m3u8")
        )
        origin[inner] = ScriptedResource(.random(seed: 8, length: 900), contentType: "video/mp4", peer: peer)
        origin[list] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(inner)\n#EXT-X-ENDLIST\n")
        try await CacheHost.use(origin: origin) { host in
            #expect(try await host.play(inner).status == 200)
            // If it were requested again, the access rule would refuse it, as it does through a proxy.
            origin[inner]?.peer = .local
            let mine = try await asset(of: list, host)
            let issued = try await issue(#"{"scope":"asset","asset":"\#(mine.id)"}"#, host)
            let all = try await responses(below: try path(of: issued.playURL, host), host)
            let refused = try #require(all.first { $0.key.contains(name) })
            #expect(refused.value.status == 403)
            #expect(try await host.play(inner).status == 200)
        }
    }

    @Test func revokesTokensOfRemovedAsset() async throws {
        try await withHost { host in
            let (mine, other) = (try await asset(of: show, host), try await asset(of: film, host))
            let issued = try await issue(#"{"scope":"asset","asset":"\#(mine.id)"}"#, host)
            let retained = try await issue(#"{"scope":"asset","asset":"\#(other.id)"}"#, host)
            #expect(try await host.call("DELETE", "/api/v1/assets/\(mine.id)").status == 204)
            #expect(try await host.exchange("GET", try path(of: issued.playURL, host)).status == 403)
            #expect(try await host.exchange("GET", try path(of: retained.playURL, host)).status == 200)
            let list: TokenList = try await host.answer("GET", "/api/v1/tokens")
            #expect(list.tokens.map(\.id) == ["standing", retained.id])
        }
    }

    @Test(arguments: ["assets/", "downloads/", "resources?pinned=true"])
    func revokesTokensHoweverAssetIsRemoved(_ path: String) async throws {
        try await withHost { host in
            let download = try await host.download(#"{"url":"\#(film)"}"#)
            let issued = try await issue(#"{"scope":"asset","asset":"\#(download.id)"}"#, host)
            let play = try self.path(of: issued.playURL, host)
            #expect(try await host.exchange("GET", play).status == 200)
            let removed = path.hasSuffix("/") ? path + download.id : path
            let response = try await host.call("DELETE", "/api/v1/\(removed)")
            #expect((200..<300).contains(response.status))
            let requestCount = origin.requests.count
            #expect(try await host.exchange("GET", play).status == 403)
            #expect(origin.requests.count == requestCount)
            let list: TokenList = try await host.answer("GET", "/api/v1/tokens")
            #expect(list.tokens.map(\.id) == ["standing"])
        }
    }

    @Test func noResponseContainsKey() async throws {
        try await withHost { host in
            let asset = try await asset(of: show, host)
            let secret = Data(host.key.value.utf8)
            func check(_ path: String, _ response: RawResponse) {
                #expect(Data(response.body).range(of: secret) == nil, "\(path)")
                #expect(!response.fields.values.contains { $0.contains(host.key.value) }, "\(path)")
            }
            let manifest = try ResourceURL("http://origin.example/show/manifest.mpd")
            for start in [show, manifest] {
                let path = PlayTarget.path(for: start, token: host.server.playbackToken)
                let all = try await responses(below: path, host)
                // The path of the video's playlist contains variables, so the key is referenced by two paths.
                #expect(all.count == (start == show ? 11 : 1))
                for (path, response) in all {
                    #expect(response.status == 200, "\(path)")
                    check(path, response)
                }
            }
            _ = try await host.download(#"{"url":"\#(film)"}"#)
            let addition = #"{"name":"news","url":"http://origin.example/show/media/video.m3u8","stopped":true}"#
            #expect(try await host.call("POST", "/api/v1/channels", body: addition).status == 201)
            let request = #"{"scope":"asset","asset":"\#(asset.id)"}"#
            check("POST tokens", try await host.call("POST", "/api/v1/tokens", body: request))
            let query = "?url=\(APIClient.escape(show.description))"
            for path in [
                "server", "urls\(query)", "assets", "assets/\(asset.id)", "assets\(query)", "downloads", "channels",
                "channels/news", "channels/news/programmes", "played", "resources", "resources\(query)", "storage",
                "usage", "tokens", "tokens/standing", "settings/downloads", "bundles?asset=\(asset.id)",
            ] {
                let response = try await host.call("GET", "/api/v1/\(path)")
                #expect(response.status == 200, "\(path): \(response.text)")
                check(path, response)
            }
            check("wrong", try await host.exchange("GET", PlayTarget.path(for: film, token: host.key.value)))
            let rolled = try await host.call("POST", "/api/v1/key")
            check("POST key", rolled)
            #expect(Data(rolled.body).range(of: Data(host.key.value.utf8)) == nil)
        }
    }

    @Test func refusesOldKeyAfterRoll() async throws {
        try await withHost { host in
            let (old, standing) = (host.key, host.server.playbackToken)
            let retained = try await issue(#"{"scope":"playback"}"#, host)
            #expect(try await host.call("POST", "/api/v1/key").status == 204)
            #expect(host.key != old)
            let field = "Authorization: Bearer \(old.value)"
            #expect(try await host.exchange("GET", "/api/v1/server", [field]).status == 401)
            #expect(try await host.call("GET", "/api/v1/server").status == 200)
            #expect(try await host.exchange("GET", PlayTarget.path(for: film, token: standing)).status == 403)
            #expect(try await host.play(film).status == 200)
            let token = try #require(retained.token)
            #expect(try await host.exchange("GET", PlayTarget.path(for: film, token: token)).status == 200)
        }
    }

    @Test func listsStandingTokenFirst() async throws {
        try await withHost { host in
            let answered = try await host.call(
                "POST", "/api/v1/tokens", body: #"{"scope":"playback","label":"tv","expires":"2099-01-31T20:00:00Z"}"#)
            #expect(answered.status == 201 && answered.fields["cache-control"] == "no-store")
            let issued = try answered.decoded(TokenRecord.self)
            let list: TokenList = try await host.answer("GET", "/api/v1/tokens")
            #expect(list.tokens.map(\.id) == ["standing", issued.id])
            #expect(list.tokens.allSatisfy { $0.token == nil && $0.playURL == nil })
            #expect(list.tokens[1].label == "tv" && list.tokens[1].expires == issued.expires)
            let first: TokenList = try await host.answer("GET", "/api/v1/tokens?limit=1")
            let second: TokenList = try await host.answer("GET", "/api/v1/tokens?after=\(try #require(first.next))")
            #expect(first.tokens + second.tokens == list.tokens)
            let one: TokenRecord = try await host.answer("GET", "/api/v1/tokens/\(issued.id)")
            #expect(one.token == nil)
            let standing = try await host.call("GET", "/api/v1/tokens/standing")
            #expect(standing.fields["cache-control"] == "no-store")
            let record = try standing.decoded(TokenRecord.self)
            #expect(record.token == host.server.playbackToken)
            #expect(try await host.call("DELETE", "/api/v1/tokens/standing").status == 204)
            #expect(host.server.playbackToken != record.token)
        }
    }

    @Test(arguments: [
        (#"{"scope":"all"}"#, 400), (#"{}"#, 400), (#"{"scope":"asset"}"#, 400),
        (#"{"scope":"asset","asset":"aaaaaaaaaaaa"}"#, 404), (#"{"scope":"asset","asset":"No.1"}"#, 404),
        (#"{"scope":"asset","asset":"aaaaaaaaaaaa","url":"http://a/"}"#, 400),
        (#"{"scope":"playback","asset":"aaaaaaaaaaaa"}"#, 400), (#"{"scope":"playback","url":"no"}"#, 400),
        (#"{"scope":"playback","expires":"2001-01-31T20:00:00Z"}"#, 400), (#"{"scope":"playback","label":""}"#, 400),
    ])
    func issuesNoTokenForInvalidRequest(_ body: String, _ status: Int) async throws {
        try await withHost { host in
            #expect(try await host.call("POST", "/api/v1/tokens", body: body).status == status)
            let list: TokenList = try await host.answer("GET", "/api/v1/tokens")
            #expect(list.tokens.count == 1)
        }
    }

    @Test func refusesExpiredToken() async throws {
        let time = ManualTime()
        let access = AccessControl(key: TestServer.key) { time.now }
        let token = try await access.issue(asset: nil, label: nil, expires: time.now + 10).token
        let context = TestServer.context(FakeSource([1, 2, 3]), access: access)
        let request = "HEAD \(TestServer.playPath(token)) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect(try TestServer.connect(context).exchange(request)?.status != 403)
        time.advance(by: .seconds(10))
        #expect(try TestServer.connect(context).exchange(request)?.status == 403)
    }
}
