import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

struct FolderLockTests {
    private let fixture: EngineFixture
    private var location: CacheLocation { CacheLocation(folder: fixture.folder) }

    init() throws { fixture = try EngineFixture() }

    @Test func oneOwnerAtATime() async throws {
        let store = try await fixture.open()
        try store.announce(address: "http://127.0.0.1:9479")
        let error = await #expect(throws: CacheError.self) { _ = try await fixture.open() }
        #expect(error?.code == .folderOwned)
        #expect(error?.message.contains("http://127.0.0.1:9479") == true)
        #expect(error?.message.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
        let owner = CacheStore.owner(of: location)
        #expect(owner?.address == "http://127.0.0.1:9479")
        #expect(owner?.processID == ProcessInfo.processInfo.processIdentifier)
        await store.close()
        #expect(CacheStore.owner(of: location) == nil)
        let next = try await fixture.open()
        await next.close()
    }

    @Test func aFolderWithoutAnOwnerHasNone() throws {
        #expect(CacheStore.owner(of: location) == nil)
    }

    /// Another process holds the lock, and lets it go when it's killed.
    @Test func theLockGoesWithItsProcess() async throws {
        try POSIXFileSystem().makeFolder(fixture.folder)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["flock", "-n", fixture.folder + "/lock", "sh", "-c", "echo locked; exec cat"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        #expect(output.fileHandleForReading.readData(ofLength: 6) == Data("locked".utf8))
        let error = await #expect(throws: CacheError.self) { _ = try await fixture.open() }
        #expect(error?.code == .folderOwned)
        #expect(CacheStore.owner(of: location) != nil)
        kill(process.processIdentifier, SIGKILL)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        let store = try await fixture.open()
        await store.close()
    }

    @Test func askingForTheOwnerKeepsNobodyOut() async throws {
        let location = location
        let asking = Task {
            while !Task.isCancelled {
                _ = CacheStore.owner(of: location)
                await Task.yield()
            }
        }
        for _ in 0..<20 {
            let store = try await fixture.open()
            await store.close()
        }
        asking.cancel()
        await asking.value
    }
}

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
