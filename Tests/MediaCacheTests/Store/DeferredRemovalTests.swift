import Foundation
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCache

/// Tests of removing resources that are in use.
struct DeferredRemovalTests {
    private func url(_ number: Int) throws -> ResourceURL {
        try ResourceURL("http://origin.example/segments/\(number).ts")
    }

    private func addResources(_ count: Int, of fixture: EngineFixture, in store: CacheStore) async throws -> [String] {
        for number in 0..<count {
            fixture.origin[try url(number)] = ScriptedResource(.random(seed: UInt64(number), length: 100))
            _ = try await store.complete(ReadRequest(url: try url(number)))
        }
        try await store.commit()
        return try (0..<count).map { store.key(for: try url($0)) }
    }

    /// The reader leaves while other resources are being deleted, and the idle resource is closed immediately.
    @Test func removesResourceClosedDuringDeletion() async throws {
        let onRemoving = Mutex<(@Sendable () -> Void)?>(nil)
        let fixture = try EngineFixture(
            files: HookedFileSystem { moment, path in
                guard case .removing = moment, path.hasSuffix(".bin") else { return }
                onRemoving.withLock { action in
                    action?()
                    action = nil
                }
            })
        let store = try await fixture.open()
        let keys = try await addResources(2, of: fixture, in: store)
        let session = try await store.read(ReadRequest(url: try url(1)))
        let resource = try #require(store.table[keys[1]])
        onRemoving.withLock { action in
            action = {
                session.cancel()
                // Closes the resource, as if many others were open.
                if resource.retire() { store.table.remove(resource) }
            }
        }
        let removals = try await store.remove(keys: keys)
        #expect(removals.map(\.isDeferred) == [false, true])
        try await store.settled { try await $0.resources().isEmpty }
        await store.close()
    }

    /// The process might be killed before the reader leaves.
    @Test func removesPinImmediately() async throws {
        let fixture = try EngineFixture()
        let store = try await fixture.open()
        let keys = try await addResources(2, of: fixture, in: store)
        try await store.setPinned(true, keys: keys)
        let session = try await store.read(ReadRequest(url: try url(1)))
        let before = store.engine.catalog.transactions
        #expect(try await store.remove(keys: keys).map(\.isDeferred) == [false, true])
        #expect(try await store.engine.catalog.resource(key: keys[1])?.resource.isPinned == false)
        let names = FileManager.default.enumerator(atPath: fixture.folder)?.compactMap { $0 as? String } ?? []
        #expect(!names.contains { $0.hasPrefix("kept/") && $0.hasSuffix(".json") })
        #expect(store.engine.catalog.transactions - before <= 2)
        // A commit doesn't restore the pin.
        try await store.commit()
        #expect(try await store.engine.catalog.resource(key: keys[1])?.resource.isPinned == false)
        #expect(try await session.allBytes().count == 100)
        session.cancel()
        try await store.settled { try await $0.resources().isEmpty }
        await store.close()
    }

    /// The reader leaves while the store is suspended.
    @Test func removesResourceLeftDuringSuspension() async throws {
        let fixture = try EngineFixture()
        let store = try await fixture.open()
        let keys = try await addResources(1, of: fixture, in: store)
        let session = try await store.read(ReadRequest(url: try url(0)))
        #expect(try await store.remove(keys: keys).map(\.isDeferred) == [true])
        await store.suspend()
        session.cancel()
        try await store.resume()
        try await store.settled { try await $0.resources().isEmpty }
        await store.close()
    }
}
