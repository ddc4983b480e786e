import Dispatch
import Foundation
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCache

struct PinTests {
    static let body = ScriptedBody.random(seed: 3, length: 1_500_000)
    private let files = PowerCutFileSystem()
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body), files: files) }

    private func paths(_ suffix: String) -> [String] {
        files.withDisk(\.paths).filter { $0.hasSuffix(suffix) }.map { String($0.dropFirst(fixture.folder.count)) }
    }

    /// Pinning renames a blob shortly before it records the move. A reader that opens the blob in between must find it.
    @Test func readsBlobRenamedBeforeCommit() async throws {
        let store = try await fixture.open()
        _ = try await store.complete(ReadRequest(url: fixture.url))
        let next = try await fixture.reopen(store)
        let session = try await next.read(ReadRequest(url: fixture.url))
        try files.withDisk { disk in
            for path in disk.paths where path.hasSuffix(".bin") {
                let durable = path.replacingOccurrences(of: "/blobs/", with: "/kept/")
                disk.makeFolder(POSIXFileSystem.parent(of: durable))
                try disk.rename(path, to: durable)
            }
        }
        let sent = fixture.origin.bodyBytes
        #expect(try await session.allBytes() == Self.body.bytes)
        #expect(fixture.origin.bodyBytes == sent)
        session.cancel()
        await next.close()
    }

    @Test(arguments: [false, true])
    func movesBlobWhenPinnedAndUnpinned(_ acrossFileSystems: Bool) async throws {
        if acrossFileSystems { files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] } }
        let store = try await fixture.open()
        let info = try await store.complete(ReadRequest(url: fixture.url))
        let session = try await store.read(ReadRequest(url: fixture.url))
        try await store.setPinned(true, id: info.id)
        #expect(paths(".bin").map { $0.hasPrefix("/kept/") } == [true])
        #expect(paths(".json").map { $0.hasPrefix("/kept/") } == [true])
        #expect(try await session.allBytes() == Self.body.bytes)
        let durable = try #require(
            files.withDisk { disk in disk.paths.first { $0.hasSuffix(".bin") }.map { disk.durableBytes(of: $0) } })
        #expect(durable == Self.body.bytes)
        session.cancel()
        try await store.setPinned(false, id: info.id)
        #expect(paths(".bin").map { $0.hasPrefix("/blobs/") } == [true])
        #expect(paths(".json").isEmpty)
        #expect(try await store.verify().findings.isEmpty)
        #expect(try await store.remove(id: info.id).isDeferred == false)
        #expect(files.withDisk(\.paths).isEmpty)
        await store.close()
    }

    @Test func movedBlobIsDurableIfAnotherCannotBeMoved() async throws {
        let other = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin[other] = ScriptedResource(.random(seed: 5, length: 50_000))
        let store = try await fixture.open()
        for url in [fixture.url, other] { _ = try await store.complete(ReadRequest(url: url)) }
        let renames = Counter()
        files.fail { call, path in
            call == .rename && path.hasSuffix(".bin") && renames.next() > 1 ? EIO : nil
        }
        let keys = [fixture.url, other].map { store.key(for: $0) }
        await #expect(throws: CacheError.self) { try await store.setPinned(true, keys: keys) }
        let moved = files.withDisk(\.paths).filter { $0.hasSuffix(".bin") && $0.contains("/kept/") }
        #expect(moved.count == 1)
        #expect(moved.allSatisfy { path in files.withDisk { $0.durableBytes(of: path) } != nil })
        files.fail(nil)
        await store.close()
    }

    @Test(arguments: [false, true])
    func createsPinnedBlobInPinnedFolder(_ isKnown: Bool) async throws {
        let store = try await fixture.open()
        if isKnown { _ = try await store.bytes(fixture.url, .closed(0, through: 999)) }
        _ = try await store.fill(ReadRequest(url: fixture.url, transferClass: .download, pins: true))
        #expect(paths(".bin").map { $0.hasPrefix("/kept/") } == [true])
        try await store.commit()
        #expect(paths(".json").map { $0.hasPrefix("/kept/") } == [true])
        #expect(try await store.resource(for: fixture.url)?.isPinned == true)
        #expect(try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0)) == 0)
        let next = try await fixture.reopen(store)
        #expect(try await next.resource(for: fixture.url)?.isPinned == true)
        #expect(try await next.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        await next.close()
    }

    @Test func errorOfTooLargeResourceHasUnits() async throws {
        let store = try await fixture.open()
        try await store.setLimits(CacheLimits(maximumBytes: 1_500, minimumFreeBytes: 0))
        let error = await #expect(throws: CacheError.self) {
            try await store.fill(ReadRequest(url: fixture.url, transferClass: .download, pins: true))
        }
        #expect(error?.code == .storage)
        let length = ByteCount(Int64(Self.body.length))
        #expect(error?.message.contains("has \(length), which exceeds the cache limit of 1.50 kB") == true)
        await store.close()
    }

    @Test func listsAllSpansInSidecarOfCompleteVersion() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 999))
        let info = try #require(try await store.resource(for: fixture.url))
        try await store.setPinned(true, id: info.id)
        let path = try #require(files.withDisk(\.paths).first { $0.hasSuffix(".json") })
        let first = try Sidecar(encoded: files.contents(of: path))
        #expect(SpanMap(encoded: first.spans)?.byteCount != Self.body.length)
        _ = try await store.complete(ReadRequest(url: fixture.url))
        _ = try await store.usage()
        let second = try Sidecar(encoded: files.contents(of: path))
        #expect(SpanMap(encoded: second.spans)?.byteCount == Self.body.length)
        await store.close()
    }

    @Test func sparesPinnedResourcesWhenRemovingAll() async throws {
        let other = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin[other] = ScriptedResource(.random(seed: 5, length: 50_000))
        let store = try await fixture.open()
        let info = try await store.complete(ReadRequest(url: fixture.url))
        _ = try await store.complete(ReadRequest(url: other))
        try await store.setPinned(true, id: info.id)
        #expect(try await store.removeAll().map(\.key) == [other.description])
        #expect(try await store.resources().map(\.key) == [fixture.url.description])
        #expect(try await store.removeAll(includingPinned: true).count == 1)
        #expect(try await store.resources().isEmpty)
        #expect(files.withDisk(\.paths).isEmpty)
        await store.close()
    }

    @Test func removesResourceWithLastReader() async throws {
        let store = try await fixture.open()
        let info = try await store.complete(ReadRequest(url: fixture.url))
        let sessions = [
            try await store.read(ReadRequest(url: fixture.url)), try await store.read(ReadRequest(url: fixture.url)),
        ]
        #expect(try await store.remove(id: info.id).isDeferred)
        sessions[0].cancel()
        #expect(try await sessions[1].allBytes() == Self.body.bytes)
        #expect(!files.withDisk(\.paths).isEmpty)
        sessions[1].cancel()
        await store.commitUntil { self.files.withDisk(\.paths).isEmpty }
        #expect(try await store.resources().isEmpty)
        await store.close()
    }

    @Test func removesOlderVersionWithItsReader() async throws {
        let store = try await fixture.open()
        _ = try await store.complete(ReadRequest(url: fixture.url))
        let next = try await fixture.reopen(store)
        let session = try await next.read(ReadRequest(url: fixture.url))
        let newer = ScriptedBody.random(seed: 4, length: 1_400_000)
        fixture.origin.replaceBody(fixture.url, with: newer, entityTag: "\"2\"")
        try await next.settled { try await $0.bytes(self.fixture.url) == newer.bytes }
        #expect(try await session.allBytes() == Self.body.bytes)
        #expect(paths(".bin").count == 2)
        session.cancel()
        _ = try await next.usage()
        await next.commitUntil { self.paths(".bin").count == 1 }
        #expect(try await next.bytes(fixture.url) == newer.bytes)
        await next.close()
    }

    /// A blob is copied to another file system while it is being written.
    @Test func pinningAcrossFileSystemsLosesNoFilledByte() async throws {
        files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] }
        fixture.origin[fixture.url] = ScriptedResource(Self.body, bufferSize: 4096)
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 999))
        let id = try #require(try await store.resource(for: fixture.url)?.id)
        let filled = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { filled.next() }
                _ = try await store.fill(ReadRequest(url: self.fixture.url))
            }
            group.addTask {
                var isPinned = false
                while filled.value == 0 {
                    isPinned.toggle()
                    try await store.setPinned(isPinned, id: id)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.verify().findings.isEmpty)
        let path = try #require(files.withDisk(\.paths).first { $0.hasSuffix(".bin") })
        #expect(files.withDisk { $0.durableBytes(of: path) } == Self.body.bytes)
        await store.close()
    }

    /// A copy of the blob made between a write and its record would lack the written bytes.
    @Test func doesNotMoveBlobBetweenWriteAndRecord() async throws {
        files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] }
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url, range: .closed(0, through: 999)))
        for try await _ in session.buffers {}
        await store.settled { $0.statistics.runningFills == 0 }
        let resource = try #require(store.table[store.key(for: fixture.url)])
        let representation = try #require(resource.state.withLock { $0.current })
        let hole = try #require(representation.spans.holes(in: 0..<Int64(Self.body.length)).first)
        let range = hole.lowerBound..<hole.lowerBound + 4096
        let bytes = Array(Self.body.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        var isTried = false
        let woken = try bytes.withUnsafeBytes { bytes in
            try representation.write(bytes, at: range, into: [range]) {
                isTried = true
                let isFree = representation.writing.withLockIfAvailable { _ in true } ?? false
                #expect(!isFree)
                if isFree { #expect(throws: Never.self) { try store.engine.move([representation], isDurable: true) } }
            }
        }
        for wake in woken { wake() }
        #expect(isTried)
        try store.engine.move([representation], isDurable: true)
        #expect(paths(".bin").map { $0.hasPrefix("/kept/") } == [true])
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url, .closed(range.lowerBound, through: range.upperBound - 1)) == bytes)
        session.cancel()
        await store.close()
    }

    /// A commit during a move must not list the blob in its old folder, because it syncs only the copy.
    @Test func commitDuringMoveAcrossFileSystemsListsSyncedFile() async throws {
        files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] }
        let store = try await fixture.open()
        let bytes = try await store.bytes(fixture.url, .closed(0, through: 199_999))
        await store.settled { $0.statistics.runningFills == 0 }
        let resource = try #require(store.table[store.key(for: fixture.url)])
        let representation = try #require(resource.current)
        #expect(representation.state.withLock { $0.uncommittedBytes } >= 200_000)
        let durable = Mutex<[UInt8]?>(nil)
        let commit: @Sendable () async -> Void = { [files, engine = store.engine] in
            await engine.committer.commit()
            guard let owner = try? await engine.catalog.owner(ofBlob: representation.blob) else { return }
            let listed = engine.blobs.path(of: representation.blob, isDurable: owner.isDurable)
            durable.withLock { $0 = files.withDisk { $0.durableBytes(of: listed) } }
        }
        files.beforeRemoval { _ in
            let isCommitted = DispatchSemaphore(value: 0)
            Task {
                await commit()
                isCommitted.signal()
            }
            // The limit only ends a deadlock. While other tests run, a commit may take seconds.
            #expect(isCommitted.wait(timeout: .now() + 120) == .success)
        }
        try await store.engine.run { try $0.move([representation], isDurable: true) }
        files.beforeRemoval(nil)
        let holdsBytes = durable.withLock { $0?.starts(with: bytes) }
        #expect(holdsBytes == true)
        await store.close()
    }

    /// A source that can't be deleted after a move across file systems is a duplicate, not the blob.
    @Test func writesToCopyIfSourceCannotBeDeleted() async throws {
        files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] }
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 9_999))
        await store.settled { $0.statistics.runningFills == 0 }
        let representation = try #require(store.table[store.key(for: fixture.url)]?.current)
        files.fail { call, _ in call == .remove ? EIO : nil }
        await #expect(throws: SystemError.self) {
            try await store.engine.run { try $0.move([representation], isDurable: true) }
        }
        files.fail(nil)
        _ = try await store.complete(ReadRequest(url: fixture.url))
        await store.close()
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        let isComplete = try await next.bytes(fixture.url) == Self.body.bytes
        #expect(isComplete)
        #expect(try await next.verify().findings.isEmpty)
        await next.close()
    }

    /// An origin that calls a function whenever the bytes of a buffer are accessed.
    private struct ObservedOrigin: Origin {
        let base: ScriptedOrigin
        let onAccess: @Sendable () -> Void

        func send(_ request: OriginRequest) async throws -> OriginResponse {
            var response = try await base.send(request)
            response.body = Body(base: response.body, onAccess: onAccess)
            return response
        }

        private final class Body: OriginBody {
            let base: any OriginBody
            let onAccess: @Sendable () -> Void

            init(base: any OriginBody, onAccess: @escaping @Sendable () -> Void) {
                (self.base, self.onAccess) = (base, onAccess)
            }

            func next() async throws -> (any OriginBuffer)? {
                try await base.next().map { Buffer(base: $0, onAccess: onAccess) }
            }

            func cancel() { base.cancel() }
        }

        private struct Buffer: OriginBuffer {
            let base: any OriginBuffer
            let onAccess: @Sendable () -> Void

            var count: Int { base.count }

            func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
                onAccess()
                return try base.withUnsafeBytes(body)
            }
        }
    }

    /// The thread of a transport serves other transfers, too, so it must not wait while a blob is copied.
    @Test func writesOnAnotherThreadWhileBlobIsMoved() async throws {
        struct State {
            var representation: Representation?
            var accesses = 0
        }
        let state = Mutex(State())
        let (isHeld, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasWaited = Mutex(false)
        let origin = ObservedOrigin(base: fixture.origin) {
            let (representation, access) = state.withLock { state in
                if state.representation != nil { state.accesses += 1 }
                return (state.representation, state.accesses)
            }
            // The first access is that of a write on the thread that received the bytes, the second one that of the
            // same write on another thread.
            if access == 2 { isReleased.signal() }
            guard let representation, access == 1 else { return }
            Thread.detachNewThread {
                representation.writing.withLock { _ in
                    isHeld.signal()
                    // The limit only ends a deadlock.
                    if isReleased.wait(timeout: .now() + 120) == .timedOut { hasWaited.withLock { $0 = true } }
                }
            }
            isHeld.wait()
        }
        let body = fixture.holdNext(at: 500_000)
        let store = try await fixture.open(origin: origin)
        let session = try await store.read(ReadRequest(url: fixture.url))
        await body.waitForArrivals()
        await store.settled { _ in
            store.table[store.key(for: fixture.url)]?.current?.spans.byteCount == fixture.origin.bodyBytes
        }
        let resource = try #require(store.table[store.key(for: fixture.url)])
        state.withLock { $0.representation = resource.current }
        body.open()
        #expect(try await session.allBytes() == Self.body.bytes)
        #expect(state.withLock { $0.accesses } >= 2)
        #expect(!hasWaited.withLock { $0 }, "the write waited on the thread that received the bytes")
        session.cancel()
        await store.close()
    }

    /// Pinned content that is partly cached stays readable after the catalog is lost.
    @Test func listsSpansInSidecarAfterFills() async throws {
        let store = try await fixture.open()
        let ranges: [Range<Int64>] = [0..<100_000, 400_000..<500_000, 900_000..<1_000_000]
        for range in ranges {
            _ = try await store.fill(
                ReadRequest(
                    url: fixture.url, range: .closed(range.lowerBound, through: range.upperBound - 1),
                    transferClass: .download, pins: true))
            // A commit may happen before the end of a fill is recorded.
            await store.engine.committer.commit()
            await store.settled { $0.statistics.runningFills == 0 }
            await store.engine.committer.commit()
            let path = try #require(files.withDisk(\.paths).first { $0.hasSuffix(".json") })
            let sidecar = try Sidecar(encoded: files.contents(of: path))
            let entry = try await store.engine.catalog.resource(key: fixture.url.description)
            #expect(SpanMap(encoded: sidecar.spans) == entry?.representations.first?.spans)
            #expect(SpanMap(encoded: sidecar.spans)?.contains(range) == true)
        }
        await store.close()
        try FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite")
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        for range in ranges {
            let bytes = try await next.bytes(fixture.url, .closed(range.lowerBound, through: range.upperBound - 1))
            #expect(Self.body.matches(bytes, at: range.lowerBound) && bytes.count == range.count)
        }
        await next.close()
    }
}
