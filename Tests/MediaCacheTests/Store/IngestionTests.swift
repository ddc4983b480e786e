import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

struct IngestionTests {
    static let body = ScriptedBody.random(seed: 3, length: 2_000_000)
    private let fixture: EngineFixture
    private let file: String
    private let head: ResourceHead

    init() throws {
        fixture = try EngineFixture(serving: ScriptedResource(Self.body))
        try POSIXFileSystem().makeFolder(fixture.folder)
        file = fixture.folder + "/brought"
        head = ResourceHead(
            length: Self.body.length, contentType: "video/mp4", validator: Validator(entityTag: "\"1\""),
            validatedAt: fixture.time.now, entityTag: "\"1\"")
    }

    private func writeFile(_ range: Range<Int64>, of body: ScriptedBody = body) throws {
        try Data(body.bytes(in: range)).write(to: URL(fileURLWithPath: file))
    }

    @Test func storesIngestedBytes() async throws {
        let store = try await fixture.open()
        try writeFile(100_000..<1_900_000)
        let info = try await store.ingest(file: file, range: 100_000..<1_900_000, for: fixture.url, head: head)
        #expect(info.spans == [100_000..<1_900_000])
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.bodyBytes == 200_000)
        let next = try await fixture.reopen(store)
        #expect(try await next.verify().findings.isEmpty)
        #expect(try await next.resource(for: fixture.url)?.isComplete == true)
        await next.close()
    }

    @Test func ingestionPreservesCachedBytes() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(500_000, through: 599_999))
        try writeFile(0..<2_000_000)
        #expect(try await store.ingest(file: file, range: 0..<2_000_000, for: fixture.url, head: head).isComplete)
        #expect(try await store.verify().findings.isEmpty)
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }

    @Test func refusesAnotherVersion() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 9))
        try writeFile(0..<1000, of: .random(seed: 99, length: 1000))
        var other = head
        other.validator = Validator(entityTag: "\"2\"")
        await expectError(.representationChanged) {
            try await store.ingest(file: file, range: 0..<1000, for: fixture.url, head: other)
        }
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }

    @Test func refusesFileOfAnotherLength() async throws {
        let store = try await fixture.open()
        try writeFile(0..<999)
        await expectError(.badResponse) {
            try await store.ingest(file: file, range: 0..<1000, for: fixture.url, head: head)
        }
        await store.close()
    }
}
