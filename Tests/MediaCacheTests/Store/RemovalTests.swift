import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of removing, pinning and unpinning many resources.
struct RemovalTests {
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture() }

    private func url(_ number: Int) throws -> ResourceURL {
        try ResourceURL("http://origin.example/segments/\(number).ts")
    }

    /// Returns a store with `count` small complete resources.
    private func store(of count: Int) async throws -> CacheStore {
        for number in 0..<count {
            fixture.origin[try url(number)] = ScriptedResource(.random(seed: UInt64(number), length: 100))
        }
        let store = try await fixture.open()
        for number in 0..<count { _ = try await store.complete(ReadRequest(url: try url(number))) }
        try await store.commit()
        return store
    }

    private func keys(_ numbers: Range<Int>, in store: CacheStore) throws -> [String] {
        try numbers.map { store.key(for: try url($0)) }
    }

    /// The paths of the blobs and of the sidecars, which only pinned resources have.
    private var files: [String] {
        let all = FileManager.default.enumerator(atPath: fixture.folder)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(".bin") || ($0.hasPrefix("kept/") && $0.hasSuffix(".json")) }
    }

    @Test func removesManyResourcesInOneTransaction() async throws {
        let store = try await store(of: 300)
        _ = try await store.usage()
        let before = store.engine.catalog.transactions
        let removals = try await store.remove(keys: try keys(0..<300, in: store))
        #expect(store.engine.catalog.transactions == before + 1)
        #expect(removals.count == 300 && removals.allSatisfy { $0.bytes == 100 && !$0.isDeferred })
        #expect(try await store.resources().isEmpty)
        #expect(files.isEmpty)
        await store.close()
    }

    @Test func skipsUnknownKeys() async throws {
        let store = try await store(of: 3)
        let requested = try ["http://origin.example/never.ts"] + keys(1..<5, in: store) + keys(1..<2, in: store)
        let removals = try await store.remove(keys: requested)
        #expect(removals.map(\.key) == (try keys(1..<3, in: store)))
        #expect(try await store.resources().map(\.key) == (try keys(0..<1, in: store)))
        #expect(try await store.remove(keys: []).isEmpty)
        await store.close()
    }

    @Test func defersRemovalOfResourceInUse() async throws {
        let store = try await store(of: 3)
        let session = try await store.read(ReadRequest(url: try url(1)))
        let removals = try await store.remove(keys: try keys(0..<3, in: store))
        #expect(removals.map(\.isDeferred) == [false, true, false])
        #expect(removals.map(\.bytes) == [100, 100, 100])
        #expect(files.count == 1)
        #expect(try await session.allBytes().count == 100)
        session.cancel()
        await store.commitUntil { self.files.isEmpty }
        await store.close()
    }

    /// A long stream stores many small files.
    @Test func removesThousandsOfResourcesInOneTransaction() async throws {
        let count: Int64 = 4000
        let system = POSIXFileSystem()
        try system.makeFolder(fixture.folder)
        let catalog = try Catalog(.file(fixture.folder + "/catalog.sqlite"))
        for start in stride(from: Int64(1), through: count, by: 1000) {
            let snapshots = (start..<start + 1000).map { id in
                var snapshot = CommitSnapshot(id, length: 1, now: fixture.time.now)
                snapshot.resource.isPinned = true
                snapshot.representation.isDurable = true
                snapshot.representation.spans = SpanMap([0..<1])
                return snapshot
            }
            for snapshot in snapshots {
                let folder = "\(fixture.folder)/kept/\(snapshot.representation.blob.prefix(2))"
                try system.makeFolder(folder)
                for suffix in ["bin", "json"] {
                    try Data([1]).write(to: URL(filePath: "\(folder)/\(snapshot.representation.blob).\(suffix)"))
                }
            }
            try await catalog.commit(snapshots)
        }
        try catalog.close()
        let store = try await fixture.open()
        let before = store.engine.catalog.transactions
        let clock = ContinuousClock()
        let start = clock.now
        let removals = try await store.remove(keys: (1...count).map { "http://origin.example/films/\($0).mp4" })
        print("\(count) resources were removed in \(clock.now - start)")
        #expect(Int64(removals.count) == count)
        #expect(store.engine.catalog.transactions - before == 1)
        #expect(try await store.resources().isEmpty)
        #expect(files.isEmpty)
        await store.close()
    }

    @Test func pinsAndUnpinsManyResourcesTogether() async throws {
        let store = try await store(of: 300)
        _ = try await store.usage()
        let requested = try ["http://origin.example/never.ts"] + keys(0..<300, in: store)
        let before = store.engine.catalog.transactions
        try await store.setPinned(true, keys: requested)
        #expect(store.engine.catalog.transactions == before + 1)
        #expect(try await store.resources().allSatisfy(\.isPinned))
        #expect(files.count == 600 && files.allSatisfy { $0.hasPrefix("kept/") })
        await store.close()
        // After reopening, the changes include resources that aren't open.
        let next = try await fixture.open()
        #expect(try await next.resources().count { $0.isPinned } == 300)
        let session = try await next.read(ReadRequest(url: try url(7)))
        try await next.setPinned(false, keys: requested)
        #expect(try await next.resources().allSatisfy { !$0.isPinned })
        #expect(files.count == 300 && files.allSatisfy { $0.hasPrefix("blobs/") })
        #expect(try await session.allBytes().count == 100)
        session.cancel()
        #expect(try await next.verify().findings.isEmpty)
        await next.close()
    }

    @Test func removesSameResourcesConcurrently() async throws {
        let store = try await store(of: 50)
        let keys = try keys(0..<50, in: store)
        async let some = store.remove(keys: keys)
        async let others = store.remove(keys: keys.reversed())
        #expect(try await some.count + others.count == 50)
        await store.close()
    }
}
