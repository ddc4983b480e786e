import MediaCacheTesting
import Testing

@testable import MediaCache

struct CacheCoverageTests {
    private static let body = ScriptedBody.random(seed: 4, length: 300_000)

    @Test func coversWrittenAndClosedResources() async throws {
        let fixture = try EngineFixture(serving: ScriptedResource(Self.body))
        let absent = try ResourceURL("http://origin.example/absent.mp4")
        let range = RequestedRange.closed(100_000, through: 199_999)
        let store = try await fixture.open()
        _ = try await store.fill(ReadRequest(url: fixture.url, range: range, transferClass: .download, pins: true))
        #expect(store.statistics.bytesCommitted == 0)
        let requests = [
            ReadRequest(url: fixture.url, range: range), ReadRequest(url: absent),
            ReadRequest(url: fixture.url, range: .from(150_000)), ReadRequest(url: fixture.url),
        ]
        func check(_ store: CacheStore) async throws {
            let coverages = try await store.coverage(of: requests)
            #expect(coverages.map { $0?.isWhole } == [true, nil, false, false])
            #expect(coverages[2]?.missing == [200_000..<300_000])
            #expect(coverages[3]?.missing == [0..<100_000, 200_000..<300_000])
            #expect(coverages[3]?.bytesCached == 100_000)
            #expect(coverages[3]?.isPinned == true)
        }
        try await check(store)
        let next = try await fixture.reopen(store)
        try await check(next)
        #expect(next.table.all.isEmpty)
        await next.close()
    }
}
