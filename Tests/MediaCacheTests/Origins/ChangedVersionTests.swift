import MediaCache
import MediaCacheTesting
import Testing

/// Tests of an origin whose resource changes.
struct ChangedVersionTests {
    static let old = ScriptedBody.random(seed: 31, length: 4_000_000)
    static let new = ScriptedBody.random(seed: 32, length: 3_500_000)
    static let sameLength = ScriptedBody.random(seed: 33, length: 4_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.old)) }

    /// Parts are combined only if they have the same strong validator (RFC 9111 §3.4).
    @Test(arguments: ["\"2\"", "W/\"1\"", "W/\"2\"", nil])
    func refusesPartOfAnotherVersion(_ tag: String?) async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 999))
        // The response is a 206 although the `If-Range` condition is false.
        fixture.origin[fixture.url] = ScriptedResource(Self.sameLength)
        fixture.origin.always(fixture.url, .entityTag(tag))
        try await fixture.expectFailure(store, of: Self.old, code: .representationChanged)
        try await fixture.expectCorrectBytes(of: Self.sameLength, in: store)
        await store.close()
    }

    @Test(arguments: [100_000, 1_100_000, 3_000_000] as [Int64])
    func neverMixesVersionsWhenChangedDuringRead(_ position: Int64) async throws {
        let new = ScriptedResource(Self.new, entityTag: "\"2\"")
        let store = try await fixture.open()
        let first = min(position, 1 << 20)
        if position <= first {
            fixture.origin.next(fixture.url, .replace(after: position, with: new))
        } else {
            fixture.origin.next(fixture.url)
            fixture.origin.next(fixture.url, .replace(after: position - first, with: new))
        }
        let session = try await store.read(ReadRequest(url: fixture.url))
        var bytes: [UInt8] = []
        do {
            for try await buffer in session.buffers { bytes += buffer }
            #expect(bytes == Self.old.bytes)
        } catch let error as CacheError {
            #expect(error.code == .representationChanged)
            #expect(Self.old.matches(bytes))
        }
        session.cancel()
        if fixture.origin[fixture.url]?.entityTags == ["\"1\""] { fixture.origin[fixture.url] = new }
        // The cached version has expired, so the next use revalidates it in the background.
        fixture.time.advance(by: .seconds(90_000))
        _ = try? await store.bytes(fixture.url, .closed(0, through: 0))
        await fixture.origin.wait { $0.allSatisfy { $0.progress != .running } }
        // After the revalidation, a read returns the whole new version.
        await store.settled { (try? await $0.bytes(fixture.url)) == Self.new.bytes }
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    @Test func servesCachedBytesOfOldVersion() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url)
        let session = try await store.read(ReadRequest(url: fixture.url))
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        fixture.time.advance(by: .seconds(90_000))
        let requests = fixture.origin.requests.count
        _ = try await store.bytes(fixture.url, .closed(0, through: 0))
        await fixture.origin.wait { $0.count > requests && $0.allSatisfy { $0.progress != .running } }
        #expect(try await session.allBytes() == Self.old.bytes)
        session.cancel()
        // The new version is recorded after the end of its response.
        try await store.settled { try await $0.bytes(fixture.url) == Self.new.bytes }
        await store.close()
    }

    /// Without a strong validator, only the bytes distinguish versions.
    @Test(arguments: [nil, "W/\"1\""])
    func comparesOverlapWhenResuming(_ tag: String?) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.old, entityTag: tag)
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url, .closed(0, through: 999))
        let second = try await fixture.reopen(first)
        let cached = try #require(try await second.resource(for: fixture.url)).spans[0].upperBound
        #expect(try await second.bytes(fixture.url) == Self.old.bytes)
        let resumed = fixture.origin.requests.first {
            if case .closed(let start, _) = $0.range { start == cached - OriginReader.overlap } else { false }
        }
        #expect(resumed != nil, "\(fixture.origin.requests.map(\.range))")
        await second.close()
    }

    @Test(arguments: [nil, "W/\"1\""])
    func treatsDifferentOverlapAsAnotherVersion(_ tag: String?) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.old, entityTag: tag)
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url, .closed(0, through: 999))
        await first.close()
        fixture.origin[fixture.url] = ScriptedResource(Self.sameLength, entityTag: tag)
        let second = try await fixture.open()
        try await fixture.expectFailure(second, of: Self.old, code: .representationChanged)
        try await fixture.expectCorrectBytes(of: Self.sameLength, in: second)
        await second.close()
    }

    /// There are no cached bytes directly before the target of a far seek, so others are compared.
    @Test func probesCachedBytesBeforeFarFillWithoutValidator() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.old, entityTag: nil)
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url, .closed(0, through: 999))
        await first.close()
        fixture.origin[fixture.url] = ScriptedResource(Self.sameLength, entityTag: nil)
        let second = try await fixture.open()
        try await fixture.expectFailure(second, .from(3_000_000), of: Self.old, code: .representationChanged)
        try await fixture.expectCorrectBytes(of: Self.sameLength, in: second)
        await second.close()
    }

    @Test func doesNotCountComparedBytesAsReceived() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.old, entityTag: nil)
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url, .closed(0, through: 999))
        await first.close()
        let second = try await fixture.open()
        let before = try #require(try await second.resource(for: fixture.url)).bytesCached
        let range = RequestedRange.closed(3_000_000, through: 3_000_999)
        _ = try await second.bytes(ReadRequest(url: fixture.url, range: range, revalidation: .never))
        await second.settled { $0.statistics.runningFills == 0 }
        let after = try #require(try await second.resource(for: fixture.url)).bytesCached
        let compared = RequestedRange.closed(0, through: min(before, OriginReader.overlap) - 1)
        #expect(fixture.origin.requests.contains { $0.range == compared })
        #expect(second.statistics.bytesFromOrigin == after - before)
        await second.close()
    }

    @Test func resumesFirstFillWithOverlap() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.old, entityTag: nil)
        let store = try await fixture.open { $0.transfers.retries = .atOnce(1) }
        fixture.origin.next(
            fixture.url, .replace(after: 300_000, with: ScriptedResource(Self.sameLength, entityTag: nil)),
            .reset(after: 300_000))
        try await fixture.expectFailure(store, of: Self.old, code: .representationChanged)
        #expect(fixture.origin.requests[1].range == .closed(300_000 - OriginReader.overlap, through: (1 << 20) - 1))
        try await fixture.expectCorrectBytes(of: Self.sameLength, in: store)
        await store.close()
    }

    @Test func treatsAlternatingTagsAsVersionsByDefault() async throws {
        var resource = ScriptedResource(Self.old)
        resource.entityTags = ["\"a\"", "\"b\""]
        fixture.origin[fixture.url] = resource
        let store = try await fixture.open()
        try await fixture.expectFailure(store, of: Self.old, code: .representationChanged)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    @Test func acceptsAlternatingTagsOfEqualBytesByPolicy() async throws {
        var resource = ScriptedResource(Self.old)
        resource.entityTags = ["\"a\"", "\"b\""]
        fixture.origin[fixture.url] = resource
        let store = try await fixture.open { $0.transfers.alternatingEntityTags = .compareBytes }
        let events = store.events()
        #expect(try await store.bytes(fixture.url) == Self.old.bytes)
        try await fixture.expectCorrectBytes(of: Self.old, in: store)
        await store.close()
        let isReported = await events.contains { if case .entityTagAlternates = $0 { true } else { false } }
        #expect(isReported)
    }

    @Test func treatsAlternatingTagsOfOtherBytesAsVersion() async throws {
        let store = try await fixture.open { $0.transfers.alternatingEntityTags = .compareBytes }
        _ = try await store.bytes(fixture.url, .closed(0, through: 999))
        fixture.origin[fixture.url] = ScriptedResource(Self.sameLength, entityTag: "\"2\"")
        try await fixture.expectFailure(store, of: Self.old, code: .representationChanged)
        try await fixture.expectCorrectBytes(of: Self.sameLength, in: store)
        await store.close()
    }
}
