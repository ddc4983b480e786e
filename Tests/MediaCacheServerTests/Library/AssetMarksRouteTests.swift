import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

/// Tests of the positions, watched marks and tags of assets in the API.
struct AssetMarksRouteTests {
    private let origin = ScriptedOrigin()

    @Test func changesMarksAndFiltersByTag() async throws {
        let urls = try ["a", "b"].map { try ResourceURL("http://origin.example/\($0).mp4") }
        for url in urls { origin[url] = ScriptedResource(.random(seed: 1, length: 1000), contentType: "video/mp4") }
        try await CacheHost.use(origin: origin) { host in
            let client = try host.client()
            var ids: [String] = []
            for url in urls { ids.append(try await host.download(#"{"url":"\#(url)"}"#).id) }
            let marked = try await client.updateAsset(
                ids[0], AssetUpdate(position: 30, duration: 100, watched: true, tags: ["family"]))
            #expect(marked.position == 30 && marked.watched != nil && marked.tags == ["family"])
            #expect(marked.title == "a")
            let other: AssetRecord = try await host.answer("GET", "/api/v1/assets/\(ids[1])")
            #expect(other.position == nil && other.watched == nil && other.tags == nil)
            let tagged: AssetList = try await host.answer("GET", "/api/v1/assets?tag=family")
            #expect(tagged.assets.map(\.id) == [ids[0]])
            let none: AssetList = try await host.answer("GET", "/api/v1/assets?tag=famil")
            #expect(none.assets.isEmpty)
            // The marks survive changes to the download's record.
            _ = try await host.download(#"{"url":"\#(urls[0])","title":"A film"}"#)
            let again: AssetRecord = try await host.answer("GET", "/api/v1/assets/\(ids[0])")
            #expect(again.title == "A film" && again.position == 30 && again.tags == ["family"])
        }
    }

    @Test(arguments: [
        #"{"position":-1}"#, #"{"position":1e300}"#, #"{"duration":-1,"position":1}"#, #"{"watched":"yes"}"#,
        #"{"tags":"family"}"#, #"{"tags":[1]}"#,
    ])
    func refusesInvalidMark(_ body: String) async throws {
        let url = try ResourceURL("http://origin.example/a.mp4")
        origin[url] = ScriptedResource(.random(seed: 1, length: 1000), contentType: "video/mp4")
        try await CacheHost.use(origin: origin) { host in
            let id = try await host.download(#"{"url":"\#(url)"}"#).id
            #expect(try await host.call("PATCH", "/api/v1/assets/\(id)", body: body).status == 400)
            let tags = (0...100).map { "\"\($0)\"" }.joined(separator: ",")
            #expect(try await host.call("PATCH", "/api/v1/assets/\(id)", body: "{\"tags\":[\(tags)]}").status == 400)
            #expect(
                try await host.call("PATCH", "/api/v1/assets/aaaaaaaaaaaa", body: #"{"watched":true}"#).status == 404)
        }
    }
}
