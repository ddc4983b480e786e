import Foundation
import HTTPTypes
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of reads that require content confirmed since a given time, for URLs whose content is replaced at known times.
struct ConfirmedReadTests {
    private let fixture: EngineFixture
    private static let text = ScriptedBody.text("the first text at the URL")
    private static let other = ScriptedBody.text("another text at this URL!")

    init() throws {
        fixture = try EngineFixture()
        serve(Self.text, "\"1\"")
    }

    private func serve(_ body: ScriptedBody, _ entityTag: String?) {
        fixture.origin[fixture.url] = ScriptedResource(body, entityTag: entityTag, contentType: "text/plain")
    }

    private func read(
        _ store: CacheStore, since moment: Duration, in scope: AddressScope = .any, asWhole: Bool = false
    ) async throws -> [UInt8] {
        let settings = store.transfers.narrowed(to: scope)
        if asWhole {
            return try await store.wholeBody(
                WholeBodyRequest(url: fixture.url, settings: settings, revalidation: .since(moment)) { _ in true }
            ).bytes
        }
        return try await store.bytes(ReadRequest(url: fixture.url, settings: settings, revalidation: .since(moment)))
    }

    /// Returns a store that read the content a second ago.
    private func storeWithContent() async throws -> CacheStore {
        let store = try await fixture.open()
        _ = try await read(store, since: .zero)
        fixture.time.advance(by: .seconds(1))
        return store
    }

    private var requests: [ScriptedRequest] { fixture.origin.requests(for: fixture.url) }

