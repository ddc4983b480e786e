import Foundation
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCache

struct StorageFailureTests {
    static let body = ScriptedBody.random(seed: 3, length: 3_000_000)
    private let files = PowerCutFileSystem()
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body), files: files) }

    private func storageFailures(_ events: AsyncStream<CacheEvent>) async -> Int {
        var count = 0
        for await event in events { if case .storageFailed = event { count += 1 } }
        return count
    }

    @Test(arguments: [PowerCutFileSystem.Call.open, .write, .sync, .makeFolder, .syncFolder])
    func readsDespiteFullDisk(_ failing: PowerCutFileSystem.Call) async throws {
        let store = try await fixture.open()
        let events = store.events()
        files.fail { call, path in call == failing && !path.hasSuffix("/blobs") ? ENOSPC : nil }
        for _ in 0..<3 {
            #expect(try await store.bytes(fixture.url) == Self.body.bytes)
            await store.engine.committer.commit()
        }
        files.fail(nil)
        await store.probeStorage()
        _ = try await store.complete(ReadRequest(url: fixture.url))
        #expect(try await store.resource(for: fixture.url)?.isComplete == true)
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
        #expect(await storageFailures(events) == 1)
    }

    @Test(arguments: 1...12)
    func readsDespiteDiskFillingUp(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let (first, last) = (Int.random(in: 1...60, using: &random), Int.random(in: 60...120, using: &random))
        let calls = Counter()
        let store = try await fixture.open()
        files.fail { call, _ in
            guard call != .read else { return nil }
            let number = calls.next()
            return number >= first && number <= last ? ENOSPC : nil
        }
        for _ in 0..<40 {
            let start = Int64.random(in: 0..<2_900_000, using: &random)
            let bytes = try await store.bytes(fixture.url, .closed(start, through: start + 99_999))
            #expect(Self.body.matches(bytes, at: start))
            fixture.time.advance(by: .seconds(1))
        }
        files.fail(nil)
        await store.probeStorage()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    /// If no length is announced, only the end of the body determines it.
    @Test(arguments: [ScriptedFault.noContentLength, .closeDelimited()])
    func endsBodyOfUnknownLengthOnFullDisk(_ fault: ScriptedFault) async throws {
        fixture.origin.always(fixture.url, fault, .ignoresRange)
        let store = try await fixture.open()
        for call in [PowerCutFileSystem.Call.write, .open] {
            files.fail { failing, path in failing == call && !path.hasSuffix("/blobs") ? ENOSPC : nil }
            #expect(try await store.bytes(fixture.url) == Self.body.bytes)
            #expect(try await store.bytes(fixture.url, .from(2_000_000)) == Self.body.bytes(in: 2_000_000..<3_000_000))
        }
        #expect(fixture.origin.requests.count <= 8)
        await store.close()
    }

    @Test func resumesCachingDuringRead() async throws {
        let body = ScriptedBody.random(seed: 8, length: 30 << 20)
        fixture.origin[fixture.url] = ScriptedResource(body)
        let store = try await fixture.open()
        files.fail { call, _ in call == .write ? ENOSPC : nil }
        let session = try await store.read(ReadRequest(url: fixture.url))
        var buffers = session.buffers.makeAsyncIterator()
        var position: Int64 = 0
        while let bytes = try await buffers.next() {
            #expect(body.matches(bytes, at: position))
            position += Int64(bytes.count)
            if store.engine.health.isFailing, position > 1 << 20 {
                files.fail(nil)
                await store.probeStorage()
            }
        }
        #expect(position == body.length)
        let info = try #require(try await store.resource(for: fixture.url))
        #expect(info.bytesCached > 10 << 20)
        session.cancel()
        await store.close()
    }

    @Test(arguments: [EFBIG, EINVAL])
    func fileTooLargeForFileSystemDoesNotAffectOtherResources(_ number: Int32) async throws {
        let store = try await fixture.open()
        files.fail { call, _ in call == .write ? number : nil }
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        files.fail(nil)
        #expect(!store.engine.health.isFailing)
        // Other resources are stored without probing the folder first.
        let other = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin[other] = ScriptedResource(Self.body)
        #expect(try await store.complete(ReadRequest(url: other)).isComplete)
        await store.close()
    }

    @Test func passesThroughWithUnusableFolder() async throws {
        try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: fixture.folder + "/file"))
        let folder = fixture.folder + "/file/cache"
        let store = try await fixture.open { $0.location = CacheLocation(folder: folder) }
        let events = store.events()
        #expect(!store.isWritable)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.bytes(fixture.url, .closed(1000, through: 1999)) == Self.body.bytes(in: 1000..<2000))
        await store.close()
        #expect(await storageFailures(events) == 1)
    }
}
