import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of a power cut at each file system call while the origin's version differs from the pinned one. Afterwards the
/// pinned version or a complete replacement must be intact, with and without the catalog.
@Suite(.timeLimit(.minutes(60)))
struct PinnedCutTests {
    enum Change: CaseIterable {
        case otherVersionRead, replacement, replacementAcrossFileSystems, shorterReplacement, missing,
            alternatingVersions
    }

    private static let old = ScriptedBody.random(seed: 71, length: 150_000)
    private static let new = ScriptedBody.random(seed: 72, length: 160_000)
    private static let shorter = ScriptedBody.random(seed: 73, length: 90_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture() }

    private var download: ReadRequest { ReadRequest(url: fixture.url, transferClass: .download, pins: true) }
    private var catalog: String { fixture.folder + "/catalog.sqlite" }

    @Test(arguments: Change.allCases)
    func preservesPinnedBytesAfterEveryCut(_ change: Change) async throws {
        let (disk, rows) = try await pinned(on: change == .replacementAcrossFileSystems)
        var operation = 0
        var isCut = true
        while isCut {
            operation += 1
            try #require(operation < 1000)
            try place(rows)
            let files = PowerCutFileSystem(disk)
            let store = try await open(files)
            let copy = fixture.folder + "/copy"
            let catalog = store.engine.catalog
            files.cutPower(atOperation: operation, seed: UInt64(operation)) { try catalog.copy(to: copy) }
            try await make(change, in: store)
            isCut = files.isCut
            guard isCut else {
                // The last run completes without a cut.
                await store.close()
                let body = finalBody(after: change)
                try await check(files, expecting: [body], "\(change), uncut")
                continue
            }
            await store.close()
            let left = try Data(contentsOf: URL(fileURLWithPath: copy))
            try FileManager.default.removeItem(atPath: copy)
            let bodies = [Self.old, finalBody(after: change)]
            try place(left)
            try await check(try files.survivor(), expecting: bodies, "\(change), cut \(operation)")
            try place(nil)
            try await check(try files.survivor(), expecting: bodies, "\(change), cut \(operation), no catalog")
        }
        print("\(change): \(operation - 1) cuts")
    }

    /// Returns a disk on which the old version is pinned and complete, and its catalog.
    private func pinned(on otherFileSystem: Bool) async throws -> (ModelDisk, Data) {
        let files = PowerCutFileSystem()
        if otherFileSystem { files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] } }
        fixture.origin[fixture.url] = ScriptedResource(Self.old)
        let store = try await open(files)
        _ = try await store.complete(download)
        await store.close()
        return (files.withDisk { $0 }, try Data(contentsOf: URL(fileURLWithPath: catalog)))
    }

    private func open(_ files: PowerCutFileSystem) async throws -> CacheStore {
        fixture.origin.clearFaults(fixture.url)
        fixture.origin[fixture.url] = ScriptedResource(Self.old)
        // A reader of the other version must not complete it.
        return try await fixture.open(files: files) {
            $0.transfers.readAhead = ReadAhead(initial: 20_000, maximum: 20_000)
        }
    }

    /// Replaces the catalog; nil deletes it.
    private func place(_ rows: Data?) throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: catalog + suffix) }
        try rows?.write(to: URL(fileURLWithPath: catalog))
    }

    // MARK: - Changes

    private func make(_ change: Change, in store: CacheStore) async throws {
        let (url, new) = (fixture.url, ScriptedResource(Self.new, entityTag: "\"2\""))
        switch change {
        case .otherVersionRead:
            fixture.origin[url] = new
            for _ in 0..<3 { await pass(in: store) { _ = try await store.bytes(url, .closed(0, through: 9_999)) } }
        case .replacement, .replacementAcrossFileSystems:
            fixture.origin[url] = new
            try await complete(in: store)
        case .shorterReplacement:
            fixture.origin[url] = ScriptedResource(Self.shorter, entityTag: "\"2\"")
            try await complete(in: store)
        case .missing:
            fixture.origin.always(url, .status(404))
            for _ in 0..<3 { await pass(in: store) { _ = try await store.bytes(url) } }
        case .alternatingVersions:
            for round in 0..<6 {
                fixture.origin[url] = round % 2 == 0 ? new : ScriptedResource(Self.old)
                for _ in 0..<2 { await pass(in: store) { _ = try await store.bytes(url, .closed(0, through: 9_999)) } }
            }
        }
    }

    private func finalBody(after change: Change) -> ScriptedBody {
        switch change {
        case .replacement, .replacementAcrossFileSystems: Self.new
        case .shorterReplacement: Self.shorter
        case .otherVersionRead, .missing, .alternatingVersions: Self.old
        }
    }

    /// Downloads three times, after which the origin's version is pinned. The first attempts may find the cached
    /// version or its replacement.
    private func complete(in store: CacheStore) async throws {
        let download = download
        for _ in 0..<3 { await pass(in: store) { _ = try await store.complete(download) } }
    }

    /// Performs `action` after the cached version has expired, waits for its fills and revalidation, and commits.
    /// Errors of `action` are failures of the origin and are ignored.
    private func pass(in store: CacheStore, _ action: () async throws -> Void) async {
        fixture.time.advance(by: .seconds(90_000))
        try? await action()
        let key = store.key(for: fixture.url)
        await store.settled { store in
            store.statistics.runningFills == 0 && store.table[key]?.state.withLock { $0.isRevalidating } != true
        }
        await store.engine.committer.commit()
    }

    // MARK: - Checking

    private func check(_ files: PowerCutFileSystem, expecting bodies: [ScriptedBody], _ name: String) async throws {
        fixture.origin.isReachable = false
        defer { fixture.origin.isReachable = true }
        for isRebuilt in [false, true] {
            if isRebuilt { try place(nil) }
            let store = try await open(files)
            let info = try await store.resource(for: fixture.url)
            #expect(info?.isPinned == true && info?.isComplete == true, "\(name), rebuilt \(isRebuilt)")
            let bytes = try? await store.bytes(fixture.url)
            #expect(bodies.contains { $0.bytes == bytes }, "\(name), rebuilt \(isRebuilt)")
            #expect(try await store.verify().findings.isEmpty, "\(name), rebuilt \(isRebuilt)")
            await store.cleanUpAfterEarlierOpening()
            await store.close()
        }
    }
}
