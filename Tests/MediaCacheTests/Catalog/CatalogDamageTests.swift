import Foundation
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCache

struct CatalogDamageTests {
    enum Damage: CaseIterable { case header, middle, all, empty, truncated, deleted }

    static let length: Int64 = 600_000
    private let files = PowerCutFileSystem()
    private let fixture: EngineFixture
    private let pinned: ResourceURL
    private let others: [ResourceURL]

    init() throws {
        fixture = try EngineFixture(files: files)
        pinned = try ResourceURL("http://origin.example/pinned.mp4")
        others = try (0..<12).map { try ResourceURL("http://origin.example/\($0).mp4") }
        for (index, url) in ([pinned] + others).enumerated() {
            fixture.origin[url] = ScriptedResource(.random(seed: UInt64(index), length: Self.length))
        }
    }

    private var catalog: String { fixture.folder + "/catalog.sqlite" }

    private func body(_ url: ResourceURL) -> [UInt8] { fixture.origin[url]?.body.bytes ?? [] }

    private func filled() async throws -> CacheStore {
        let store = try await fixture.open()
        for url in others { _ = try await store.complete(ReadRequest(url: url)) }
        let info = try await store.complete(ReadRequest(url: pinned))
        try await store.setPinned(true, id: info.id)
        return store
    }

    private func fill() async throws { try await filled().close() }

