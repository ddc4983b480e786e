import HTTPTypes
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of a partly cached resource when the origin forbids storing the rest.
struct ForbiddenTests {
    static let body = ScriptedBody.random(seed: 95, length: 5_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    /// Returns a store that has cached the first part.
    private func open() async throws -> CacheStore {
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 100_000, maximum: 100_000) }
        _ = try await store.bytes(fixture.url, .closed(0, through: 9))
        await store.settled { $0.statistics.runningFills == 0 }
        return store
    }

    private static let refusals: [HTTPFields] = [[.cacheControl: "no-store"], [.vary: "Cookie"]]

    @Test(arguments: refusals)
    func doesNotStoreForbiddenRest(_ fields: HTTPFields) async throws {
        let store = try await open()
        let cached = try #require(try await store.resource(for: fixture.url)).spans
        fixture.origin.always(fixture.url, .headerFields(fields))
        let (sent, counted) = (fixture.origin.bodyBytes, store.statistics.bytesFromOrigin)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(store.statistics.bytesFromOrigin - counted == fixture.origin.bodyBytes - sent)
        #expect(try await store.resource(for: fixture.url)?.spans == cached)
        #expect(!store.engine.health.isFailing)
        let failure = await #expect(throws: CacheError.self) { try await store.complete(ReadRequest(url: fixture.url)) }
        // A rule prevents storing, not a lack of space.
        #expect(failure?.code == .storage && failure?.isByRule == true)
        #expect(try await store.resource(for: fixture.url)?.spans == cached)
        // The origin permits storing again.
        fixture.origin.clearFaults(fixture.url)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test func passesForbiddenResponseToWaitingReaders() async throws {
        let store = try await open()
        let before = fixture.origin.requests.count
        let gate = ScriptedGate()
        fixture.origin.always(fixture.url, .headerFields([.cacheControl: "no-store"]), .holdHead(gate))
        let range = RequestedRange.closed(1_000_000, through: 1_049_999)
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await store.bytes(fixture.url, range) == Self.body.bytes(in: 1_000_000..<1_050_000)
                }
            }
            // A reader that arrives after the response sends another request.
            await store.settled { store in
                store.table[store.key(for: fixture.url)]?.current?.state.withLock { $0.waiters.count } == 8
            }
            gate.open()
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(right)
        #expect(fixture.origin.requests.count <= before + 3)
        await store.close()
    }

    @Test func storesRestForPermittedReader() async throws {
        let store = try await open()
        fixture.origin.always(fixture.url, .headerFields([.cacheControl: "no-store"]))
        let settings = TransferSettings(storesNoStoreResponses: true)
        let info = try await store.complete(ReadRequest(url: fixture.url, settings: settings))
        #expect(info.isComplete)
        await store.close()
    }

    @Test func followsHeaderFieldsOfContinuedResponse() async throws {
        let store = try await fixture.open { $0.transfers.retries = .atOnce(2) }
        fixture.origin.next(fixture.url, .reset(after: 200_000))
        fixture.origin.always(fixture.url, .headerFields([.cacheControl: "no-store"]))
        #expect(try await store.bytes(fixture.url, .closed(0, through: 499_999)) == Self.body.bytes(in: 0..<500_000))
        let info = try #require(try await store.resource(for: fixture.url))
        #expect(info.bytesCached <= 200_000 && info.bytesCached > 0)
        await store.close()
    }
}
