import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

extension CommitSnapshot {
    /// Creates a snapshot of a half-cached film without a blob. Every 100th is pinned.
    init(_ id: Int64, length: Int64, now: Date) {
        let url = "http://origin.example/films/\(id).mp4"
        self.init(
            resource: StoredResource(
                id: id, key: url, url: url, created: now, lastUsed: now, useOrder: id, hits: 1,
                isPinned: id % 100 == 0),
            representation: StoredRepresentation(
                id: id, resourceID: id, blob: BlobFolder.newName(), isDurable: false,
                head: ResourceHead(
                    length: length, contentType: "video/mp4", validator: Validator(entityTag: "\"\(id)\""),
                    validatedAt: now, entityTag: "\"\(id)\""),
                freshness: Freshness(), ignoresRanges: false, isSuperseded: false,
                spans: SpanMap([0..<length / 2])),
            dirtyPages: [0: [1, 2, 3]])
    }
}

struct CatalogScaleTests {
    /// Opening loads no resources into the table of open ones, and queries load at most the requested one.
    @Test func opensWithoutLoadingAllResources() async throws {
        let fixture = try EngineFixture()
        try POSIXFileSystem().makeFolder(fixture.folder)
        let catalog = try Catalog(.file(fixture.folder + "/catalog.sqlite"))
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        for start in stride(from: Int64(1), to: 100_000, by: 10_000) {
            try await catalog.commit((start..<start + 10_000).map { CommitSnapshot($0, length: 1000, now: now) })
        }
        try catalog.close()
        let store = try await fixture.open()
        #expect(store.table.all.isEmpty)
        #expect(try await store.usage().resources == 100_000)
        #expect(try await store.resources().count == 100_000)
        let found = try await store.resource(for: ResourceURL("http://origin.example/films/77777.mp4"))
        #expect(found?.bytesCached == 500)
        let urls = try (1...100_000).map { try ResourceURL("http://origin.example/films/\($0).mp4") }
        let coverages = try await store.coverage(
            of: urls.lazy.map { ReadRequest(url: $0, range: .closed(0, through: 499)) })
        #expect(coverages.allSatisfy { $0?.isWhole == true })
        #expect(store.table.all.count <= 1)
        #expect(try await store.prune(limits: CacheLimits(maximumBytes: 49_999_000, minimumFreeBytes: 0)) == 1000)
        await store.close()
    }

    @Test func readsEndOfLargeResource() async throws {
        let files = POSIXFileSystem()
        let fixture = try EngineFixture()
        try files.makeFolder(fixture.folder)
        let catalog = try Catalog(.file(fixture.folder + "/catalog.sqlite"))
        let length: Int64 = 10 << 30
        var entry = CommitSnapshot(1, length: length, now: fixture.time.now)
        entry.resource.key = fixture.url.description
        entry.representation.spans = SpanMap([0..<length])
        var checksums = BlockChecksums()
        for block in 0..<length / BlockChecksums.blockSize {
            let start = block * BlockChecksums.blockSize
            checksums.insert(.init(range: start..<start + BlockChecksums.blockSize, crc: UInt32(block)))
        }
        entry.dirtyPages = checksums.takeDirtyPages()
        try await catalog.commit([entry])
        try catalog.close()
        let folder = "\(fixture.folder)/blobs/\(entry.representation.blob.prefix(2))"
        try files.makeFolder(folder)
        let blob = try files.open("\(folder)/\(entry.representation.blob).bin", creating: true)
        try [0].withUnsafeBytes { try blob.write(UnsafeRawBufferPointer(rebasing: $0[..<1]), at: length - 1) }
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url, range: .from(length - 10)))
        #expect(session.head.length == length)
        session.cancel()
        await store.close()
    }

    @Test func usesIndexesInQueries() throws {
        let fixture = try EngineFixture()
        try POSIXFileSystem().makeFolder(fixture.folder)
        let catalog = try Catalog(.file(fixture.folder + "/catalog.sqlite"))
        let plans: [(sql: String, arguments: Int, index: String)] = [
            (Catalog.evictable, 1, "resource_use"),
            (Catalog.resources(of: 1), 1, "sqlite_autoindex_resource_1"),
            (Catalog.resources(of: 4096), 4096, "sqlite_autoindex_resource_1"),
            (Catalog.representations(of: 4096), 4096, "representation_bytes"),
            (Catalog.allBytes, 0, "representation_bytes"),
            (Catalog.pinnedBytes, 0, "resource_use"),
            (Catalog.completeCount, 0, "representation_bytes"),
            (Catalog.keysFrom, 1, "sqlite_autoindex_resource_1"),
            (Catalog.superseded, 0, "representation_superseded"),
        ]
        for (sql, arguments, index) in plans {
            let plan = try catalog.plan(sql, arguments: arguments)
            #expect(plan.contains { $0.contains(index) }, "\(sql): \(plan)")
            #expect(
                !plan.contains { $0.contains("TEMP B-TREE") && !$0.contains("LAST TERM") && sql == Catalog.evictable })
        }
        let versions = try catalog.plan(Catalog.versions(of: 3), arguments: 3)
        #expect(versions.count { $0.hasPrefix("SEARCH") } == 2 && !versions.contains { $0.hasPrefix("SCAN") })
        try catalog.close()
    }
}
