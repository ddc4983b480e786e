import HTTPTypes
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of 206 responses whose `Content-Range` doesn't match the request.
struct ContentRangeFaultTests {
    static let body = ScriptedBody.random(seed: 11, length: 3_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    static let faults: [ScriptedFault] = [
        .wrongContentRange(start: 1), .wrongContentRange(start: -1, end: -1), .wrongContentRange(end: 1),
        .wrongContentRange(end: -1), .wrongContentRange(start: 100, end: 100), .contentRange(nil),
        .contentRange("garbage"), .contentRange("bytes 5-4/10"), .contentRange("bytes */3000000"),
        .contentRange("bytes 0-99999999999999999999/*"), .contentRange("items 0-10/20"),
        .contentRange("bytes 0-3000000/3000000"), .contentRange(""),
    ]

    @Test(arguments: faults)
    func refusesFirstResponseWithWrongRange(_ fault: ScriptedFault) async throws {
        let store = try await fixture.open()
        fixture.origin.always(fixture.url, fault)
        try await fixture.expectFailure(store, .from(500_000), of: Self.body, code: .badResponse)
        #expect(try await store.resource(for: fixture.url) == nil)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test(arguments: faults + [.wrongContentRange(total: 1), .wrongContentRange(total: -1)])
    func refusesLaterResponseWithWrongRange(_ fault: ScriptedFault) async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 999))
        fixture.origin.always(fixture.url, fault)
        try await fixture.expectFailure(store, of: Self.body, code: .badResponse)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    static let hugeRanges = [
        "bytes 9223372036854775307-9223372036854775806/9223372036854775807",
        "bytes 9223372036854775307-9223372036854775806/*",
        "bytes \((1 << 50) - 499)-\(1 << 50)/\((1 << 50) + 1)",
    ]

    /// The ranges end beyond the maximum length of a resource, 2⁵⁰ bytes. Sums with the larger offsets overflow.
    @Test(arguments: hugeRanges, [true, false])
    func refusesHugeOffsets(_ contentRange: String, _ hasLength: Bool) async throws {
        let store = try await fixture.open()
        let first = try #require(ContentRangeFaultTests.firstOffset(of: contentRange))
        let framing: ScriptedFault = hasLength ? .bufferSize(64 << 10) : .noContentLength
        for range in [RequestedRange.suffix(500), .from(first), .closed(first, through: first + 499)] {
            fixture.origin.always(fixture.url, .contentRange(contentRange), framing)
            try await fixture.expectFailure(store, range, of: Self.body, code: .badResponse)
        }
        #expect(try await store.resource(for: fixture.url) == nil)
        #expect(!store.engine.health.isFailing)
        let other = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin[other] = ScriptedResource(Self.body)
        #expect(try await store.complete(ReadRequest(url: other)).isComplete)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    private static func firstOffset(of contentRange: String) -> Int64? {
        contentRange.split(separator: " ").last?.split(separator: "-").first.flatMap { Int64($0) }
    }

    @Test(arguments: ["-1", "-9223372036854775808", "9223372036854775807", "\((1 << 50) + 1)"], [true, false])
    func refusesContentLengthOutOfRange(_ length: String, _ acceptsRanges: Bool) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, acceptsRanges: acceptsRanges)
        let store = try await fixture.open()
        fixture.origin.always(fixture.url, .headerFields([.contentLength: length]))
        try await fixture.expectFailure(store, of: Self.body, code: .badResponse)
        await #expect(throws: CacheError.self) {
            try await store.wholeBody(WholeBodyRequest(url: fixture.url) { _ in true })
        }
        #expect(try await store.resource(for: fixture.url) == nil)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test(arguments: faults)
    func retriesAfterOccasionalWrongRange(_ fault: ScriptedFault) async throws {
        let store = try await fixture.open { $0.transfers.retries = .atOnce(2) }
        fixture.origin.next(fixture.url, fault)
        fixture.origin.next(fixture.url)
        fixture.origin.next(fixture.url, fault)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    /// There is nothing to check the first response against. The next response reveals that its length was wrong.
    @Test func detectsWrongLengthOfFirstResponse() async throws {
        let store = try await fixture.open { $0.transfers.retries = .atOnce(2) }
        fixture.origin.next(fixture.url, .wrongContentRange(total: 1000))
        try await fixture.expectFailure(store, of: Self.body, code: .representationChanged)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    /// A server may send less than requested (RFC 9110 §15.3.7).
    @Test func requestsRestAfterShortRange() async throws {
        let store = try await fixture.open()
        fixture.origin.next(fixture.url, .contentRange("bytes 0-99999/3000000"), .closeDelimited(after: 100_000))
        fixture.origin.next(fixture.url)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests[1].range?.knownStart == 100_000)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test func determinesUnknownLengthAtEnd() async throws {
        fixture.origin[fixture.url] = ScriptedResource(.random(seed: 12, length: 1_500_000))
        let store = try await fixture.open()
        let body = ScriptedBody.random(seed: 12, length: 1_500_000)
        fixture.origin.next(fixture.url, .contentRange("bytes 0-1048575/*"))
        fixture.origin.next(fixture.url, .contentRange("bytes 1048576-1499999/*"))
        #expect(try await store.bytes(fixture.url) == body.bytes)
        #expect(try await store.resource(for: fixture.url)?.length == 1_500_000)
        try await fixture.expectCorrectBytes(of: body, in: store)
        await store.close()
    }
}
