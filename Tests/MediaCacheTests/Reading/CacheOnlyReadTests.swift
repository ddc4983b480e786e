import MediaCache
import MediaCacheTesting
import Testing

/// Tests of reads that must not send requests.
struct CacheOnlyReadTests {
    private static let body = ScriptedBody.random(seed: 11, length: 3_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    private func request() -> ReadRequest {
        var settings = TransferSettings(retries: RetryPolicy(budget: 0))
        settings.allowsOriginRequests = false
        return ReadRequest(url: fixture.url, settings: settings)
    }

    @Test func readsCachedContentWithoutRequest() async throws {
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url)
        let store = try await fixture.reopen(first)
        let requestCount = fixture.origin.requests.count
        // The version expired long ago.
        fixture.time.advance(by: .seconds(90 * 86_400))
        #expect(try await store.bytes(request()) == Self.body.bytes)
        #expect(fixture.origin.requests.count == requestCount)
        await store.close()
    }

    @Test func reportsPositionOfHole() async throws {
        let store = try await fixture.open {
            $0.transfers.readAhead = ReadAhead(initial: 1 << 16, maximum: 1 << 16)
        }
        _ = try await store.bytes(fixture.url, .closed(0, through: 65_535))
        let requestCount = fixture.origin.requests.count
        let session = try await store.read(request())
        await expectError(.notFound) { try await session.allBytes() }
        #expect(session.position >= 65_536)
        #expect(fixture.origin.requests.count == requestCount)
        // Other reads can still fill the hole.
        session.cancel()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }

    @Test func reportsUnknownResourceAsNotFound() async throws {
        let store = try await fixture.open()
        await expectError(.notFound) { try await store.read(request()) }
        let settings = request().settings
        let whole = WholeBodyRequest(url: fixture.url, settings: settings) { _ in true }
        await expectError(.notFound) { try await store.wholeBody(whole) }
        #expect(fixture.origin.requests.isEmpty)
        await store.close()
    }
}
