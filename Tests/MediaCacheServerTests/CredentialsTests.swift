import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of data fetched with a URL's user information: the requests, the cache keys and the records.
struct CredentialsTests {
    private let origin: GuardedOrigin
    private let folder = TestFolder()

    init() throws { origin = try GuardedOrigin() }

    private func withHost(_ body: (CacheHost) async throws -> Void) async throws {
        try await CacheHost.use(folder: folder.path, origin: origin, { _ in }, body)
    }

    private func get(_ host: CacheHost, _ url: String) async throws -> DownloadRecord {
        try await host.download(#"{"url":"\#(url)"}"#)
    }

    private func info(_ host: CacheHost, _ url: String) async throws -> ResourceRecord? {
        let answer = try await host.call("GET", "/api/v1/resources?file=true&url=\(APIClient.escape(url))")
        guard answer.status == 200 else { return nil }
        return try answer.decoded(ResourceRecord.self)
    }

    /// Returns the path of a play URL from the API.
    private func playPath(_ host: CacheHost, _ url: String) async throws -> String {
        let link: PlayLink = try await host.answer("GET", "/api/v1/urls?url=\(APIClient.escape(url))")
        return try #require(URL(string: link.playURL)).path(percentEncoded: true)
    }

    private func file(_ record: ResourceRecord?) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: try #require(record?.localFile))))
    }

    @Test(arguments: [
        "http://bob:secret@origin.example/private/film.mp4", "http://bob@origin.example/private/film.mp4",
        "http://origin.example/private/film.mp4",
    ])
    func findsDataCachedWithCredentials(url: String) async throws {
        func check(_ host: CacheHost) async throws {
            #expect(try file(try await info(host, url)) == GuardedOrigin.body("bob"))
            let again = try await get(host, url)
            #expect(again.state == .complete, "\(again)")
            #expect(try await info(host, url)?.complete == true)
            #expect(try await host.exchange("GET", try await playPath(host, url)).body == GuardedOrigin.body("bob"))
        }
        try await withHost { host in
            #expect(try await get(host, "http://bob:secret@origin.example/private/film.mp4").state == .complete)
            try await check(host)
        }
        try await withHost { host in
            let sentBytes = origin.scripted.bodyBytes
            try await check(host)
            #expect(origin.scripted.bodyBytes == sentBytes)
            let id = try #require(try await info(host, url)).id
            #expect(try await host.call("DELETE", "/api/v1/resources/\(id)").status == 200)
            #expect(try await info(host, url) == nil)
        }
    }

    @Test func separatesCachedDataOfUsers() async throws {
        try await withHost { host in
            for (user, password) in [("bob", "secret"), ("alice", "hidden")] {
                let url = "http://\(user):\(password)@origin.example/private/film.mp4"
                let path = try await playPath(host, url)
                #expect(try await host.exchange("GET", path).body == GuardedOrigin.body(user))
            }
            let bobs = try await info(host, "http://bob@origin.example/private/film.mp4")
            #expect(try file(bobs).starts(with: "bob".utf8))
            let alices = try await info(host, "http://alice@origin.example/private/film.mp4")
            #expect(try file(alices).starts(with: "alice".utf8))
            #expect(try await info(host, "http://carol@origin.example/private/film.mp4") == nil)
        }
    }

    @Test func assetHasLengthOfItsUsersFile() async throws {
        try await withHost { host in
            for user in ["bob:secret", "alice:hidden"] {
                let path = try await playPath(host, "http://\(user)@origin.example/private/film.mp4")
                #expect(try await host.exchange("GET", path).status == 200)
            }
            let body = #"{"url":"http://bob@origin.example/private/film.mp4"}"#
            let added: AssetRecord = try await host.answer("POST", "/api/v1/assets", body: body)
            #expect(added.length == 150_000 && added.bytes == 150_000)
            let read: AssetRecord = try await host.answer("GET", "/api/v1/assets/\(added.id)")
            #expect(read == added)
        }
    }

    @Test func requestsWithoutCredentialsContainNoUser() async throws {
        let plain = try ResourceURL("http://origin.example/public.mp4")
        try await withHost { host in
            let path = try await playPath(host, "http://bob:secret@origin.example/private/film.mp4")
            #expect(try await host.exchange("GET", path).status == 200)
            #expect(try await host.play(plain).body == GuardedOrigin.body("public"))
            // The private file isn't available without a password.
            let denied = try ResourceURL("http://origin.example/private/film.mp4")
            #expect(try await host.play(denied).status == 502)
        }
        try await withHost { host in
            let cached = try await info(host, plain.description)
            #expect(cached?.complete == true)
            #expect(try await host.play(plain).body == GuardedOrigin.body("public"))
        }
        #expect(origin.scripted.requests(for: plain).allSatisfy { $0.headerFields[.authorization] == nil })
    }

