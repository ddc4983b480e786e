import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

struct FolderLockTests {
    private let fixture: EngineFixture
    private var location: CacheLocation { CacheLocation(folder: fixture.folder) }

    init() throws { fixture = try EngineFixture() }

    @Test func permitsOnlyOneOwner() async throws {
        let store = try await fixture.open()
        try store.announce(address: "http://127.0.0.1:9479")
        let error = await expectError(.folderOwned) { _ = try await fixture.open() }
        #expect(error?.message.contains("http://127.0.0.1:9479") == true)
        #expect(error?.message.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
        let owner = CacheStore.owner(of: location)
        #expect(owner?.address == "http://127.0.0.1:9479")
        #expect(owner?.processID == ProcessInfo.processInfo.processIdentifier)
        await store.close()
        #expect(CacheStore.owner(of: location) == nil)
        try await fixture.open().close()
    }

    @Test func unusedFolderHasNoOwner() throws {
        #expect(CacheStore.owner(of: location) == nil)
    }

    /// Another process that holds the lock is killed.
    @Test func killedProcessReleasesLock() async throws {
        try POSIXFileSystem().makeFolder(fixture.folder)
        // The process acquires the lock, reports it, and waits.
        let other = try SpawnedProcess(
            "/usr/bin/env",
            ["flock", "--nonblock", "--no-fork", fixture.folder + "/lock", "sh", "-c", "echo locked; exec sleep 600"])
        #expect(other.output(count: 6) == "locked")
        await expectError(.folderOwned) { _ = try await fixture.open() }
        #expect(CacheStore.owner(of: location) != nil)
        other.killAndWait()
        try await fixture.open().close()
    }

    @Test func acquiresLockDuringOwnerLookups() async throws {
        let location = location
        let asking = Task {
            while !Task.isCancelled {
                _ = CacheStore.owner(of: location)
                await Task.yield()
            }
        }
        for _ in 0..<20 {
            try await fixture.open().close()
        }
        asking.cancel()
        await asking.value
    }

    /// A process that only reads the folder is found as its owner, and excludes writers and other readers.
    @Test func locksReadOnlyFolder() async throws {
        try await fixture.open().close()
        var reader: FolderLock? = try FolderLock(toRead: location)
        try reader?.announce(address: "http://127.0.0.1:9480")
        #expect(CacheStore.owner(of: location)?.address == "http://127.0.0.1:9480")
        for open in [FolderLock.init(location:), FolderLock.init(toRead:)] {
            let error = await expectError(.folderOwned) { _ = try open(location) }
            #expect(error?.message.contains("http://127.0.0.1:9480") == true)
        }
        reader = nil
        #expect(CacheStore.owner(of: location) == nil)
        let store = try await fixture.open()
        #expect(throws: CacheError.self) { _ = try FolderLock(toRead: location) }
        await store.close()
    }
}
