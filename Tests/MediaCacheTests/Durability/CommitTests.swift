import Dispatch
import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

struct CommitTests {
    static let body = ScriptedBody.random(seed: 3, length: 3_000_000)
    private let files = PowerCutFileSystem()
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body), files: files) }

    private func path(_ store: CacheStore) async throws -> String {
        let entry = try await store.engine.catalog.resource(key: fixture.url.description)
        let representation = try #require(entry?.representations.last)
        return store.engine.blobs.path(of: representation.blob, isDurable: representation.isDurable)
    }

    @Test func commitsDurableBytesOnly() async throws {
        let store = try await fixture.open()
        for start in [1_000_000, 0, 2_500_000] as [Int64] {
            _ = try await store.bytes(fixture.url, .closed(start, through: start + 99_999))
            await store.engine.committer.commit()
            let entry = try await store.engine.catalog.resource(key: fixture.url.description)
            let spans = try #require(entry?.representations.last?.spans)
            #expect(!spans.isEmpty)
            let path = try await path(store)
            let durable = try #require(files.withDisk { $0.durableBytes(of: path) })
            for span in spans.spans {
                #expect(
                    Self.body.matches(Array(durable[Int(span.lowerBound)..<Int(span.upperBound)]), at: span.lowerBound))
            }
        }
        await store.close()
    }

    /// The pin is the only change, because the blob's record is already committed.
    @Test func commitsPinAfterFailedTransaction() async throws {
        let store = try await fixture.open()
        _ = try await store.complete(ReadRequest(url: fixture.url))
        await store.settled { $0.statistics.runningFills == 0 }
        await store.engine.committer.commit()
        let resource = try #require(store.table[store.key(for: fixture.url)])
        resource.setPinned(true)
        #expect(store.engine.committer.dirtyCount == 0)
        try store.engine.catalog.close()
        #expect(await store.engine.committer.commit()?.code == .storage)
        try store.engine.catalog.reopen()
        #expect(await store.engine.committer.commit() == nil)
        let entry = try await store.engine.catalog.resource(key: fixture.url.description)
        #expect(entry?.resource.isPinned == true)
        await store.close()
    }

    @Test func commitsAfterOneSecondOr8MiB() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 99_999))
        #expect(store.statistics.bytesCommitted == 0)
        await store.settled { store in
            // The committer may not have started to sleep yet.
            fixture.time.advance(by: .seconds(1))
            return store.statistics.bytesCommitted > 0
        }
        let large = try ResourceURL("http://origin.example/large.mp4")
        fixture.origin[large] = ScriptedResource(.random(seed: 4, length: 9 << 20))
        let before = store.statistics.bytesCommitted
        _ = try await store.bytes(large)
        await store.settled { $0.statistics.bytesCommitted >= before + 8 << 20 }
        await store.close()
    }

    @Test func neverCommitsUnsyncedBytes() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 99_999))
        await store.engine.committer.commit()
        let before = try await store.engine.catalog.resource(key: fixture.url.description)
        let known = try #require(before?.representations.last?.spans)
        _ = try await store.bytes(fixture.url, .closed(2_000_000, through: 2_099_999))
        await store.settled { $0.statistics.runningFills == 0 }
        files.fail { call, _ in call == .sync ? EIO : nil }
        #expect(await store.engine.committer.commit()?.code == .storage)
        files.fail(nil)
        // The system reports a failure only once. A later successful sync says nothing about the failed bytes.
        #expect(await store.engine.committer.commit() == nil)
        let entry = try await store.engine.catalog.resource(key: fixture.url.description)
        let spans = try #require(entry?.representations.last?.spans)
        #expect(spans.spans.allSatisfy(known.contains))
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }

    /// An open reader already treats the bytes as available.
    @Test func doesNotReadBytesLostByFailedSync() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 999_999))
        await store.settled { $0.statistics.runningFills == 0 }
        let session = try await store.read(ReadRequest(url: fixture.url, range: .closed(0, through: 999_999)))
        var iterator = session.buffers.makeAsyncIterator()
        var bytes = try #require(try await iterator.next())
        let representation = try #require(session.currentRepresentation)
        files.fail { call, _ in call == .sync ? EIO : nil }
        #expect(await store.engine.committer.commit()?.code == .storage)
        files.fail(nil)
        // Simulates the loss of pages that the system couldn't write.
        files.withDisk { disk in
            disk.damage(representation.path) { $0 = [UInt8](repeating: 0, count: $0.count) }
        }
        while let next = try await iterator.next() { bytes += next }
        #expect(bytes == Self.body.bytes(in: 0..<1_000_000))
        session.cancel()
        await store.close()
    }

    /// The system may discard all unsynced writes, including writes made during the sync.
    @Test func neverCommitsBytesWrittenDuringFailedSync() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 99_999))
        await store.engine.committer.commit()
        let representation = try #require(store.table[fixture.url.description]?.current)
        await store.settled { $0.statistics.runningFills == 0 }
        await store.engine.committer.commit()
        let known = representation.spans
        _ = try await store.bytes(fixture.url, .closed(2_000_000, through: 2_000_999))
        await store.settled { $0.statistics.runningFills == 0 }
        // Makes the sync fail after more bytes have been written.
        files.failSync(after: { [fixture] in
            let isWritten = DispatchSemaphore(value: 0)
            Task {
                _ = try? await store.bytes(fixture.url, .closed(1_500_000, through: 1_500_999))
                isWritten.signal()
            }
            isWritten.wait()
        })
        #expect(await store.engine.committer.commit()?.code == .storage)
        await store.settled { $0.statistics.runningFills == 0 }
        // Bytes that the fill received later may be cached.
        let lost = representation.spans.span(at: 1_500_000)
        #expect(lost == nil || known.span(at: 1_500_000) != nil, "\(String(describing: lost))")
        #expect(await store.engine.committer.commit() == nil)
        #expect(representation.withState { $0.uncommittedBytes } == 0)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }

    @Test func commitsOtherBlobsDespiteFailedSync() async throws {
        let other = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin[other] = ScriptedResource(.random(seed: 5, length: 50_000))
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 9_999))
        await store.engine.committer.commit()
        let path = try await path(store)
        _ = try await store.bytes(fixture.url, .closed(2_000_000, through: 2_099_999))
        _ = try await store.bytes(other)
        files.fail { call, failing in call == .sync && failing == path ? EIO : nil }
        await store.engine.committer.commit()
        let entry = try await store.engine.catalog.resource(key: other.description)
        #expect(entry?.representations.last?.spans.byteCount == 50_000)
        await store.close()
    }

    @Test func releasesClosedStoreAfterFailedCommitWithReader() async throws {
        weak var committer: Committer?
        do {
            let store = try await fixture.open()
            committer = store.engine.committer
            files.fail { call, _ in call == .sync ? EIO : nil }
            let session = try await store.read(ReadRequest(url: fixture.url, range: .closed(0, through: 9_999)))
            _ = try await session.allBytes()
            await store.close()
            session.cancel()
        }
        #expect(committer == nil)
    }

    @Test func removesBytesFromCatalogBeforeBlob() async throws {
        let store = try await fixture.open()
        let info = try await store.complete(ReadRequest(url: fixture.url))
        let catalog = store.engine.catalog
        let blob = try #require(try await catalog.blobs().keys.first)
        files.fail { call, path in
            // The blob can be removed only if the catalog no longer lists it.
            guard call == .remove, path.contains(blob) else { return nil }
            return (try? catalog.knows(blob: blob)) == false ? nil : EBUSY
        }
        #expect(try await store.remove(id: info.id).isDeferred == false)
        #expect(files.trace.contains { $0.call == .remove && $0.path.contains(blob) })
        await store.close()
    }

    @Test func limitsUncommittedBytesOfFill() async throws {
        let body = ScriptedBody.random(seed: 6, length: 100 << 20)
        fixture.origin[fixture.url] = ScriptedResource(body, bufferSize: 1 << 20)
        let store = try await fixture.open()
        files.fail { call, _ in call == .syncFolder ? ENOSPC : nil }
        let session = try await store.read(ReadRequest(url: fixture.url, policy: .whole))
        #expect(try await session.allBytes() == body.bytes)
        #expect(
            files.withDisk { disk in disk.paths.allSatisfy { (try? disk.contents(of: $0).count) ?? 0 <= 73 << 20 } })
        session.cancel()
        await store.close()
    }
}