    @Test func requestsReferencesWithCredentialsOfPlaylist() async throws {
        try await withHost { host in
            let path = try await playPath(host, "http://bob:secret@origin.example/private/list.m3u8")
            let playlist = try await host.exchange("GET", path).text
            let references = playlist.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
            #expect(references.count == 2)
            for reference in references {
                let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
                let segment = reference.hasPrefix("/") ? reference : folder + reference
                let body = try await host.exchange("GET", segment).body
                #expect(body.dropFirst().starts(with: "bob".utf8), "\(reference)")
            }
            let stream = try #require(try await info(host, "http://bob@origin.example/private/list.m3u8")?.stream)
            #expect(stream.playsWithoutOrigin)
        }
    }

    @Test func requestsReferencesWithTheirOwnCredentials() async throws {
        try await withHost { host in
            let url = try ResourceURL("http://origin.example/mixed.m3u8")
            let playlist = try await host.play(url).text
            #expect(!playlist.contains("secret") && !playlist.contains("hidden"))
            let references = playlist.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
            for (reference, user) in zip(references, ["bob", "alice"]) {
                let body = try await host.exchange("GET", reference).body
                #expect(body.dropFirst().starts(with: user.utf8), "\(reference)")
            }
            #expect(try await info(host, url.description)?.stream?.playsWithoutOrigin == true)
        }
        // The cached data plays after a restart.
        try await withHost { host in
            let sentBytes = origin.scripted.bodyBytes
            let playlist = try await host.play(try ResourceURL("http://origin.example/mixed.m3u8")).text
            let references = playlist.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
            #expect(references.count == 2)
            for reference in references { #expect(try await host.exchange("GET", reference).status == 200) }
            #expect(origin.scripted.bodyBytes == sentBytes)
        }
    }

    @Test func repairsWithCredentialsOfUser() async throws {
        try await withHost { host in
            let url = "http://bob:secret@origin.example/private/film.mp4"
            _ = try await get(host, url)
            let cached = try await info(host, url)
            let path = try #require(try await info(host, url)?.localFile)
            let blob = try FileHandle(forUpdating: URL(filePath: path))
            try blob.seek(toOffset: 70_000)
            try blob.write(contentsOf: Data("damage".utf8))
            try blob.close()
            let report: VerifyReport = try await host.answer("POST", "/api/v1/verify", body: #"{"repair": true}"#)
            #expect(report.findings.map(\.isRepaired) == [true], "\(report)")
            #expect(try file(try await info(host, url)) == GuardedOrigin.body("bob"))
            #expect(try await info(host, url)?.id == cached?.id)
        }
    }

    /// Users may add user information to a play URL by hand.
    @Test func acceptsUserInformationInPlayURL() async throws {
        try await withHost { host in
            let path = "/play/\(host.server.playbackToken)/http/bob:secret@origin.example/private/list.m3u8"
            let playlist = try await host.exchange("GET", path).text
            #expect(playlist.hasPrefix("#EXTM3U"))
            #expect(!playlist.contains("secret") && !playlist.contains("bob"))
        }
    }

    @Test func reportsNeitherUserNorPassword() async throws {
        let url = "http://bob:secret@origin.example/private/film.mp4"
        try await withHost { host in
            let path = try await playPath(host, url)
            var reports = [path]
            func note(_ response: RawResponse) {
                reports.append("\(response.status) \(response.fields) \(response.text)")
            }
            #expect(try await host.exchange("GET", path).status == 200)
            note(try await host.exchange("GET", path, ["Range: bytes=9000000-"]))
            note(try await host.call("GET", "/api/v1/resources"))
            note(try await host.call("GET", "/api/v1/resources?url=\(APIClient.escape(url))"))
            note(try await host.call("GET", "/api/v1/resources?url=\(APIClient.escape(url + ".other"))"))
            note(try await host.call("POST", "/api/v1/downloads", body: "{\"url\":\"\(url)\"}"))
            note(try await host.call("GET", "/api/v1/downloads?wait=10000"))
            note(try await host.call("GET", "/api/v1/assets"))
            note(try await host.call("POST", "/api/v1/verify", body: "{\"repair\": false}"))
            note(try await host.call("DELETE", "/api/v1/resources?pinned=true"))
            for text in reports { #expect(!text.contains("secret") && !text.contains("bob"), "\(text.prefix(2000))") }
        }
    }
}
