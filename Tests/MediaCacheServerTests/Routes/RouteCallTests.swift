import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

/// Tests of entity tags, conditions and methods of routes.
struct RouteCallTests {
    private let origin = ScriptedOrigin()
    private let url: ResourceURL
    private let settings = "/api/v1/settings/downloads"

    init() throws {
        url = try ResourceURL("http://origin.example/song.mp3")
        origin[url] = ScriptedResource(.bytes([1, 2, 3]))
    }

    @Test func returns304ForUnchangedResource() async throws {
        try await CacheHost.use(origin: origin) { host in
            let first = try await host.call("GET", settings)
            let tag = try #require(first.fields["etag"])
            #expect(tag.hasPrefix("\"") && first.fields["cache-control"] == "private, no-cache")
            let second = try await host.call("GET", settings, "If-None-Match: \"other\", \(tag)")
            #expect(second.status == 304 && second.body.isEmpty && second.fields["etag"] == tag)
            let head = try await host.call("HEAD", settings)
            #expect(head.fields["etag"] == tag && head.fields["content-length"] == "\(first.body.count)")
            _ = try await host.call("PATCH", settings, body: #"{"bandwidth": 1000}"#)
            let changed = try await host.call("GET", settings, "If-None-Match: \(tag)")
            #expect(changed.status == 200 && changed.fields["etag"] != tag)
        }
    }

    @Test func refusesChangeOfOutdatedVersion() async throws {
        try await CacheHost.use(origin: origin) { host in
            let tag = try #require(try await host.call("GET", settings).fields["etag"])
            let first = try await host.call("PATCH", settings, "If-Match: \(tag)", body: #"{"bandwidth": 1000}"#)
            #expect(first.status == 200)
            let second = try await host.call("PATCH", settings, "If-Match: \(tag)", body: #"{"bandwidth": 2000}"#)
            #expect(second.status == 412 && second.fields["content-type"] == Problem.contentType)
            let stored: DownloadSettings = try await host.answer("GET", settings)
            #expect(stored.bandwidth == 1000)
            #expect(try await host.call("PATCH", settings, "If-Match: *", body: "{}").status == 200)
            #expect(try await host.call("PATCH", settings, "If-None-Match: *", body: "{}").status == 412)
        }
    }

    /// If several clients have the same version, only one of them can change it.
    @Test func serializesConditionalChanges() async throws {
        try await CacheHost.use(origin: origin) { host in
            let tag = try #require(try await host.call("GET", settings).fields["etag"])
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for number in 1...16 {
                    tasks.addTask {
                        let body = #"{"bandwidth": \#(number)}"#
                        return try await host.call("PATCH", settings, "If-Match: \(tag)", body: body).status
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 412 } == 15)
        }
    }

    @Test func evaluatesConditionsWithoutRepresentation() async throws {
        try await CacheHost.use(origin: origin) { host in
            #expect(try await host.play(url).status == 200)
            let asset: AssetRecord = try await host.answer("POST", "/api/v1/assets", body: #"{"url": "\#(url)"}"#)
            let cover = "/api/v1/assets/\(asset.id)/cover"
            // No representation exists yet, so `If-Match` fails and `If-None-Match` succeeds.
            let picture = "\u{47}IF89a-and-so-on"
            #expect(try await host.call("PUT", cover, "If-Match: *", body: picture).status == 412)
            #expect(try await host.call("PUT", cover, "If-None-Match: *", body: picture).status == 200)
            #expect(try await host.call("PUT", cover, "If-None-Match: *", body: picture).status == 412)
            // A missing resource can't be changed under any condition.
            #expect(try await host.call("DELETE", "/api/v1/assets/aaaaaaaaaaaa", "If-Match: *").status == 404)
            // A path without GET has no representation that could match.
            #expect(try await host.call("PUT", "/api/v1/resources/1/pin", "If-Match: *").status == 412)
        }
    }

    @Test func forbidsStoringSecrets() async throws {
        try await CacheHost.use(origin: origin) { host in
            let link = try await host.call("GET", "/api/v1/urls?url=\(APIClient.escape(url.description))")
            #expect(link.status == 200 && link.fields["cache-control"] == "no-store")
        }
        try await CacheHost.use(origin: origin, { $0.host = "0.0.0.0" }) { host in
            #expect(try await host.play(url).status == 200)
            _ = try await host.call("POST", "/api/v1/assets", body: #"{"url": "\#(url)"}"#)
            let assets = try await host.call("GET", "/api/v1/assets")
            #expect(assets.text.contains(host.server.playbackToken))
            #expect(assets.fields["cache-control"] == "no-store" && assets.fields["etag"] != nil)
        }
    }

    @Test(arguments: [
        ("DELETE", "/healthz", "GET, HEAD"), ("POST", "/metrics", "GET, HEAD"), ("TRACE", "/api/v1/usage", "GET, HEAD"),
        ("GET", "/api/v1/prune", "POST"), ("DELETE", "/api/v1/downloads/pause", "POST"),
        ("PATCH", "/api/v1/bundles", "GET, HEAD, POST"), ("OPTIONS", "/api/v1/header-profiles", "PUT"),
    ])
    func listsSupportedMethods(_ method: String, _ path: String, _ allowed: String) async throws {
        try await CacheHost.use(origin: origin) { host in
            let answer = try await host.call(method, path)
            #expect(answer.status == 405 && answer.fields["allow"] == allowed)
            let problem = try answer.decoded(Problem.self)
            #expect(problem.status == 405 && problem.allowed?.joined(separator: ", ") == allowed)
        }
    }
}
