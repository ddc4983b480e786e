import HTTPTypes
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of revalidation and its results.
@Suite(.timeLimit(.minutes(60)))
struct FreshnessTests {
    static let body = ScriptedBody.random(seed: 111, length: 100_000)
    static let other = ScriptedBody.random(seed: 112, length: 90_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    @Test func doesNotRevalidateFreshContent() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "max-age=3600")
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url)
        let second = try await fixture.reopen(first)
        #expect(try await second.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests.count == 1)
        fixture.time.advance(by: .seconds(3601))
        #expect(try await second.bytes(fixture.url) == Self.body.bytes)
        await fixture.origin.waitForRequests(2)
        #expect(fixture.origin.requests[1].headerFields[.ifNoneMatch] == "\"1\"")
        #expect(fixture.origin.requests[1].status == 304)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        await second.close()
    }

    @Test(arguments: ["no-cache", "max-age=0, must-revalidate"])
    func revalidatesOncePerReadIfRequired(_ control: String) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: control)
        let store = try await fixture.open()
        for count in 1...3 {
            #expect(try await store.bytes(fixture.url) == Self.body.bytes)
            #expect(fixture.origin.requests.count == count)
        }
        fixture.origin[fixture.url] = ScriptedResource(Self.other, entityTag: "\"2\"", cacheControl: control)
        #expect(try await store.bytes(fixture.url) == Self.other.bytes)
        await store.close()
    }

    /// A 304 response updates only the fields that it contains (RFC 9111 §4.3.4).
    @Test func preservesDirectivesAfterConfirmationWithoutCacheControl() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "no-cache")
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url)
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        for count in 2...4 {
            #expect(try await store.bytes(fixture.url) == Self.body.bytes)
            #expect(fixture.origin.requests.count == count)
            #expect(fixture.origin.requests.last?.status == 304)
        }
        await store.close()
    }

    @Test func renewsLifetimeAfterConfirmationWithoutCacheControl() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "max-age=3600")
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url)
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        for round in 2...4 {
            fixture.time.advance(by: .seconds(3601))
            // The first read finds an expired version and revalidates it in the background.
            #expect(try await store.bytes(fixture.url) == Self.body.bytes)
            await waitForRevalidation(store, round)
            #expect(try await store.bytes(fixture.url) == Self.body.bytes)
            #expect(fixture.origin.requests.count == round)
            fixture.time.advance(by: .seconds(3500))
            #expect(try await store.bytes(fixture.url) == Self.body.bytes)
            #expect(fixture.origin.requests.count == round)
        }
        await store.close()
    }

    @Test func revalidatesAtFirstUseThenDailyWithoutLifetime() async throws {
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url)
        await first.close()
        let gate = fixture.holdNext()
        let second = try await fixture.open()
        // The bytes are served before the response arrives.
        #expect(try await second.bytes(fixture.url) == Self.body.bytes)
        await gate.waitForArrivals()
        gate.open()
        await waitForRevalidation(second, 2)
        for _ in 0..<3 { _ = try await second.bytes(fixture.url) }
        #expect(fixture.origin.requests.count == 2)
        fixture.time.advance(by: .seconds(86_500))
        _ = try await second.bytes(fixture.url)
        await fixture.origin.waitForRequests(3)
        await second.close()
    }

    /// Waits until the given number of requests, including the first one, has been sent and the result of the last one
    /// is recorded.
    private func waitForRevalidation(_ store: CacheStore, _ count: Int) async {
        await fixture.origin.wait { $0.count == count && $0[count - 1].progress != .running }
        await store.settled { $0.table[$0.key(for: fixture.url)]?.state.withLock { $0.isRevalidating } != true }
    }

    @Test(arguments: ["max-age=10", "max-age=10, proxy-revalidate", "max-age=10, s-maxage=0"])
    func servesExpiredVersionImmediatelyIfOriginIsSilent(_ control: String) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: control)
        let store = try await fixture.open()
        let events = store.events()
        _ = try await store.bytes(fixture.url)
        fixture.time.advance(by: .seconds(11))
        let gate = ScriptedGate()
        fixture.origin.next(fixture.url, .holdHead(gate), .unreachable)
        // The clock doesn't advance, so a read that waited would hang.
        for _ in 0..<3 { #expect(try await store.bytes(fixture.url) == Self.body.bytes) }
        await gate.waitForArrivals()
        gate.open()
        await waitForRevalidation(store, 2)
        // The failure is remembered for a minute.
        for _ in 0..<3 {
            let session = try await store.read(ReadRequest(url: fixture.url))
            #expect(session.head.isStale)
            #expect(try await session.allBytes() == Self.body.bytes)
            session.cancel()
        }
        #expect(fixture.origin.requests.count == 2)
        fixture.time.advance(by: .seconds(61))
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await waitForRevalidation(store, 3)
        let again = try await store.read(ReadRequest(url: fixture.url))
        #expect(!again.head.isStale)
        again.cancel()
        await store.close()
        var stale = 0
        for await event in events { if case .servedStale = event { stale += 1 } }
        #expect(stale == 1)
    }

    /// A read of a version that must not be served stale waits for the origin, also after reopening. If the origin is
    /// unreachable, the version is used, so that downloads play offline.
    @Test(arguments: ["no-cache", "max-age=10, must-revalidate"], [false, true])
    func waitsForOriginIfStaleUseIsForbidden(_ control: String, reopens: Bool) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: control)
        var store = try await fixture.open()
        _ = try await store.bytes(fixture.url)
        if reopens { store = try await fixture.reopen(store) }
        fixture.time.advance(by: .seconds(11))
        let gate = fixture.holdNext()
        fixture.origin[fixture.url] = ScriptedResource(Self.other, entityTag: "\"2\"", cacheControl: control)
        let reading = Task { [store] in try await store.bytes(fixture.url) }
        await gate.waitForArrivals()
        fixture.time.advance(by: .seconds(5))
        gate.open()
        #expect(try await reading.value == Self.other.bytes)
        fixture.time.advance(by: .seconds(11))
        fixture.origin.isReachable = false
        for _ in 0..<3 {
            let session = try await store.read(ReadRequest(url: fixture.url))
            #expect(session.head.isStale)
            #expect(try await session.allBytes() == Self.other.bytes)
            session.cancel()
        }
        await store.close()
    }

    /// An expired version with holes is revalidated before it is used, but the wait for the response is limited.
    @Test func waitsBrieflyToRevalidateExpiredPart() async throws {
        let film = ScriptedBody.random(seed: 114, length: 5_000_000)
        fixture.origin[fixture.url] = ScriptedResource(film, cacheControl: "max-age=10")
        let store = try await fixture.open { $0.transfers.limits.firstByte = .seconds(1_000_000) }
        _ = try await store.bytes(fixture.url, .closed(0, through: 99))
        await store.settled { $0.statistics.runningFills == 0 }
        fixture.time.advance(by: .seconds(11))
        let gate = fixture.holdNext()
        let reading = Task { try await store.bytes(fixture.url, .closed(0, through: 9)) }
        await gate.waitForArrivals()
        #expect(try await fixture.advancingClock { try await reading.value } == film.bytes(in: 0..<10))
        #expect(fixture.origin.requests.last?.progress == .running)
        gate.open()
        await waitForRevalidation(store, 2)
        fixture.time.advance(by: .seconds(11))
        fixture.origin[fixture.url] = ScriptedResource(Self.other, entityTag: "\"2\"", cacheControl: "max-age=10")
        #expect(try await store.bytes(fixture.url) == Self.other.bytes)
        await store.close()
    }

    @Test func usesVersionFoundInBackgroundForNextRead() async throws {
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url)
        await first.close()
        fixture.origin[fixture.url] = ScriptedResource(Self.other, entityTag: "\"2\"")
        let second = try await fixture.open()
        var events = second.events().makeAsyncIterator()
        #expect(try await second.bytes(fixture.url) == Self.body.bytes)
        while let event = await events.next() { if case .representationChanged = event { break } }
        #expect(try await second.bytes(fixture.url) == Self.other.bytes)
        #expect(try await second.verify().findings.isEmpty)
        await second.close()
    }

    @Test func revalidatesByLastModifiedWithoutEntityTag() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        fixture.origin[fixture.url] = ScriptedResource(
            Self.body, entityTag: nil, lastModified: date, cacheControl: "no-cache")
        let store = try await fixture.open()
        for _ in 0..<2 { #expect(try await store.bytes(fixture.url) == Self.body.bytes) }
        #expect(fixture.origin.requests[1].headerFields[.ifModifiedSince] == date)
        #expect(fixture.origin.requests[1].status == 304)
        await store.close()
    }

    @Test(arguments: ["no-store", "private, No-Store, max-age=100"])
    func passesNoStoreThroughInBoundedMemory(_ control: String) async throws {
        let body = ScriptedBody.random(seed: 113, length: 20_000_000)
        fixture.origin[fixture.url] = ScriptedResource(body, cacheControl: control)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url, range: .from(10)))
        var iterator = session.buffers.makeAsyncIterator()
        var position: Int64 = 10
        while let buffer = try await iterator.next() {
            #expect(body.matches(buffer, at: position))
            position += Int64(buffer.count)
            #expect(fixture.origin.bodyBytes - position <= 2 << 20)
        }
        #expect(position == body.length)
        session.cancel()
        #expect(try await store.bytes(fixture.url, .suffix(5)) == body.bytes(in: body.length - 5..<body.length))
        #expect(try await store.bytes(fixture.url, .closed(5, through: 9)) == body.bytes(in: 5..<10))
        for range in [RequestedRange.from(body.length), .closed(body.length + 5, through: .max)] {
            await expectError(.rangeNotSatisfiable) { try await store.bytes(fixture.url, range) }
        }
        #expect(try await store.resource(for: fixture.url) == nil)
        #expect(try await store.usage().bytes == 0)
        await store.close()
    }

    @Test func storesNoStoreIfConfigured() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "no-store")
        let store = try await fixture.open { $0.transfers.storesNoStoreResponses = true }
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.resource(for: fixture.url)?.isComplete == true)
        await store.close()
    }

    @Test(arguments: [("Accept-Encoding, Origin", true), ("Cookie", false), ("*", false), ("Origin, X-User", false)])
    func doesNotStoreVaryingContent(_ vary: String, _ isCached: Bool) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, headerFields: [.vary: vary])
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect((try await store.resource(for: fixture.url) != nil) == isCached)
        await store.close()
    }

    @Test func sharesResourceAcrossDroppedQueryItems() async throws {
        let urls = try ["http://o.example/a.mp4?t=1", "http://o.example/a.mp4?t=2"].map { try ResourceURL($0) }
        for url in urls { fixture.origin[url] = ScriptedResource(Self.body) }
        let store = try await fixture.open { $0.keyPolicy = .dropping(queryItems: ["t"]) }
        for url in urls { #expect(try await store.bytes(url) == Self.body.bytes) }
        #expect(fixture.origin.bodyBytes == Self.body.length)
        await store.close()
    }

    @Test func requestsIPv6HostUnchanged() async throws {
        let url = try ResourceURL("http://[2001:db8::1]:8080/a.mp4")
        fixture.origin[url] = ScriptedResource(Self.body)
        let store = try await fixture.open()
        #expect(try await store.bytes(url) == Self.body.bytes)
        #expect(fixture.origin.requests[0].url.authority == "[2001:db8::1]:8080")
        await store.close()
    }
}
