import MediaCache
import MediaCacheTesting
import Testing

/// Tests of 200 responses to range requests.
struct IgnoredRangeTests {
    static let body = ScriptedBody.random(seed: 21, length: 2_500_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body, acceptsRanges: false)) }

    @Test(arguments: [
        RequestedRange.all, .from(2_000_000), .closed(1_000_000, through: 1_000_999), .suffix(500),
    ])
    func servesRangeAndStoresWholeContent(_ range: RequestedRange) async throws {
        let store = try await fixture.open()
        let events = store.events()
        let expected = try #require(range.resolved(in: Self.body.length))
        #expect(try await store.bytes(fixture.url, range) == Self.body.bytes(in: expected))
        #expect(fixture.origin.requests.count == 1)
        if range != .all {
            let isReported = await events.contains { if case .rangesIgnored = $0 { true } else { false } }
            #expect(isReported)
        }
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test func waitsForFillAtSeekIfRangesAreIgnored() async throws {
        let gate = fixture.holdNext(at: 200_000)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url, range: .from(10)))
        await gate.waitForArrivals()
        session.seek(to: 2_400_000)
        async let tail = session.allBytes()
        gate.open()
        #expect(try await tail == Self.body.bytes(in: 2_400_000..<2_500_000))
        #expect(fixture.origin.requests.count == 1)
        session.cancel()
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test func acceptsOriginThatStopsSupportingRanges() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(1_200_000, through: 1_200_999))
        fixture.origin.always(fixture.url, .ignoresRange)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    /// Only the bytes show that the whole content belongs to another version.
    @Test func neverMixesWholeContentOfAnotherVersion() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, entityTag: nil)
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 999))
        let other = ScriptedBody.random(seed: 22, length: Self.body.length)
        fixture.origin[fixture.url] = ScriptedResource(other, entityTag: nil, acceptsRanges: false)
        try await fixture.expectFailure(store, of: Self.body, code: .representationChanged)
        try await fixture.expectCorrectBytes(of: other, in: store)
        await store.close()
    }

    @Test func closesConnectionWithLastReader() async throws {
        _ = fixture.holdNext(at: 200_000)
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url, .closed(0, through: 99)) == Self.body.bytes(in: 0..<100))
        try await fixture.advancingClock { await fixture.origin.wait { $0[0].progress == .cancelled } }
        #expect(fixture.origin.requests[0].bodyBytes <= 200_000)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }
}
