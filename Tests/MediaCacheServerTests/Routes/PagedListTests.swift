import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheAPI
@testable import MediaCacheServer

struct PagedListTests {
    private let origin = ScriptedOrigin()

    private func withSongs(_ count: Int, _ body: (CacheHost, [ResourceURL]) async throws -> Void) async throws {
        let urls = try (0..<count).map { try ResourceURL("http://origin.example/\($0).mp3") }
        for url in urls { origin[url] = ScriptedResource(.bytes([1, 2, 3])) }
        try await CacheHost.use(origin: origin) { host in
            for url in urls { #expect(try await host.play(url).status == 200) }
            try await body(host, urls)
        }
    }

    @Test func pagesCoverWholeList() async throws {
        try await withSongs(5) { host, _ in
            let all: ResourceList = try await host.answer("GET", "/api/v1/resources")
            #expect(all.resources.count == 5 && all.next == nil)
            var seen: [ResourceRecord] = []
            var query = "?state=complete&limit=2"
            for count in [2, 2, 1] {
                let answer = try await host.call("GET", "/api/v1/resources\(query)")
                let page = try answer.decoded(ResourceList.self)
                #expect(page.resources.count == count)
                seen += page.resources
                guard let next = page.next else {
                    #expect(answer.fields["link"] == nil)
                    break
                }
                query = "?state=complete&limit=2&after=\(next)"
                #expect(answer.fields["link"] == "<\(query)>; rel=\"next\"")
            }
            #expect(seen.map(\.id) == all.resources.map(\.id))
        }
    }

    /// A page begins after a position in the sort order, not at an index.
    @Test func keepsPagesStableDuringRemovals() async throws {
        try await withSongs(4) { host, urls in
            for url in urls { _ = try await host.call("POST", "/api/v1/assets", body: #"{"url": "\#(url)"}"#) }
            let all: AssetList = try await host.answer("GET", "/api/v1/assets")
            let first: AssetList = try await host.answer("GET", "/api/v1/assets?limit=2")
            // The removed items include the last one on the page.
            for asset in first.assets { _ = try await host.call("DELETE", "/api/v1/assets/\(asset.id)") }
            let second: AssetList = try await host.answer(
                "GET", "/api/v1/assets?limit=2&after=\(try #require(first.next))")
            #expect(second.assets.map(\.id) == all.assets.suffix(2).map(\.id) && second.next == nil)
        }
    }

    @Test(arguments: ["limit=0", "limit=1001", "limit=x", "limit=", "after=x", "after=bnVsbA", "after="])
    func refusesInvalidPages(_ query: String) async throws {
        try await withSongs(1) { host, _ in
            for list in ["resources", "assets", "downloads", "channels"] {
                let answer = try await host.call("GET", "/api/v1/\(list)?\(query)")
                #expect(answer.status == 400 && answer.fields["content-type"] == Problem.contentType, "\(list)")
            }
        }
    }

    @Test func truncatesLongListByDefault() throws {
        let request = try PageRequest(RouteRequest(method: .get, path: "/"))
        let page = try Page(Array(0..<25), of: request, cap: 10) { $0 }
        #expect(page.items == Array(0..<10))
        var seen = page.items
        var next = page.next
        while let after = next {
            let page = try Page(
                Array(0..<25), of: try PageRequest(RouteRequest(method: .get, path: "/", query: "after=\(after)")),
                cap: 10
            ) { $0 }
            seen += page.items
            next = page.next
        }
        #expect(seen == Array(0..<25))
    }

    @Test func followsPagesInClient() async throws {
        try await withSongs(5) { host, _ in
            let resources = try await host.client().all(ResourceList.self, "/api/v1/resources?limit=2")
            #expect(Set(resources.map(\.id)).count == 5 && resources.count == 5)
        }
    }
}
