import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of `/items`, the list of playable items for other devices, and of the library token, which opens it.
struct ItemsRouteTests {
    private let origin = ScriptedOrigin()
    private let film = "http://me:secret@origin.example/film.mp4?token=hidden"
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47] + (0..<96).map { UInt8($0) }

    init() throws {
        for name in ["film.mp4?token=hidden", "other.mp4"] {
            origin[try ResourceURL("http://origin.example/\(name)")] = ScriptedResource(
                .random(seed: 3, length: 5000), contentType: "video/mp4")
        }
        origin[try ResourceURL("http://origin.example/live.m3u8")] = .playlist(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:4\n#EXTINF:6,\n4.ts\n")
        origin[try ResourceURL("http://origin.example/4.ts")] = ScriptedResource(
            .bytes((0..<10).flatMap { _ in [0x47] + [UInt8](repeating: 1, count: 187) }), contentType: "video/mp2t")
    }

    private func withHost(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (CacheHost) async throws -> Void
    ) async throws {
        try await CacheHost.use(
            origin: origin,
            {
                $0.allowedHosts = ["cache.example"]
                $0.sharesLibrary = true
                change(&$0)
            }, body)
    }

    private func items(_ host: CacheHost) async throws -> [PlayableItem] {
        let response = try await host.exchange("GET", try itemsPath(host))
        #expect(response.status == 200, "\(response.text)")
        return try response.decoded(PlayableItemList.self).items
    }

    private func itemsPath(_ host: CacheHost) throws -> String {
        let token = try #require(host.server.libraryToken)
        return "/k/\(token)/items"
    }

    @Test func listsPlayableItems() async throws {
        try await withHost { host in
            #expect(try await items(host).isEmpty)
            let download = try await host.download(#"{"url":"\#(film)","title":"A film"}"#)
            #expect(download.state == .complete)
            try await host.client().setCover(Cover(bytes: Self.png, mediaType: "image/png"), of: download.id)
            let added = try await host.call(
                "POST", "/api/v1/channels", body: #"{"name":"news","url":"http://origin.example/live.m3u8"}"#)
            #expect(added.status == 201)
            while try await host.answer("GET", "/api/v1/channels/news", as: ChannelRecord.self).segments < 1 {
                await Task.yield()
            }
            // A file that was only played isn't listed, even if it is an asset.
            let other = try ResourceURL("http://origin.example/other.mp4")
            #expect(try await host.play(other).status == 200)
            #expect(try await host.call("POST", "/api/v1/assets", body: #"{"url":"\#(other)"}"#).status == 201)

            let items = try await items(host)
            #expect(Set(items.map(\.path)) == ["library/\(download.id)/", "live/news/"])
            let found = try #require(items.first { $0.kind == .file })
            #expect(found.title == "A film" && found.isFinished && found.cachedShare == 1 && found.holeCount == 0)
            #expect(found.coverChanged != nil)
            let channel = try #require(items.first { $0.kind == .channel })
            #expect(channel.title == "news" && !channel.isFinished && channel.coverChanged == nil)
            #expect(try await host.client().playableItems() == items)

            // The paths are relative to the list.
            let folder = try itemsPath(host).dropLast("items".count)
            let cover = try await host.exchange("GET", "\(folder)\(found.path)cover")
            #expect(cover.body == Self.png)
            let media = try await host.exchange("GET", "\(folder)\(found.path)")
            #expect(media.status == 200 && media.body.count == 5000)
            #expect(try await host.exchange("GET", "\(folder)\(channel.path)index.m3u8").status == 200)
        }
    }

    @Test func listContainsNeitherOriginNorSecret() async throws {
        try await withHost { host in
            _ = try await host.download(#"{"url":"\#(film)","headers":{"X-Secret":"hidden"}}"#)
            let response = try await host.exchange("GET", try itemsPath(host))
            #expect(try response.decoded(PlayableItemList.self).items.map(\.title) == ["film"])
            let token = try #require(host.server.libraryToken)
            for secret in ["origin.example", "hidden", "secret", host.key.value, host.server.playbackToken, token] {
                #expect(!response.text.contains(secret), "\(secret)")
            }
            #expect(response.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func dividesListIntoPages() async throws {
        try await withHost { host in
            for name in ["film.mp4?token=hidden", "other.mp4"] {
                _ = try await host.download(#"{"url":"http://origin.example/\#(name)"}"#)
            }
            let all = try await items(host)
            let path = try itemsPath(host)
            let first = try await host.exchange("GET", "\(path)?limit=1").decoded(PlayableItemList.self)
            let next = try #require(first.next)
            let second = try await host.exchange("GET", "\(path)?limit=1&after=\(next)").decoded(PlayableItemList.self)
            #expect(first.items + second.items == all && all.count == 2 && second.next == nil)
        }
    }

    /// Tokens for players don't give access to the list. The library token gives access only to the list and the paths
    /// in it.
    @Test(arguments: [false, true])
    func opensListOnlyWithLibraryTokenOrKey(isPublic: Bool) async throws {
        try await withHost {
            $0.publicRead = isPublic
        } _: { host in
            let token = try #require(host.server.libraryToken)
            let playback: TokenRecord = try await host.answer("POST", "/api/v1/tokens", body: #"{"scope":"playback"}"#)
            let download = try await host.download(#"{"url":"\#(film)"}"#)
            let asset: TokenRecord = try await host.answer(
                "POST", "/api/v1/tokens", body: #"{"scope":"asset","asset":"\#(download.id)"}"#)
            #expect(try await host.call("GET", "/items").status == 200)
            #expect(try await host.exchange("GET", "/items").status == 401)
            for other in [try #require(playback.token), try #require(asset.token), host.server.playbackToken, "wrong"] {
                #expect(try await host.exchange("GET", "/k/\(other)/items").status == 403)
            }
            for secret in [token, host.server.playbackToken] {
                #expect(try await host.exchange("GET", "/items", ["Authorization: Bearer \(secret)"]).status == 401)
            }
            for path in ["/items/", "/items/x", "/api/v1/assets", "/api/v1/tokens", "/metrics", "/", "/page/main.js"] {
                #expect(try await host.exchange("GET", "/k/\(token)\(path)").status == 403, "\(path)")
            }
            for method in ["POST", "DELETE", "PUT"] {
                #expect(try await host.exchange(method, "/k/\(token)/items").status == 405)
                #expect(try await host.exchange(method, "/k/\(token)/library/\(download.id)/").status == 405)
            }
            let url = try ResourceURL("http://origin.example/film.mp4?token=hidden")
            #expect(try await host.exchange("GET", PlayTarget.path(for: url, token: token)).status == 403)
            #expect(try await host.exchange("GET", "/api/v1/assets", ["Authorization: Bearer \(token)"]).status == 401)
        }
    }

    @Test func libraryTokenIsValidOnlyIfShared() throws {
        let key = AccessKey()
        let sharing = AccessControl(key: key, sharesLibrary: true)
        let token = try #require(sharing.libraryToken)
        #expect(sharing.grant(for: token) == .library && token != sharing.playbackToken)
        #expect(token.utf8.count * 6 >= 128)
        let other = AccessControl(key: key)
        #expect(other.libraryToken == nil && other.grant(for: token) == nil)
        #expect(other.tokens().map(\.id) == [AccessControl.standingID])
    }

    @Test func revokesLibraryTokenWithoutStandingToken() async throws {
        try await withHost { host in
            let (token, standing) = (try #require(host.server.libraryToken), host.server.playbackToken)
            let list: TokenList = try await host.answer("GET", "/api/v1/tokens")
            #expect(list.tokens.map(\.id) == ["standing", "library"])
            #expect(list.tokens.last?.scope == .library && list.tokens.last?.token == nil)
            let shown: TokenRecord = try await host.answer("GET", "/api/v1/tokens/library")
            #expect(shown.token == token)
            let issued = try await host.call("POST", "/api/v1/tokens", body: #"{"scope":"library"}"#)
            #expect(issued.status == 400)
            #expect(try await host.exchange("GET", "/k/\(token)/items").status == 200)
            #expect(try await host.call("DELETE", "/api/v1/tokens/library").status == 204)
            #expect(try await host.exchange("GET", "/k/\(token)/items").status == 403)
            #expect(host.server.playbackToken == standing)
            let fresh = try #require(host.server.libraryToken)
            #expect(try await host.exchange("GET", "/k/\(fresh)/items").status == 200)
            _ = try await host.server.rollKey()
            #expect(try await host.exchange("GET", "/k/\(fresh)/items").status == 403)
        }
    }
}