    @Test func doesNotRepeatRequestSinceMoment() async throws {
        let store = try await fixture.open()
        let moment = store.monotonicTime
        for _ in 0..<2 { #expect(try await read(store, since: moment) == Self.text.bytes) }
        #expect(requests.count == 1)
        await store.close()
    }

    @Test func confirmsUnchangedContentWithoutBody() async throws {
        let store = try await storeWithContent()
        for _ in 0..<2 { #expect(try await read(store, since: store.monotonicTime) == Self.text.bytes) }
        #expect(requests.count == 2)
        #expect(requests.last?.headerFields[.ifNoneMatch] == "\"1\"")
        #expect(store.statistics.bytesFromOrigin == Int64(Self.text.length))
        await store.close()
    }

    /// The access rule decides separately for each scope whether a local address is permitted.
    @Test(arguments: [false, true])
    func requiresConfirmationInNarrowScope(asWhole: Bool) async throws {
        fixture.origin[fixture.url]?.peer = .local
        let store = try await fixture.open()
        #expect(try await read(store, since: .zero, asWhole: asWhole) == Self.text.bytes)
        await expectError(.forbiddenAddress) { try await read(store, since: .zero, in: .publicOnly, asWhole: asWhole) }
        #expect(try await read(store, since: .zero, asWhole: asWhole) == Self.text.bytes)
        await store.close()
    }

    /// A name may later resolve to another address, whose server uses the same entity tag.
    @Test(arguments: [false, true])
    func publicAddressDoesNotConfirmLocalBytes(asWhole: Bool) async throws {
        fixture.origin[fixture.url]?.peer = .local
        let store = try await storeWithContent()
        serve(Self.other, "\"1\"")
        let bytes = try await read(store, since: store.monotonicTime, in: .publicOnly, asWhole: asWhole)
        #expect(bytes == Self.other.bytes)
        await store.close()
    }

    @Test(arguments: ["\"2\"", nil])
    func receivesChangedContentWithItsConfirmation(_ entityTag: String?) async throws {
        serve(Self.text, entityTag.map { _ in "\"1\"" })
        let store = try await storeWithContent()
        serve(Self.other, entityTag)
        for _ in 0..<2 { #expect(try await read(store, since: store.monotonicTime) == Self.other.bytes) }
        #expect(requests.count == 2)
        await store.close()
    }

    @Test func confirmsByEntityTagIfConditionsAreIgnored() async throws {
        let store = try await storeWithContent()
        fixture.origin.always(fixture.url, .entityTag("\"1\""))
        for _ in 0..<2 { #expect(try await read(store, since: store.monotonicTime) == Self.text.bytes) }
        #expect(try await store.resources().count == 1)
        await store.close()
    }

    /// The request was sent before the content was replaced.
    @Test func ignoresRequestStartedBeforeMoment() async throws {
        let store = try await fixture.open()
        let gate = fixture.holdNext()
        let (first, url) = (Task { try await read(store, since: .zero) }, fixture.url)
        await fixture.origin.wait { requests in requests.contains { $0.url == url } }
        fixture.time.advance(by: .seconds(1))
        serve(Self.other, "\"2\"")
        let moment = store.monotonicTime
        let second = Task { try await read(store, since: moment) }
        gate.open()
        #expect(try await second.value == Self.other.bytes)
        _ = try? await first.value
        await store.close()
    }

    /// A failed check isn't retried, because the reader that caused it has already received the cached bytes.
    @Test func sendsOwnRequestAfterFailedCheckOfAnotherReader() async throws {
        let store = try await storeWithContent()
        fixture.time.advance(by: .seconds(86_500))
        let (gate, key) = (ScriptedGate(), store.key(for: fixture.url))
        fixture.origin.next(fixture.url, .holdHead(gate), .unreachable)
        #expect(try await store.bytes(fixture.url) == Self.text.bytes)
        await gate.waitForArrivals()
        serve(Self.other, "\"2\"")
        let reader = Task { try await read(store, since: store.monotonicTime) }
        await store.settled { $0.table[key]?.state.withLock { $0.opening?.waiterCount } == 1 }
        gate.open()
        #expect(try await reader.value == Self.other.bytes)
        await store.close()
    }

    /// The failure concerns the reader, not the origin.
    @Test func forbiddenRequestDoesNotReplaceRevalidation() async throws {
        fixture.origin[fixture.url] = ScriptedResource(
            Self.text, contentType: "text/plain", cacheControl: "no-cache")
        fixture.origin[fixture.url]?.peer = .local
        let store = try await storeWithContent()
        await expectError(.forbiddenAddress) { try await read(store, since: store.monotonicTime, in: .publicOnly) }
        serve(Self.other, "\"2\"")
        #expect(try await store.bytes(fixture.url) == Self.other.bytes)
        await store.close()
    }

    @Test func refusesRangePastEndOfUnchangedContent() async throws {
        serve(Self.text, nil)
        let store = try await storeWithContent()
        let error = await expectError(.rangeNotSatisfiable) {
            try await store.bytes(
                ReadRequest(url: fixture.url, range: .from(1000), revalidation: .since(store.monotonicTime)))
        }
        #expect(error?.completeLength == Int64(Self.text.length))
        #expect(requests.count == 2)
        await store.close()
    }

    /// A window may have more segments than the store leaves open.
    @Test func remembersConfirmationOfClosedResource() async throws {
        let store = try await fixture.open()
        let moment = store.monotonicTime
        _ = try await read(store, since: moment)
        let resource = try #require(store.table[store.key(for: fixture.url)])
        // Closes the resource, as if many others were open.
        try await store.settled { store in
            try await store.commit()
            return resource.retire()
        }
        store.table.remove(resource)
        #expect(try await read(store, since: moment) == Self.text.bytes)
        #expect(requests.count == 1)
        await store.close()
    }

    @Test func doesNotUseUnconfirmedContent() async throws {
        let store = try await storeWithContent()
        fixture.origin.next(fixture.url, .status(404))
        let error = await #expect(throws: CacheError.self) { try await read(store, since: store.monotonicTime) }
        #expect(error?.status == 404)
        // Other reads may still use the content.
        #expect(try await store.bytes(fixture.url) == Self.text.bytes)
        await store.close()
    }
}
