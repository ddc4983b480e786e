import MediaCacheTesting
import Testing

@testable import MediaCache

struct SuspensionTests {
    static let body = ScriptedBody.random(seed: 3, length: 3_000_000)
    private let fixture: EngineFixture
    private var location: CacheLocation { CacheLocation(folder: fixture.folder) }

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    @Test func commitsAndReleasesFolderWhenSuspended() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 99_999))
        // A suspension during the fill would discard bytes that the origin has sent.
        await store.settled { $0.statistics.runningFills == 0 }
        await store.suspend()
        #expect(CacheStore.owner(of: location) == nil)
        #expect(store.statistics.bytesCommitted > 0)
        await expectError(.closed) { _ = try await store.bytes(fixture.url) }
        try await store.resume()
        #expect(CacheStore.owner(of: location) != nil)
        let before = fixture.origin.bodyBytes
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.bodyBytes == Self.body.length && before > 0)
        await store.close()
    }

    @Test func stopsFillAndFailsItsReader() async throws {
        let gate = fixture.holdNext(at: 200_000)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        let reading = Task { try await session.allBytes() }
        await gate.waitForArrivals()
        await store.suspend()
        await #expect(throws: CacheError.self) { try await reading.value }
        #expect(store.statistics.runningFills == 0)
        session.cancel()
        gate.open()
        try await store.resume()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    @Test func resumesOpenSessionAfterSuspension() async throws {
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        var buffers = session.buffers.makeAsyncIterator()
        var bytes = try #require(try await buffers.next())
        await store.suspend()
        try await store.resume()
        while let more = try await buffers.next() { bytes += more }
        #expect(bytes == Self.body.bytes)
        session.cancel()
        await store.close()
    }

    @Test func detectsChangesByAnotherOwner() async throws {
        let store = try await fixture.open()
        _ = try await store.complete(ReadRequest(url: fixture.url))
        let session = try await store.read(ReadRequest(url: fixture.url))
        await store.suspend()
        let other = try await fixture.open()
        await expectError(.folderOwned) { try await store.resume() }
        #expect(try await other.removeAll().count == 1)
        await other.close()
        try await store.resume()
        await expectError(.representationChanged) { _ = try await session.allBytes() }
        session.cancel()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        let next = try await fixture.reopen(store)
        #expect(try await next.verify().findings.isEmpty)
        await next.close()
    }

    @Test func resumesAfterCancelledResumption() async throws {
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        await store.suspend()
        let resumption = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.resume()
        }
        await expectError(.cancelled) { try await resumption.value }
        #expect(CacheStore.owner(of: location) == nil)
        try await store.resume()
        #expect(try await session.allBytes() == Self.body.bytes)
        session.cancel()
        await store.close()
    }

    @Test func endsReadersOfClosedStoreAtHole() async throws {
        let gate = fixture.holdNext(at: 200_000)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        let reading = Task { try await session.allBytes() }
        await gate.waitForArrivals()
        await store.close()
        await expectError(.closed) { try await reading.value }
        gate.open()
    }

    /// Resources and representations refer to each other. This must not keep a closed store in memory.
    @Test func releasesMemoryOfClosedStore() async throws {
        weak var engine: Engine?
        do {
            let store = try await fixture.open()
            engine = store.engine
            let session = try await store.read(ReadRequest(url: fixture.url))
            _ = try await session.allBytes()
            await store.close()
            session.cancel()
        }
        for _ in 0..<1_000_000 where engine != nil { await Task.yield() }
        #expect(engine == nil)
    }
}
