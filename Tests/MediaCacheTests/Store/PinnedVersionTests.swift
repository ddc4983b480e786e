import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of pinned versions, which remain until a complete replacement is cached, whatever the origin does.
@Suite(.timeLimit(.minutes(60)))
struct PinnedVersionTests {
    static let old = ScriptedBody.random(seed: 61, length: 3_000_000)
    static let new = ScriptedBody.random(seed: 62, length: 3_200_000)
    static let shorter = ScriptedBody.random(seed: 63, length: 1_500_000)
    let files = PowerCutFileSystem()
    let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.old), files: files) }

    var download: ReadRequest { ReadRequest(url: fixture.url, transferClass: .download, pins: true) }

    func paths(_ suffix: String) -> [String] {
        files.withDisk(\.paths).filter { $0.hasSuffix(suffix) }.map { String($0.dropFirst(fixture.folder.count)) }
    }

    /// Returns a store in which the old version is pinned and complete.
    func storeWithDownload() async throws -> CacheStore {
        let store = try await fixture.open()
        _ = try await store.complete(download)
        return store
    }

    /// Returns a store as ``storeWithDownload()`` does, which has also read the origin's new version.
    func storeWithNewVersion() async throws -> CacheStore {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        return store
    }

    /// Lets the cached version expire, so that the store finds the origin's version, and reads the first bytes until
    /// they match `body`. Then waits for fills and commits.
    func read(_ store: CacheStore, until body: ScriptedBody) async throws {
        fixture.time.advance(by: .seconds(90_000))
        await store.settled { store in
            let bytes = try? await store.bytes(self.fixture.url, .closed(0, through: 999))
            return bytes.map { body.matches($0) } ?? false
        }
        #expect(body.matches(try await store.bytes(fixture.url, .closed(0, through: 999))))
        await store.settled { $0.statistics.runningFills == 0 }
        await store.engine.committer.commit()
    }

    /// Expects the old version to be listed, pinned, complete, undamaged, and readable without the origin.
    func expectOldVersion(
        in store: CacheStore, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let info = try #require(try await store.resource(for: fixture.url), sourceLocation: sourceLocation)
        #expect(info.isPinned && info.isComplete, sourceLocation: sourceLocation)
        #expect(info.validator.entityTag == "\"1\"", sourceLocation: sourceLocation)
        #expect(try await store.resources().map(\.isComplete) == [true], sourceLocation: sourceLocation)
        let coverage = try #require(try await store.coverage(of: [download])[0], sourceLocation: sourceLocation)
        #expect(coverage.isWhole && coverage.isPinned, sourceLocation: sourceLocation)
        // The origin is contacted again 5 s after its last response.
        fixture.time.advance(by: .seconds(10))
        let isReachable = fixture.origin.isReachable
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url) == Self.old.bytes, sourceLocation: sourceLocation)
        #expect(try await store.verify().findings.isEmpty, sourceLocation: sourceLocation)
        fixture.origin.isReachable = isReachable
    }

    func expectOldVersionAfterReopening(
        cleaning: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let store = try await fixture.open()
        if cleaning { await store.cleanUpAfterEarlierOpening() }
        try await expectOldVersion(in: store, sourceLocation: sourceLocation)
        await store.close()
    }

    /// A power failure during a move leaves two files, one of which is removed after the next opening.
    @Test func movedPinSurvivesRemovalOfDuplicate() async throws {
        let first = try await fixture.open()
        _ = try await first.complete(ReadRequest(url: fixture.url, transferClass: .download))
        await first.close()
        let catalog = URL(fileURLWithPath: fixture.folder + "/catalog.sqlite")
        let rows = try Data(contentsOf: catalog)
        let second = try await fixture.open()
        let id = try #require(try await second.resource(for: fixture.url)).id
        try await second.setPinned(true, id: id)
        let name = try #require(try await second.engine.catalog.blobs().keys.first)
        let moved = [false, true].map { second.engine.blobs.path(of: name, isDurable: $0) }
        try files.remove(second.engine.blobs.sidecarPath(of: name))
        await second.close()
        try rows.write(to: catalog)
        try files.link(moved[1], to: moved[0])
        let (removals, removal) = AsyncStream.makeStream(of: Void.self)
        let mayRemove = DispatchSemaphore(value: 0)
        files.beforeRemoval { path in
            guard path == moved[1] else { return }
            removal.yield()
            _ = mayRemove.wait(timeout: .now() + 10)
        }
        let third = try await fixture.open()
        for await _ in removals { break }
        let pin = Task { try await third.setPinned(true, id: id) }
        // Without exclusive access of the removal, the pin would move now.
        for _ in 0..<30 where files.exists(moved[0]) { try await Task.sleep(for: .milliseconds(10)) }
        mayRemove.signal()
        try await pin.value
        await third.close()
        try await expectOldVersionAfterReopening()
    }

    @Test func survivesReadOfAnotherVersion() async throws {
        let store = try await storeWithNewVersion()
        #expect(paths(".bin").count { $0.hasPrefix("/kept/") } == 1)
        try await expectOldVersion(in: store)
        // The other version is evicted, but the pinned one isn't.
        _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
        #expect(paths(".bin").count == 1)
        try await expectOldVersion(in: store)
        let next = try await fixture.reopen(store)
        try await expectOldVersion(in: next)
        try await read(next, until: Self.new)
        await next.close()
        try await expectOldVersionAfterReopening(cleaning: true)
    }

    @Test(arguments: [false, true], [false, true])
    func isReplacedWhenOtherVersionIsComplete(_ acrossFileSystems: Bool, isShorter: Bool) async throws {
        let other = isShorter ? Self.shorter : Self.new
        if acrossFileSystems { files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] } }
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(other, entityTag: "\"2\"")
        try await read(store, until: other)
        let info = try await store.complete(download)
        #expect(info.isComplete && info.validator.entityTag == "\"2\"")
        await store.commitUntil { self.paths(".bin").count == 1 }
        #expect(paths(".bin").map { $0.hasPrefix("/kept/") } == [true])
        #expect(paths(".json").count == 1)
        await store.close()
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        #expect(try await next.bytes(fixture.url) == other.bytes)
        #expect(try await next.resource(for: fixture.url)?.isPinned == true)
        // The replacement is restored even without the catalog.
        let rebuilt = try await fixture.reopen(next, withoutCatalog: true)
        #expect(try await rebuilt.bytes(fixture.url) == other.bytes)
        await rebuilt.close()
    }

    @Test func survivesFailureToMoveReplacement() async throws {
        let store = try await storeWithNewVersion()
        files.fail { call, path in call == .rename && path.hasSuffix(".bin") ? EIO : nil }
        // An error of another type would be taken for a failure of the origin.
        await #expect(throws: CacheError.self) { try await store.complete(download) }
        files.fail(nil)
        #expect(paths(".bin").count { $0.hasPrefix("/kept/") } == 1)
        await store.close()
    }

    @Test(arguments: [404, 410, 503, 416])
    func survivesErrorStatus(_ status: Int) async throws {
        let store = try await storeWithNewVersion()
        fixture.origin.always(fixture.url, .status(status))
        fixture.time.advance(by: .seconds(90_000))
        #expect(try await store.bytes(fixture.url) == Self.old.bytes)
        let next = try await fixture.reopen(store)
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(90_000))
            #expect(try await next.bytes(fixture.url) == Self.old.bytes)
        }
        try await expectOldVersion(in: next)
        await next.close()
    }

    /// The origin no longer has any version, and never had another one.
    @Test(arguments: [404, 410], [false, true])
    func survivesErrorStatusWithoutOtherVersion(_ status: Int, isComplete: Bool) async throws {
        let store = try await fixture.open()
        var part = download
        part.range = .closed(1_000_000, through: 1_999_999)
        if isComplete { _ = try await store.complete(download) } else { _ = try await store.fill(part) }
        let range = isComplete ? RequestedRange.all : part.range
        let expected = isComplete ? Self.old.bytes : Self.old.bytes(in: 1_000_000..<2_000_000)
        fixture.origin.always(fixture.url, .status(status))
        func expectPinnedBytes(in store: CacheStore, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            for _ in 0..<3 {
                fixture.time.advance(by: .seconds(90_000))
                #expect(try await store.bytes(fixture.url, range) == expected, sourceLocation: sourceLocation)
                let whole = try? await store.bytes(fixture.url)
                #expect(whole == (isComplete ? expected : nil), sourceLocation: sourceLocation)
                let download = download
                if !isComplete {
                    await #expect(throws: CacheError.self, sourceLocation: sourceLocation) {
                        try await store.complete(download)
                    }
                }
                _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
            }
            let coverage = try #require(try await store.coverage(of: [part])[0], sourceLocation: sourceLocation)
            #expect(coverage.isWhole && coverage.isPinned, sourceLocation: sourceLocation)
        }
        try await expectPinnedBytes(in: store)
        let next = try await fixture.reopen(store)
        try await expectPinnedBytes(in: next)
        let rebuilt = try await fixture.reopen(next, withoutCatalog: true)
        try await expectPinnedBytes(in: rebuilt)
        fixture.origin.clearFaults(fixture.url)
        #expect(try await rebuilt.complete(download).isComplete)
        #expect(try await rebuilt.bytes(fixture.url) == Self.old.bytes)
        await rebuilt.close()
    }

    @Test func survivesShorterFile() async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.shorter, entityTag: "\"2\"")
        try await read(store, until: Self.shorter)
        try await expectOldVersion(in: store)
        fixture.origin[fixture.url] = ScriptedResource(.random(seed: 1, length: 0), entityTag: "\"3\"")
        fixture.time.advance(by: .seconds(90_000))
        _ = try? await store.bytes(fixture.url)
        fixture.time.advance(by: .seconds(90_000))
        _ = try? await store.bytes(fixture.url)
        await store.engine.committer.commit()
        try await expectOldVersion(in: store)
        await store.close()
        try await expectOldVersionAfterReopening()
    }

    /// Load-balanced servers may use different entity tags.
    @Test func survivesAlternatingValidators() async throws {
        let store = try await storeWithDownload()
        var resource = ScriptedResource(Self.old)
        resource.entityTags = ["\"2\"", "\"1\"", "\"3\"", "\"1\"", "\"1\""]
        fixture.origin[fixture.url] = resource
        for _ in 0..<20 {
            fixture.time.advance(by: .seconds(90_000))
            if let bytes = try? await store.bytes(fixture.url, .closed(0, through: 9_999)) {
                #expect(Self.old.matches(bytes))
            }
            await store.settled { $0.statistics.runningFills == 0 }
            await store.engine.committer.commit()
            #expect(try await store.resource(for: fixture.url)?.isComplete == true)
        }
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url) == Self.old.bytes)
        let next = try await fixture.reopen(store)
        #expect(try await next.bytes(fixture.url) == Self.old.bytes)
        #expect(try await next.resource(for: fixture.url)?.isPinned == true)
        await next.close()
    }

    /// Load-balanced servers may have different versions.
    @Test func survivesAlternatingVersions() async throws {
        let store = try await storeWithDownload()
        for round in 0..<6 {
            fixture.origin[fixture.url] =
                round % 2 == 0 ? ScriptedResource(Self.new, entityTag: "\"2\"") : ScriptedResource(Self.old)
            try await read(store, until: round % 2 == 0 ? Self.new : Self.old)
            _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
            fixture.time.advance(by: .seconds(61))
            try await expectOldVersion(in: store)
        }
        await store.close()
        try await expectOldVersionAfterReopening()
    }

    /// If the origin returns to the pinned version, nothing is fetched again.
    @Test func becomesCurrentWhenOriginReturnsToIt() async throws {
        let store = try await storeWithNewVersion()
        fixture.origin[fixture.url] = ScriptedResource(Self.old)
        try await read(store, until: Self.old)
        let sent = fixture.origin.bodyBytes
        #expect(try await store.bytes(fixture.url) == Self.old.bytes)
        #expect(fixture.origin.bodyBytes == sent)
        await store.commitUntil { self.paths(".bin").count == 1 }
        try await expectOldVersion(in: store)
        await store.close()
    }

    /// The current version is read while the origin responds. Otherwise the pinned version is read.
    @Test func isReadWhenOriginFails() async throws {
        let store = try await storeWithNewVersion()
        let middle = try await store.bytes(fixture.url, .closed(2_000_000, through: 2_000_999))
        #expect(Self.new.matches(middle, at: 2_000_000))
        // A read without revalidation uses the pinned version, although no request has failed yet.
        #expect(try await store.bytes(ReadRequest(url: fixture.url, revalidation: .never)) == Self.old.bytes)
        fixture.time.advance(by: .seconds(10))
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url) == Self.old.bytes)
        #expect(try await store.wholeBody(WholeBodyRequest(url: fixture.url) { _ in false }).bytes == Self.old.bytes)
        var request = ReadRequest(url: fixture.url)
        request.settings = store.transfers
        request.settings?.allowsOriginRequests = false
        #expect(try await store.bytes(request) == Self.old.bytes)
        // A download requires the origin's version.
        let download = download
        await #expect(throws: CacheError.self) { try await store.complete(download) }
        await store.close()
    }

    /// A silent origin delays the first reader by two seconds, and no other reader during the next minute.
    @Test(arguments: [false, true], [false, true])
    func isReadWhenOriginIsSilent(isOtherCached: Bool, reopens: Bool) async throws {
        var store = try await fixture.open { $0.transfers.limits.firstByte = .seconds(1_000_000) }
        _ = try await store.complete(download)
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        if !isOtherCached { _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0)) }
        if reopens {
            await store.close()
            store = try await fixture.open { $0.transfers.limits.firstByte = .seconds(1_000_000) }
        }
        for isWholeBody in [false, true] {
            fixture.time.advance(by: .seconds(90_000))
            let gate = ScriptedGate()
            fixture.origin.always(fixture.url, .holdHead(gate))
            let readAll = { @Sendable [fixture, store] in
                isWholeBody
                    ? try await store.wholeBody(WholeBodyRequest(url: fixture.url) { _ in false }).bytes
                    : try await store.bytes(fixture.url)
            }
            let reading = Task { try await readAll() }
            await gate.waitForArrivals()
            fixture.time.advance(by: .seconds(2))
            let bytes = try await fixture.advancingClock(by: .microseconds(1)) { try await reading.value }
            #expect(bytes == Self.old.bytes)
            let count = fixture.origin.requests.count
            for _ in 0..<3 { #expect(try await readAll() == Self.old.bytes) }
            #expect(fixture.origin.requests.count == count)
            // The late response is used.
            fixture.origin.clearFaults(fixture.url)
            gate.open()
            await store.settled { store in
                store.table[store.key(for: self.fixture.url)]?.state.withLock { $0.isRevalidating } != true
            }
        }
        #expect(try await store.bytes(fixture.url) == Self.new.bytes)
        await store.close()
    }

    /// After a failure, not every reader contacts the origin.
    @Test func isReadWithoutRequestAfterRecentFailure() async throws {
        let store = try await storeWithNewVersion()
        _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
        fixture.origin.isReachable = false
        for _ in 0..<2 {
            let count = store.statistics.originRequests
            for _ in 0..<3 { #expect(try await store.bytes(fixture.url) == Self.old.bytes) }
            #expect(store.statistics.originRequests == count + 1)
            fixture.time.advance(by: .seconds(61))
        }
        fixture.origin.isReachable = true
        #expect(try await store.bytes(fixture.url) == Self.new.bytes)
        await store.close()
    }

    // MARK: - Byte ranges

    /// A download fetches ranges of a file, and the origin changes its version between two of them.
    @Test(arguments: [false, true], [1_100_000, 2_500_000] as [Int64])
    func pinMovesToOtherVersionWithItsRanges(isShorter: Bool, offset: Int64) async throws {
        let other = isShorter ? Self.shorter : Self.new
        let store = try await fixture.open()
        var (first, second) = (download, download)
        // The range is beyond the read-ahead of a reader of the first bytes.
        first.range = .closed(offset, through: offset + 99_999)
        second.range = .closed(1_300_000, through: 1_399_999)
        _ = try await store.fill(first)
        await store.settled { $0.statistics.runningFills == 0 }
        fixture.origin[fixture.url] = ScriptedResource(other, entityTag: "\"2\"")
        // The fill that detects the other version fails.
        _ = try? await store.fill(second)
        let coverage = try await store.coverage(of: [second])[0]
        #expect(coverage?.isWhole != true)
        _ = try await store.fill(second)
        let requests = offset < other.length ? [first, second] : [second]
        func expectRanges(in store: CacheStore, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let coverages = try await store.coverage(of: requests)
            #expect(
                coverages.allSatisfy { $0?.isWhole == true && $0?.isPinned == true }, sourceLocation: sourceLocation)
            fixture.origin.isReachable = false
            for request in requests {
                let bytes = try await store.bytes(fixture.url, request.range)
                let start = try #require(request.range.knownStart)
                #expect(bytes.count == 100_000 && other.matches(bytes, at: start), sourceLocation: sourceLocation)
            }
            fixture.origin.isReachable = true
        }
        try await expectRanges(in: store)
        _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
        try await expectRanges(in: store)
        let third = ScriptedBody.random(seed: 64, length: 3_100_000)
        fixture.origin[fixture.url] = ScriptedResource(third, entityTag: "\"3\"")
        try await read(store, until: third)
        fixture.time.advance(by: .seconds(61))
        try await expectRanges(in: store)
        let next = try await fixture.reopen(store)
        try await expectRanges(in: next)
        let rebuilt = try await fixture.reopen(next, withoutCatalog: true)
        try await expectRanges(in: rebuilt)
        await rebuilt.close()
    }

    /// A version that lacks the pinned bytes isn't pinned, and the download of its range fails.
    @Test func pinDoesNotMoveToVersionWithoutRanges() async throws {
        let store = try await fixture.open()
        var (first, second) = (download, download)
        first.range = .closed(2_000_000, through: 2_299_999)
        second.range = .closed(0, through: 299_999)
        _ = try await store.fill(first)
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        _ = try? await store.fill(second)
        fixture.origin.next(fixture.url)
        fixture.origin.next(fixture.url, .status(503))
        let failing = second
        await #expect(throws: CacheError.self) { try await store.fill(failing) }
        var coverages = try await store.coverage(of: [first, second])
        #expect(coverages.map { $0?.isWhole } == [true, true])
        #expect(coverages.map { $0?.isPinned } == [true, false])
        #expect(coverages.map { $0?.isResourcePinned } == [true, true])
        _ = try await store.fill(second)
        coverages = try await store.coverage(of: [first, second])
        #expect(coverages.allSatisfy { $0?.isWhole == true && $0?.isPinned == true })
        await store.close()
    }

    @Test func isRemovedWhenUnpinned() async throws {
        let store = try await storeWithNewVersion()
        let info = try #require(try await store.resource(for: fixture.url))
        try await store.setPinned(false, id: info.id)
        await store.commitUntil { self.paths(".bin").count == 1 }
        #expect(paths(".bin").map { $0.hasPrefix("/blobs/") } == [true])
        #expect(paths(".json").isEmpty)
        #expect(try await store.resource(for: fixture.url)?.validator.entityTag == "\"2\"")
        await store.close()
    }

    /// A damaged catalog record is restored from the sidecar.
    @Test func survivesDamagedRecord() async throws {
        let store = try await storeWithDownload()
        await store.close()
        let catalog = try Catalog(.file(fixture.folder + "/catalog.sqlite"))
        var entry = try #require(try await catalog.resource(key: fixture.url.description))
        let representation = try #require(entry.representations.first)
        // A different key invalidates the record's checksum.
        entry.resource.key = "http://other.example/"
        try await catalog.commit([
            CommitSnapshot(resource: entry.resource, representation: representation, dirtyPages: [:])
        ])
        #expect(try await catalog.resource(key: fixture.url.description)?.damaged.count == 1)
        try catalog.close()
        let next = try await fixture.open()
        #expect(try await next.bytes(fixture.url) == Self.old.bytes)
        #expect(fixture.origin.bodyBytes == Self.old.length)
        try await expectOldVersion(in: next)
        await next.close()
    }
}
