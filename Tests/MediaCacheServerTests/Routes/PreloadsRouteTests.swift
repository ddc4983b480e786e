import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct PreloadsRouteTests {
    private let origin = ScriptedOrigin()

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/\(name)") }

    private func serveFile(_ name: String, length: Int = 500_000) throws -> ResourceURL {
        let url = try url(name)
        origin[url] = ScriptedResource(
            .bytes((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }), entityTag: "\"1\"",
            contentType: "video/x-matroska")
        return url
    }

    private func finish(_ id: String, _ client: APIClient) async throws -> PreloadRecord {
        while true {
            let record = try await client.preload(id)
            if record.isFinished { return record }
            await Task.yield()
        }
    }

    @Test func preloadsInOrderOfURLs() async throws {
        let (first, missing) = (try serveFile("a.mkv"), try url("none.mkv"))
        try await CacheHost.use(origin: origin) { host in
            let client = try host.client()
            let added = try await client.addPreload(
                of: [first, missing, first], PreloadRequest(urls: [], bytes: 100_000))
            #expect(added.items.map(\.url) == ["\(first)", "\(missing)"])
            let record = try await finish(added.id, client)
            #expect(record.items.map(\.state) == [.ready, .failed])
            #expect(record.items[0].bytes == 100_000 && record.items[0].length == 100_000)
            #expect(record.items[1].error?.contains("404") == true)
            #expect(try await client.preloads().map(\.id) == [added.id])
            // Preloaded bytes are cached without a pin, so they can be evicted.
            let resource = try #require(try await client.resource(for: first))
            #expect(resource.spans == [ByteSpan(start: 0, end: 100_000)] && !resource.pinned)
            try await client.removePreload(added.id)
            #expect(try await client.preloads().isEmpty)
            let problem = await #expect(throws: Problem.self) { try await client.preload(added.id) }
            #expect(problem?.status == 404)
        }
        #expect(origin.requests(for: first).count == 1)
    }

    @Test func changedListStopsOtherURLs() async throws {
        let (held, other) = (try serveFile("a.mkv"), try serveFile("b.mkv"))
        let gate = ScriptedGate()
        origin.always(held, .holdBody(at: 65_536, gate))
        try await CacheHost.use(origin: origin) { host in
            let client = try host.client()
            let added = try await client.addPreload(of: [held], PreloadRequest(urls: [], bytes: 200_000))
            await origin.wait { $0.contains { $0.bodyBytes == 65_536 } }
            try await client.updatePreload(added.id, to: [other], PreloadRequest(urls: [], bytes: 1000))
            #expect(origin.requests(for: held).allSatisfy { $0.progress == .cancelled })
            let record = try await finish(added.id, client)
            #expect(record.items.map(\.url) == ["\(other)"] && record.items[0].bytes == 1000)
            gate.open()
        }
    }

    @Test(arguments: [
        #"{"urls": []}"#, #"{"urls": ["ftp://h/"]}"#, #"{"urls": ["http://h/"], "seconds": 1, "bytes": 1}"#,
        #"{"urls": ["http://h/"], "seconds": -1}"#, #"{"urls": ["http://h/"], "variant": "large"}"#,
    ])
    func rejectsInvalidRequest(body: String) async throws {
        try await CacheHost.use(origin: origin) { host in
            let response = try await host.call("POST", "/api/v1/preloads", body: body)
            #expect(response.status == 400)
        }
    }

    @Test func stoppingServerStopsPreloads() async throws {
        let held = try serveFile("a.mkv")
        let gate = ScriptedGate()
        origin.always(held, .holdBody(at: 65_536, gate))
        try await CacheHost.use(origin: origin) { host in
            _ = try await host.client().addPreload(of: [held], PreloadRequest(urls: [], bytes: 200_000))
            await origin.wait { $0.contains { $0.bodyBytes == 65_536 } }
        }
        #expect(origin.requests(for: held).allSatisfy { $0.progress == .cancelled })
        gate.open()
    }
}