    private func change(_ body: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: catalog))
        body(&data)
        try data.write(to: URL(fileURLWithPath: catalog))
    }

    /// Fills the store, and makes the catalog too large to be checked completely at each opening.
    private func fillLargeCatalog() async throws {
        try await fill()
        let large = try Catalog(.file(catalog))
        var entry = CommitSnapshot(1001, length: 1, now: fixture.time.now)
        entry.representation.spans = SpanMap()
        entry.dirtyPages = [0: [UInt8](repeating: 0, count: 20 << 20)]
        try await large.commit([entry])
        try large.close()
    }

    /// The kinds of leaf pages of a catalog. The raw values are SQLite's (its file format, section 1.6).
    enum Page: UInt8 { case index = 10, table = 13 }

    /// Overwrites the pages of a kind that contain `bytes`.
    private func damagePages(_ kind: Page, containing bytes: [UInt8]) throws {
        let (size, needle) = (4096, Data(bytes))
        var count = 0
        try change { data in
            for start in stride(from: size, to: data.count, by: size) where data[start] == kind.rawValue {
                let page = start..<start + size
                guard data.range(of: needle, in: page) != nil else { continue }
                data.replaceSubrange(page, with: repeatElement(0xFF, count: size))
                count += 1
            }
        }
        try #require(count > 0)
    }

    private func damage(_ kind: Damage) throws {
        var random = SeededGenerator(seed: 1)
        switch kind {
        case .header: try change { for index in 0..<100 { $0[index] = random.next() } }
        case .middle: try change { for index in $0.count / 4..<$0.count { $0[index] = random.next() } }
        case .all: try change { for index in 0..<$0.count { $0[index] = random.next() } }
        case .empty: try change { $0 = Data() }
        case .truncated: try change { $0 = $0.prefix($0.count / 2) }
        case .deleted: try FileManager.default.removeItem(atPath: catalog)
        }
    }

    @Test(arguments: Damage.allCases)
    func restoresPinnedVersionFromSidecar(_ kind: Damage) async throws {
        try await fill()
        try damage(kind)
        let damaged = try? Data(contentsOf: URL(fileURLWithPath: catalog))
        fixture.origin.isReachable = false
        let store = try await fixture.open()
        let events = store.events()
        #expect(try await store.bytes(pinned) == body(pinned))
        let info = try #require(try await store.resource(for: pinned))
        #expect(info.isPinned && info.isComplete)
        #expect(try await store.verify().findings.isEmpty)
        await store.cleanUpAfterEarlierOpening()
        // Unknown blobs are deleted, but not the pinned one.
        #expect(files.withDisk(\.paths).filter { $0.hasSuffix(".bin") }.count == 1)
        fixture.origin.isReachable = true
        for url in others { #expect(try await store.bytes(url) == body(url)) }
        await store.close()
        let setAside = catalog + ".damaged-1"
        if kind != .empty && kind != .deleted {
            #expect(try Data(contentsOf: URL(fileURLWithPath: setAside)) == damaged)
            var paths: [String] = []
            for await event in events { if case .catalogReplaced(let path) = event { paths.append(path) } }
            #expect(paths == [setAside])
        } else {
            #expect(!FileManager.default.fileExists(atPath: setAside))
        }
    }

    @Test func setsSecondDamagedCatalogAside() async throws {
        for number in 1...2 {
            try await fill()
            try damage(.header)
            try await fixture.open().close()
            #expect(FileManager.default.fileExists(atPath: catalog + ".damaged-\(number)"))
        }
    }

    @Test func refetchesResourcesWithUnreadableChecksums() async throws {
        try await fillLargeCatalog()
        let intact = try Catalog(.file(catalog))
        let entry = try #require(try await intact.resource(key: others[0].description))
        let checksums = try intact.checksumPages(of: try #require(entry.representations.first).id)
        try intact.close()
        try damagePages(.index, containing: try #require(checksums[0]))
        let store = try await fixture.open()
        for url in others { #expect(try await store.bytes(url) == body(url)) }
        await store.close()
        #expect(!FileManager.default.fileExists(atPath: catalog + ".damaged-1"))
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        #expect(FileManager.default.fileExists(atPath: catalog + ".damaged-1"))
        #expect(try await next.bytes(pinned) == body(pinned))
        await next.close()
    }

    /// Parts of a large catalog that opening reads, but its check doesn't: the table of resources, and the index of
    /// blobs.
    enum UncheckedPart: CaseIterable { case resources, blobs }

    @Test(arguments: UncheckedPart.allCases)
    func setsLargeCatalogWithDamageFoundAtOpeningAside(_ part: UncheckedPart) async throws {
        try await fillLargeCatalog()
        switch part {
        case .resources: try damagePages(.table, containing: Array(pinned.description.utf8))
        case .blobs:
            let sidecar = try #require(files.withDisk(\.paths).first { $0.hasSuffix(".json") })
            let name = try #require(sidecar.split(separator: "/").last)
            try damagePages(.index, containing: Array(BlobFolder.blob(of: String(name)).utf8))
        }
        fixture.origin.isReachable = false
        let store = try await fixture.open()
        #expect(store.isWritable)
        #expect(FileManager.default.fileExists(atPath: catalog + ".damaged-1"))
        #expect(try await store.bytes(pinned) == body(pinned))
        await store.close()
    }

    /// SQLite doesn't detect a flipped bit inside a value.
    @Test func servesNoWrongByteAfterFlippedBit() async throws {
        try await fill()
        let intact = try Data(contentsOf: URL(fileURLWithPath: catalog))
        let seeds = 1...60 as ClosedRange<UInt64>
        print("seeds \(seeds)")
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: catalog + suffix) }
            var data = intact
            for _ in 0..<40 {
                data[Int.random(in: 100..<data.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            try data.write(to: URL(fileURLWithPath: catalog))
            let store = try await fixture.open()
            for url in [pinned] + others {
                let bytes = try await store.bytes(url)
                #expect(bytes == body(url), "seed \(seed), \(url)")
            }
            await store.close()
        }
    }

    @Test func opensEarlierStateWithoutLog() async throws {
        let store = try await filled()
        // The state that a killed process leaves, without the log.
        let main = try Data(contentsOf: URL(fileURLWithPath: catalog))
        await store.close()
        try main.write(to: URL(fileURLWithPath: catalog))
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: catalog + suffix) }
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        #expect(try await next.bytes(pinned) == body(pinned))
        fixture.origin.isReachable = true
        for url in others { #expect(try await next.bytes(url) == body(url)) }
        #expect(try await next.verify().findings.isEmpty)
        await next.close()
    }

    /// A commit that a power cut has torn leaves an invalid end of the log.
    @Test func opensLastWholeCommitOfTornLog() async throws {
        let store = try await fixture.open()
        _ = try await store.complete(ReadRequest(url: others[0]))
        let log = catalog + "-wal"
        let committed = try Data(contentsOf: URL(fileURLWithPath: log)).count
        _ = try await store.complete(ReadRequest(url: others[1]))
        let main = try Data(contentsOf: URL(fileURLWithPath: catalog))
        let whole = try Data(contentsOf: URL(fileURLWithPath: log))
        #expect(whole.count > committed)
        await store.close()
        var random = SeededGenerator(seed: 11)
        print("seed 11")
        for _ in 0..<20 {
            var torn = whole.prefix(Int.random(in: committed...whole.count, using: &random))
            if torn.count > committed, Bool.random(using: &random) {
                torn[Int.random(in: committed..<torn.count, using: &random)] ^= 0x10
            }
            try main.write(to: URL(fileURLWithPath: catalog))
            try Data(torn).write(to: URL(fileURLWithPath: log))
            try? FileManager.default.removeItem(atPath: catalog + "-shm")
            let copy = try Catalog(.file(catalog))
            let entry = try await copy.resource(key: others[0].description)
            #expect(entry?.representations.last?.spans.byteCount == Self.length)
            let second = try await copy.resource(key: others[1].description)
            #expect(second?.damaged.isEmpty ?? true)
            try copy.close()
        }
    }

    @Test func refusesNewerCatalogWithoutChange() async throws {
        try await fill()
        try change { data in
            // Changes the migration's name in the file to one that this version doesn't know.
            let name = Data("MediaCache.1".utf8)
            while let range = data.range(of: name) { data.replaceSubrange(range, with: Data("MediaCache.9".utf8)) }
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: catalog))
        let blobs = files.withDisk(\.paths)
        await expectError(.newerFormat) { _ = try await fixture.open() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: catalog)) == before)
        #expect(files.withDisk(\.paths) == blobs)
        #expect(CacheStore.owner(of: CacheLocation(folder: fixture.folder)) == nil)
    }
}
