import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

/// When the origin is asked again, and what becomes of what it says.
struct FreshnessTests {
    static let body = ScriptedBody.random(seed: 111, length: 100_000)
    static let other = ScriptedBody.random(seed: 112, length: 90_000)

    @Test func whatIsFreshIsNotAskedFor() async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "max-age=3600")
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url)
        await first.close()
        let second = try await fixture.open()
        #expect(try await second.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests.count == 1)
        fixture.time.advance(by: .seconds(3601))
        #expect(try await second.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests.count == 2)
        #expect(fixture.origin.requests[1].headerFields[.ifNoneMatch] == "\"1\"")
        #expect(fixture.origin.requests[1].status == 304)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        await second.close()
    }

    @Test(arguments: ["no-cache", "max-age=0"])
    func whatMustBeAskedIsAskedOnceForEachRead(_ control: String) async throws {
        let fixture = try EngineFixture()
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

    @Test func withoutAWordItIsAskedBesideAtFirstUseThenDaily() async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url)
        await first.close()
        let gate = ScriptedGate()
        fixture.origin.next(fixture.url, .holdHead(gate))
        let second = try await fixture.open()
        // Served though the answer isn't here.
        #expect(try await second.bytes(fixture.url) == Self.body.bytes)
        await gate.waitForArrivals()
        gate.open()
        await fixture.origin.wait { $0.count == 2 && $0[1].progress != .running }
        for _ in 0..<3 { _ = try await second.bytes(fixture.url) }
        #expect(fixture.origin.requests.count == 2)
        fixture.time.advance(by: .seconds(86_500))
        _ = try await second.bytes(fixture.url)
        await fixture.origin.waitForRequests(3)
        await second.close()
    }

    @Test func anOriginThatCannotBeReachedLeavesWhatIsKeptMarkedStale() async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "max-age=10")
        let store = try await fixture.open()
        let events = store.events()
        _ = try await store.bytes(fixture.url)
        fixture.time.advance(by: .seconds(11))
        fixture.origin.isReachable = false
        let session = try await store.read(ReadRequest(url: fixture.url))
        #expect(session.head.isStale)
        #expect(try await session.allBytes() == Self.body.bytes)
        session.cancel()
        fixture.origin.isReachable = true
        let again = try await store.read(ReadRequest(url: fixture.url))
        #expect(!again.head.isStale)
        again.cancel()
        await store.close()
        var stale = 0
        for await event in events { if case .servedStale = event { stale += 1 } }
        #expect(stale == 1)
    }

    @Test func aChangeSeenBesideShowsInTheNextRead() async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
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

    @Test func lastModifiedIsAskedWithWhereThereIsNoTag() async throws {
        let fixture = try EngineFixture()
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
    func noStorePassesThroughUnkeptInBoundedMemory(_ control: String) async throws {
        let fixture = try EngineFixture()
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
            let error = await #expect(throws: CacheError.self) { try await store.bytes(fixture.url, range) }
            #expect(error?.code == .rangeNotSatisfiable)
        }
        #expect(try await store.resource(for: fixture.url) == nil)
        #expect(try await store.usage().bytes == 0)
        await store.close()
    }

    @Test func noStoreIsKeptWhereTheCallerSaysSo() async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "no-store")
        let store = try await fixture.open { $0.transfers.keepsNoStore = true }
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.resource(for: fixture.url)?.isComplete == true)
        await store.close()
    }

    @Test(arguments: [("Accept-Encoding, Origin", true), ("Cookie", false), ("*", false), ("Origin, X-User", false)])
    func whatVariesWithAnythingElseIsNotKept(_ vary: String, _ isKept: Bool) async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body, headerFields: [.vary: vary])
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect((try await store.resource(for: fixture.url) != nil) == isKept)
        await store.close()
    }

    @Test func droppedQueryItemsNameTheSameResource() async throws {
        let fixture = try EngineFixture()
        let urls = try ["http://o.example/a.mp4?t=1", "http://o.example/a.mp4?t=2"].map { try ResourceURL($0) }
        for url in urls { fixture.origin[url] = ScriptedResource(Self.body) }
        let store = try await fixture.open { $0.keyPolicy = .dropping(queryItems: ["t"]) }
        for url in urls { #expect(try await store.bytes(url) == Self.body.bytes) }
        #expect(fixture.origin.bodyBytes == Self.body.length)
        await store.close()
    }

    @Test func anIPv6HostIsAskedAsItIs() async throws {
        let fixture = try EngineFixture()
        let url = try ResourceURL("http://[2001:db8::1]:8080/a.mp4")
        fixture.origin[url] = ScriptedResource(Self.body)
        let store = try await fixture.open()
        #expect(try await store.bytes(url) == Self.body.bytes)
        #expect(fixture.origin.requests[0].url.authority == "[2001:db8::1]:8080")
        await store.close()
    }
}
