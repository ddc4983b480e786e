import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of the sidecars of pinned versions, and of the choice of the pinned version.
extension PinnedVersionTests {
    // MARK: - Sidecars

    /// The process is killed after a commit and before writing the sidecar. The next process writes it.
    @Test func renewsOutdatedSidecar() async throws {
        let store = try await fixture.open()
        var part = download
        part.range = .closed(0, through: 99_999)
        _ = try await store.fill(part)
        await store.settled { $0.statistics.runningFills == 0 }
        await store.engine.committer.commit()
        files.fail { call, path in call == .rename && path.contains(".json") ? EIO : nil }
        _ = try? await store.complete(download)
        // The catalog and its log as a killed process leaves them.
        let locations = ["", "-wal"].map { URL(fileURLWithPath: fixture.folder + "/catalog.sqlite" + $0) }
        let killed = try locations.map { try Data(contentsOf: $0) }
        await store.close()
        files.fail(nil)
        for (location, data) in zip(locations, killed) { try data.write(to: location) }
        let next = try await fixture.open()
        await next.cleanUpAfterEarlierOpening()
        await next.close()
        try FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite")
        try await expectOldVersionAfterReopening()
    }

    /// The catalog records the moved pin, and the process is killed before it writes the new version's sidecar.
    @Test func writesSidecarOfReplacementBeforeDeletingOldVersion() async throws {
        let store = try await storeWithNewVersion()
        files.fail { call, path in call == .rename && path.contains(".json") ? EIO : nil }
        _ = try? await store.complete(download)
        await store.close()
        // If the next process can't write the sidecar either, the old version remains.
        files.fail { call, path in call == .replace || (call == .rename && path.contains(".json")) ? EIO : nil }
        try await fixture.open().close()
        #expect(paths(".bin").count == 2)
        files.fail(nil)
        try await fixture.open().close()
        try FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite")
        fixture.origin.isReachable = false
        let rebuilt = try await fixture.open()
        #expect(try await rebuilt.bytes(fixture.url) == Self.new.bytes)
        #expect(try await rebuilt.resource(for: fixture.url)?.isPinned == true)
        await rebuilt.close()
    }

    @Test func writesFailedSidecarWithNextCommit() async throws {
        let store = try await fixture.open()
        files.fail { call, path in call == .rename && path.contains(".json") ? EIO : nil }
        _ = try await store.complete(download)
        #expect(paths(".json").isEmpty)
        files.fail(nil)
        await store.engine.committer.commit()
        #expect(paths(".json").count == 1)
        await store.close()
    }

    /// The pinned folder is older than the catalog. The blob in the catalog is missing.
    @Test func adoptsRestoredVersionIfNewerOneIsMissing() async throws {
        let store = try await storeWithDownload()
        let folder = fixture.folder
        let durable = files.withDisk { disk in
            disk.paths.filter { $0.contains("/kept/") }.map { ($0, disk.durableBytes(of: $0) ?? []) }
        }
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        _ = try await store.complete(download)
        await store.commitUntil { self.paths(".bin").count == 1 }
        await store.close()
        try files.withDisk { disk in
            for path in disk.paths where path.contains("/kept/") { disk.remove(path) }
            for (path, bytes) in durable {
                disk.makeFolder(POSIXFileSystem.parent(of: path))
                try disk.write(bytes, at: 0, in: disk.open(path, creating: true))
            }
        }
        #expect(paths(".json").count == 1 && FileManager.default.fileExists(atPath: folder + "/catalog.sqlite"))
        fixture.origin.isReachable = false
        try await expectOldVersionAfterReopening(cleaning: true)
        try await expectOldVersionAfterReopening(cleaning: true)
    }

