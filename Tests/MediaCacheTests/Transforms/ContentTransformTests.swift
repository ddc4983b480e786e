import Foundation
import HTTPTypes
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCache

struct ContentTransformTests {
    static let body = ScriptedBody.random(seed: 97, length: 1_500_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    /// A trivial cipher whose output depends on the offset.
    private static func cipher(_ name: String = "cipher", for kinds: Set<ResourceKind> = [.file]) -> ContentTransform {
        .inPlace(name, kinds: kinds) { bytes, offset in
            for index in bytes.indices { bytes[index] ^= UInt8(truncatingIfNeeded: (offset + Int64(index)) % 251) }
        }
    }

    private static func ciphered(_ range: Range<Int64>) -> [UInt8] {
        zip(body.bytes(in: range), range).map { byte, place in byte ^ UInt8(truncatingIfNeeded: place % 251) }
    }

    private func open(_ transforms: [ContentTransform], readAhead: Int64 = 1 << 20) async throws -> CacheStore {
        try await fixture.open {
            $0.transforms = transforms
            $0.transfers.readAhead = ReadAhead(initial: readAhead, maximum: readAhead)
        }
    }

    @Test func transformsAndStoresRanges() async throws {
        let store = try await open([Self.cipher()], readAhead: 50_000)
        var random = SeededGenerator(seed: 97)
        for _ in 0..<10 {
            let start = Int64.random(in: 0..<1_400_000, using: &random)
            let bytes = try await store.bytes(fixture.url, .closed(start, through: start + 9_999))
            #expect(bytes == Self.ciphered(start..<start + 10_000))
        }
        let session = try await store.read(ReadRequest(url: fixture.url))
        #expect(session.head.entityTag != "\"1\"")
        #expect(try await session.allBytes() == Self.ciphered(0..<1_500_000))
        session.cancel()
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
        fixture.origin.isReachable = false
        let again = try await open([Self.cipher()])
        #expect(try await again.bytes(fixture.url) == Self.ciphered(0..<1_500_000))
        await again.close()
    }

    @Test func doesNotServeResultOfAnotherTransform() async throws {
        let names: [String?] = [nil, "cipher", "other", nil]
        for name in names {
            let before = fixture.origin.bodyBytes
            let store = try await open(name.map { [Self.cipher($0)] } ?? [])
            let expected = name == nil ? Self.body.bytes(in: 0..<1000) : Self.ciphered(0..<1000)
            #expect(try await store.bytes(fixture.url, .closed(0, through: 999)) == expected)
            #expect(fixture.origin.bodyBytes > before)
            await store.close()
        }
    }

    @Test func transformsEachKindSeparately() async throws {
        let store = try await open([Self.cipher(for: [.segment])], readAhead: 50_000)
        let file = try await store.read(ReadRequest(url: fixture.url))
        var buffers = file.buffers.makeAsyncIterator()
        var bytes = try #require(try await buffers.next())
        #expect(try await store.bytes(ReadRequest(url: fixture.url, kind: .segment)) == Self.ciphered(0..<1_500_000))
        // Readers of the other version can continue.
        while let more = try await buffers.next() { bytes += more }
        #expect(bytes == Self.body.bytes)
        file.cancel()
        await store.close()
    }

    /// Received bytes are transformed before they are compared with cached ones.
    @Test func comparesTransformedOverlapWhenResuming() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, entityTag: nil)
        let first = try await open([Self.cipher()], readAhead: 100_000)
        _ = try await first.bytes(fixture.url, .closed(0, through: 99_999))
        await first.close()
        let before = fixture.origin.requests.count
        let second = try await open([Self.cipher()], readAhead: 100_000)
        let resumed = try await second.bytes(
            ReadRequest(url: fixture.url, range: .closed(100_000, through: 199_999), revalidation: .never))
        #expect(resumed == Self.ciphered(100_000..<200_000))
        let requestedStarts = fixture.origin.requests.dropFirst(before).compactMap { $0.range?.knownStart }
        #expect(requestedStarts.contains { $0 < 100_000 })
        #expect(try await second.resource(for: fixture.url)?.bytesCached == 200_000)
        await second.close()
        fixture.origin.replaceBody(fixture.url, with: .random(seed: 98, length: 1_500_000), entityTag: nil)
        let third = try await open([Self.cipher()], readAhead: 100_000)
        let other = try await third.read(
            ReadRequest(url: fixture.url, range: .closed(200_000, through: 299_999), revalidation: .never))
        await expectError(.representationChanged) { try await other.allBytes() }
        other.cancel()
        await third.close()
    }

    @Test func transformsUnstoredBytes() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "no-store")
        let store = try await open([Self.cipher()])
        for _ in 0..<2 { #expect(try await store.bytes(fixture.url) == Self.ciphered(0..<1_500_000)) }
        await store.close()
    }

    @Test func failedTransformEndsRead() async throws {
        struct Failure: Error {}
        let store = try await open([.inPlace("fails", kinds: [.file]) { _, _ in throw Failure() }])
        let error = await #expect(throws: CacheError.self) { try await store.bytes(fixture.url) }
        #expect(error?.message.contains("fails") == true)
        #expect(try await store.resource(for: fixture.url)?.bytesCached ?? 0 == 0)
        await store.close()
    }

    @Test func transformsIngestedBytes() async throws {
        let first = try await open([Self.cipher("old")], readAhead: 50_000)
        _ = try await first.bytes(fixture.url, .closed(0, through: 999))
        await first.close()
        try POSIXFileSystem().makeFolder(fixture.folder)
        let file = fixture.folder + "/brought"
        try Data(Self.body.bytes).write(to: URL(fileURLWithPath: file))
        let head = ResourceHead(
            length: Self.body.length, contentType: "video/mp4", validator: Validator(entityTag: "\"1\""),
            validatedAt: fixture.time.now, entityTag: "\"1\"")
        let store = try await open([Self.cipher()])
        try await store.ingest(file: file, range: 0..<1_500_000, for: fixture.url, head: head)
        fixture.origin.isReachable = false
        let session = try await store.read(ReadRequest(url: fixture.url, revalidation: .never))
        #expect(session.head.entityTag != "\"1\"")
        #expect(try await session.allBytes() == Self.ciphered(0..<1_500_000))
        session.cancel()
        await store.close()
    }

    /// Without the same transform, a different version would replace the damaged one.
    @Test func repairsWithSameTransform() async throws {
        let store = try await open([Self.cipher(for: [.segment])])
        let session = try await store.read(ReadRequest(url: fixture.url, kind: .segment))
        _ = try await session.allBytes()
        session.cancel()
        await store.close()
        let again = try await open([Self.cipher(for: [.segment])])
        let opened = try await again.read(ReadRequest(url: fixture.url, kind: .segment))
        opened.cancel()
        let resource = try #require(again.table[again.key(for: fixture.url)])
        resource.current?.withState { $0.lose(5_000..<6_000) }
        let report = try await again.verify(repair: true)
        #expect(report.findings.map(\.isRepaired) == [true])
        fixture.origin.isReachable = false
        let bytes = try await again.bytes(ReadRequest(url: fixture.url, revalidation: .never, kind: .segment))
        #expect(bytes == Self.ciphered(0..<1_500_000))
        await again.close()
    }

    // MARK: - Whole bodies

    private static let twice = ContentTransform.wholeBody("twice", kinds: [.playlist]) { $0 + $0 }

    private func whole(_ store: CacheStore) async throws -> WholeBody {
        try await store.wholeBody(WholeBodyRequest(url: fixture.url, kind: .playlist) { _ in true })
    }

    @Test func changesLengthOfWholeBody() async throws {
        let text = ScriptedBody.text("one\n")
        fixture.origin[fixture.url] = ScriptedResource(text, contentType: "text/plain")
        let store = try await open([Self.twice])
        await expectError(.invalidSetting) { try await store.read(ReadRequest(url: fixture.url, kind: .playlist)) }
        for _ in 0..<2 { #expect(try await whole(store).bytes == text.bytes + text.bytes) }
        let bytes = try await store.bytes(ReadRequest(url: fixture.url, range: .from(2), kind: .playlist))
        #expect(bytes == Array("e\none\n".utf8))
        #expect(fixture.origin.requests.count == 1)
        await store.close()
        let again = try await open([Self.twice])
        #expect(try await whole(again).bytes == text.bytes + text.bytes)
        await again.close()
    }

    /// If the first read returned a body that exceeds the limit, all later reads from the cache would fail.
    @Test func refusesTransformedBodyBeyondMaximumLength() async throws {
        fixture.origin[fixture.url] = ScriptedResource(.text("one\n"), contentType: "text/plain")
        let store = try await open([Self.twice])
        let request = WholeBodyRequest(url: fixture.url, maximumLength: 7, kind: .playlist) { _ in true }
        for _ in 0..<2 { await expectError(.badResponse) { try await store.wholeBody(request) } }
        #expect(try await store.resources().isEmpty)
        await store.close()
    }

    /// The result of a whole-body transform is revalidated with a condition and never fetched in ranges.
    @Test func revalidatesTransformedBody() async throws {
        let text = ScriptedBody.text("one\n")
        fixture.origin[fixture.url] = ScriptedResource(text, contentType: "text/plain")
        let store = try await open([Self.twice])
        _ = try await whole(store)
        func request() -> ReadRequest {
            ReadRequest(url: fixture.url, revalidation: .since(store.monotonicTime), kind: .playlist)
        }
        fixture.time.advance(by: .seconds(1))
        #expect(try await store.bytes(request()) == text.bytes + text.bytes)
        #expect(fixture.origin.requests.count == 2)
        fixture.origin.replaceBody(fixture.url, with: .text("two!\n"), entityTag: "\"2\"")
        fixture.time.advance(by: .seconds(1))
        await expectError(.invalidSetting) { try await store.read(request()) }
        #expect(try await whole(store).bytes == Array("two!\ntwo!\n".utf8))
        await store.close()
    }

    @Test func refetchesWholeBodyAfterLoss() async throws {
        let text = ScriptedBody.text("one\n")
        fixture.origin[fixture.url] = ScriptedResource(text, contentType: "text/plain")
        let store = try await open([Self.twice])
        _ = try await whole(store)
        let resource = try #require(store.table[store.key(for: fixture.url)])
        _ = resource.current?.withState { $0.forget(2..<3) }
        #expect(try await whole(store).bytes == text.bytes + text.bytes)
        #expect(fixture.origin.requests.count == 2)
        await store.close()
    }
}
