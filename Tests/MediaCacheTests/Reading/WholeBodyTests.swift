import HTTPTypes
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCache

struct WholeBodyTests {
    private let fixture: EngineFixture
    private static let text = ScriptedBody.bytes(Array("first".utf8))
    private static let other = ScriptedBody.bytes(Array("other".utf8))

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.text, contentType: "text/plain")) }

    private func request(keeps: Bool, maximumLength: Int64 = 1 << 20) -> WholeBodyRequest {
        WholeBodyRequest(url: fixture.url, maximumLength: maximumLength) { _ in keeps }
    }

    @Test func requestsBodyWithoutRange() async throws {
        let store = try await fixture.open()
        #expect(try await store.wholeBody(request(keeps: true)).bytes == Self.text.bytes)
        #expect(fixture.origin.requests.map { $0.headerFields[.range] } == [nil])
        await store.close()
    }

    @Test func revalidatesCachedBodyBeforeEachUse() async throws {
        let store = try await fixture.open()
        for number in 1...3 {
            for _ in 0..<2 { #expect(try await store.wholeBody(request(keeps: true)).bytes == Self.text.bytes) }
            #expect(fixture.origin.requests.count == number)
            fixture.time.advance(by: .seconds(6))
        }
        #expect(fixture.origin.requests.last?.headerFields[.ifNoneMatch] == "\"1\"")
        #expect(try await store.bytes(fixture.url) == Self.text.bytes)
        #expect(fixture.origin.requests.count == 3)
        fixture.origin.replaceBody(fixture.url, with: Self.other, entityTag: "\"2\"")
        #expect(try await store.wholeBody(request(keeps: true)).bytes == Self.other.bytes)
        await store.close()
    }

    @Test func doesNotRevalidateFreshBody() async throws {
        fixture.origin[fixture.url] = ScriptedResource(
            Self.text, contentType: "text/plain", headerFields: [.cacheControl: "max-age=60"])
        let store = try await fixture.open()
        for _ in 0..<3 { #expect(try await store.wholeBody(request(keeps: true)).bytes == Self.text.bytes) }
        #expect(fixture.origin.requests.count == 1)
        fixture.time.advance(by: .seconds(61))
        _ = try await store.wholeBody(request(keeps: true))
        #expect(fixture.origin.requests.count == 2)
        await store.close()
    }

    @Test func remembersFailedRevalidation() async throws {
        let store = try await fixture.open()
        _ = try await store.wholeBody(request(keeps: true))
        fixture.origin.always(fixture.url, .status(403))
        fixture.time.advance(by: .seconds(6))
        for _ in 0..<3 {
            #expect(try await store.wholeBody(request(keeps: true)).head.isStale)
            #expect(fixture.origin.requests.count == 2)
            fixture.time.advance(by: .seconds(6))
        }
        fixture.time.advance(by: .seconds(61))
        _ = try await store.wholeBody(request(keeps: true))
        #expect(fixture.origin.requests.count == 3)
        await store.close()
    }

    @Test func usesNewVersionAtFirstUse() async throws {
        let store = try await fixture.open()
        _ = try await store.wholeBody(request(keeps: true))
        await store.close()
        fixture.origin.replaceBody(fixture.url, with: Self.other, entityTag: "\"2\"")
        let next = try await fixture.open()
        #expect(try await next.wholeBody(request(keeps: true)).bytes == Self.other.bytes)
        await next.close()
    }

    @Test func usesCachedBodyWithoutOrigin() async throws {
        let store = try await fixture.open()
        _ = try await store.wholeBody(request(keeps: true))
        await store.close()
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        let body = try await next.wholeBody(request(keeps: true))
        #expect(body.bytes == Self.text.bytes)
        #expect(body.head.isStale)
        await next.close()
    }

    @Test func requestsUnstoredBodyEachTime() async throws {
        let store = try await fixture.open()
        #expect(try await store.wholeBody(request(keeps: false)).bytes == Self.text.bytes)
        fixture.origin.replaceBody(fixture.url, with: Self.other, entityTag: "\"2\"")
        #expect(try await store.wholeBody(request(keeps: false)).bytes == Self.other.bytes)
        #expect(try await store.resources().isEmpty)
        await store.close()
    }

    @Test func sharesConcurrentRequests() async throws {
        let gate = fixture.holdNext(at: 2)
        let store = try await fixture.open()
        let request = request(keeps: false)
        let readers = (0..<50).map { _ in Task { try await store.wholeBody(request).bytes } }
        await store.settled { store in
            let resource = store.table[store.key(for: fixture.url)]
            return resource?.state.withLock { $0.bodyRequest }?.waiterCount == readers.count
        }
        gate.open()
        for reader in readers { #expect(try await reader.value == Self.text.bytes) }
        #expect(fixture.origin.requests.count == 1)
        await store.close()
    }

    @Test func storesLocationAfterRedirect() async throws {
        let target = try ResourceURL("http://elsewhere.example/a/b.m3u8")
        fixture.origin[target] = ScriptedResource(Self.text, contentType: "text/plain")
        fixture.origin.always(fixture.url, .redirect(to: target.description))
        let store = try await fixture.open()
        #expect(try await store.wholeBody(request(keeps: true)).head.location == target)
        await store.close()
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        let head = try await next.wholeBody(request(keeps: true)).head
        #expect(head.location == target)
        #expect(head.peer == .global)
        await next.close()
    }

    @Test func returnsCodedBodyUnchanged() async throws {
        fixture.origin.always(fixture.url, .contentEncoding("gzip"))
        let store = try await fixture.open()
        #expect(try await store.wholeBody(request(keeps: true)).contentCoding == "gzip")
        // The coded body isn't the content, so it can't be cached under this key.
        #expect(try await store.resources().isEmpty)
        let decoding = WholeBodyRequest(url: fixture.url) { body in
            body.contentCoding = nil
            body.bytes = Self.other.bytes
            return true
        }
        for _ in 0..<2 { #expect(try await store.wholeBody(decoding).bytes == Self.other.bytes) }
        #expect(fixture.origin.requests.count == 2)
        await store.close()
    }

    @Test func refusesBodyBeyondMaximumLength() async throws {
        let store = try await fixture.open()
        let error = await expectError(.badResponse) {
            try await store.wholeBody(request(keeps: true, maximumLength: 4))
        }
        #expect(error?.message.contains("4 bytes") == true)
        await store.close()
    }

    /// A live playlist may have changed between an interrupted response and the next one.
    @Test(arguments: [nil, "\"2\"", "\"1\""], [1, 3000, 5000])
    func requestsInterruptedBodyAgain(_ entityTag: String?, _ position: Int64) async throws {
        let first = ScriptedBody.random(seed: 5, length: 5001)
        let second = ScriptedBody.random(seed: 6, length: 5002)
        let tag = entityTag.map { _ in "\"1\"" }
        fixture.origin[fixture.url] = ScriptedResource(first, entityTag: tag, contentType: "text/plain")
        let store = try await fixture.open { $0.transfers.retries = RetryPolicy(budget: 2, initialDelay: .zero) }
        let replaced = ScriptedResource(second, entityTag: entityTag, contentType: "text/plain")
        fixture.origin.next(fixture.url, .replace(after: position, with: replaced), .reset(after: position))
        let body = try await store.wholeBody(request(keeps: true))
        #expect(body.bytes == second.bytes)
        #expect(body.head.length == second.length)
        #expect(body.head.validator.entityTag == entityTag)
        #expect(fixture.origin.requests.map { $0.headerFields[.range] } == [nil, nil])
        #expect(try await store.bytes(fixture.url) == second.bytes)
        await store.close()
    }

    @Test func abandonsBodyThatIsAlwaysInterrupted() async throws {
        fixture.origin[fixture.url] = ScriptedResource(.random(seed: 5, length: 50_000), contentType: "text/plain")
        fixture.origin.always(fixture.url, .reset(after: 40_000))
        let store = try await fixture.open { $0.transfers.retries = RetryPolicy(budget: 2, initialDelay: .zero) }
        await #expect(throws: CacheError.self) { try await store.wholeBody(request(keeps: true)) }
        #expect(fixture.origin.requests.count == 3)
        await store.close()
    }

    /// Content that may be served without its origin is delayed only briefly by a silent origin.
    @Test func limitsDelayIfOriginIsSilent() async throws {
        let store = try await fixture.open { $0.transfers.limits.firstByte = .seconds(1_000_000) }
        _ = try await store.wholeBody(request(keeps: true))
        fixture.time.advance(by: .seconds(6))
        let gate = ScriptedGate()
        fixture.origin.next(fixture.url, .holdHead(gate), .unreachable)
        let reading = Task { try await store.wholeBody(request(keeps: true)) }
        await gate.waitForArrivals()
        #expect(try await fixture.advancingClock { try await reading.value.bytes } == Self.text.bytes)
        // The request continues, and the next reader doesn't wait for it.
        #expect(fixture.origin.requests.map(\.progress).last == .running)
        #expect(try await store.wholeBody(request(keeps: true)).bytes == Self.text.bytes)
        gate.open()
        await store.settled { store in
            store.table[store.key(for: fixture.url)]?.state.withLock { $0.opening } == nil
        }
        #expect(try await store.wholeBody(request(keeps: true)).head.isStale)
        #expect(fixture.origin.requests.count == 2)
        await store.close()
    }

    @Test func commitsEmptyBody() async throws {
        let url = try ResourceURL("http://origin.example/notes.bin")
        fixture.origin[url] = ScriptedResource(.bytes([]), contentType: "application/octet-stream")
        let request = WholeBodyRequest(url: url, revalidation: .never) { _ in true }
        let store = try await fixture.open()
        let version = try #require(try await store.wholeBody(request).version)
        await store.close()
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        let body = try await next.wholeBody(request)
        #expect(body.isCached && body.bytes.isEmpty)
        #expect(body.version == version)
        await next.close()
    }

    @Test func refusesTruncatedBody() async throws {
        fixture.origin.always(fixture.url, .bodyShorter(by: 2))
        let store = try await fixture.open()
        await #expect(throws: CacheError.self) { try await store.wholeBody(request(keeps: true)) }
        #expect(try await store.resources().isEmpty)
        await store.close()
    }
}