    /// The resource's record can't be read.
    @Test func survivesDamagedResourceRecord() async throws {
        let store = try await storeWithDownload()
        await store.close()
        let file = URL(fileURLWithPath: fixture.folder + "/catalog.sqlite")
        var data = try Data(contentsOf: file)
        // The record's header ends before its first text. The type of the column `created` in it changes from a
        // four-byte number to a four-byte blob, which SQLite accepts.
        let texts = try #require(data.range(of: Data((fixture.url.description + fixture.url.description).utf8)))
        try #require(data[texts.lowerBound - 5] == 4)
        data[texts.lowerBound - 5] = 20
        try data.write(to: file)
        let catalog = try Catalog(.file(file.path))
        await #expect(throws: CacheError.self) { try await catalog.resource(key: fixture.url.description) }
        try catalog.close()
        let next = try await fixture.open()
        fixture.origin.isReachable = false
        #expect(try await next.bytes(fixture.url) == Self.old.bytes)
        await next.cleanUpAfterEarlierOpening()
        try await expectOldVersion(in: next)
        await next.close()
        try await expectOldVersionAfterReopening(cleaning: true)
    }

    // MARK: - Pinned version

    /// A player reads the complete version after the origin has changed to another version.
    @Test func pinsCompleteVersion() async throws {
        let store = try await fixture.open()
        let id = try await store.complete(ReadRequest(url: fixture.url)).id
        let session = try await store.read(ReadRequest(url: fixture.url))
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        try await store.setPinned(true, id: id)
        session.cancel()
        try await read(store, until: Self.new)
        try await expectOldVersion(in: store)
        await store.close()
        try await expectOldVersionAfterReopening()
    }

    /// The pinned folder contains a partial newer version, but the pin refers to the complete one. `isLost` is whether
    /// the catalog is lost, too.
    @Test(arguments: [false, true])
    func isNotReplacedByPartialVersionInPinnedFolder(isLost: Bool) async throws {
        let store = try await storeWithNewVersion()
        await store.close()
        let path = fixture.folder + "/catalog.sqlite"
        let catalog = try Catalog(.file(path))
        let entry = try #require(try await catalog.resource(key: fixture.url.description))
        var partial = try #require(entry.representations.max { $0.id < $1.id })
        #expect(!partial.isDurable && partial.spans.byteCount < Self.new.length)
        partial.isDurable = true
        try await catalog.commit([CommitSnapshot(resource: entry.resource, representation: partial, dirtyPages: [:])])
        try catalog.close()
        try files.withDisk { disk in
            let blob = try #require(disk.paths.first { $0.contains(partial.blob) })
            let durable = blob.replacingOccurrences(of: "/blobs/", with: "/kept/")
            disk.makeFolder(POSIXFileSystem.parent(of: durable))
            try disk.rename(blob, to: durable)
        }
        let next = try await fixture.open()
        fixture.time.advance(by: .seconds(10))
        _ = try await next.bytes(fixture.url, .closed(0, through: 999))
        try await expectOldVersion(in: next)
        await next.close()
        if isLost {
            #expect(paths(".json").count == 2)
            try FileManager.default.removeItem(atPath: path)
        }
        try await expectOldVersionAfterReopening()
    }

    /// A power cut has reverted the rename of the pinned blob.
    @Test func survivesWithBlobInEvictableFolder() async throws {
        let store = try await storeWithNewVersion()
        await store.close()
        try files.withDisk { disk in
            let durable = try #require(disk.paths.first { $0.contains("/kept/") && $0.hasSuffix(".bin") })
            let blob = durable.replacingOccurrences(of: "/kept/", with: "/blobs/")
            disk.makeFolder(POSIXFileSystem.parent(of: blob))
            try disk.rename(durable, to: blob)
        }
        let next = try await fixture.open()
        try await read(next, until: Self.new)
        try await expectOldVersion(in: next)
        let last = try await fixture.reopen(next)
        try await expectOldVersion(in: last)
        #expect(paths(".bin").count { $0.hasPrefix("/kept/") } == 1)
        await last.close()
    }
}
