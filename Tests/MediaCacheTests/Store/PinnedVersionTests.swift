import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCache

/// A pinned version stays until a complete replacement is cached, whatever its origin shows meanwhile.
struct PinnedVersionTests {
    static let old = ScriptedBody.random(seed: 61, length: 3_000_000)
    static let new = ScriptedBody.random(seed: 62, length: 3_200_000)
    static let shorter = ScriptedBody.random(seed: 63, length: 1_500_000)
    private let files = PowerCutFileSystem()
    private let fixture: EngineFixture

    init() throws {
        fixture = try EngineFixture(files: files)
        fixture.origin[fixture.url] = ScriptedResource(Self.old)
    }

    private var download: ReadRequest { ReadRequest(url: fixture.url, transferClass: .download, pins: true) }

    private func paths(_ suffix: String) -> [String] {
        files.withDisk(\.paths).filter { $0.hasSuffix(suffix) }.map { String($0.dropFirst(fixture.folder.count)) }
    }

    /// A store with the old version pinned and complete.
    private func storeWithDownload() async throws -> CacheStore {
        let store = try await fixture.open()
        _ = try await store.complete(download)
        return store
    }

    /// Reads a few bytes, which makes the store see the origin's version, until they are those of `body`.
    private func read(_ store: CacheStore, until body: ScriptedBody) async throws {
        fixture.time.advance(by: .seconds(90_000))
        await store.settled { store in
            let bytes = try? await store.bytes(self.fixture.url, .closed(0, through: 999))
            return bytes.map { body.matches($0) } ?? false
        }
        #expect(body.matches(try await store.bytes(fixture.url, .closed(0, through: 999))))
        await store.settled { $0.statistics.runningFills == 0 }
        await store.engine.committer.commit()
    }

    /// Checks that the old version is listed, pinned, complete and readable without the origin.
    private func expectOldVersion(
        in store: CacheStore, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let info = try #require(try await store.resource(for: fixture.url), sourceLocation: sourceLocation)
        #expect(info.isPinned && info.isComplete, sourceLocation: sourceLocation)
        #expect(info.validator.entityTag == "\"1\"", sourceLocation: sourceLocation)
        #expect(try await store.resources().map(\.isComplete) == [true], sourceLocation: sourceLocation)
        let holding = try #require(try await store.holdings(of: [download])[0], sourceLocation: sourceLocation)
        #expect(holding.isWhole && holding.isPinned, sourceLocation: sourceLocation)
        // The origin is asked again once its last answer is 5 s old.
        fixture.time.advance(by: .seconds(10))
        let isReachable = fixture.origin.isReachable
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url) == Self.old.bytes, sourceLocation: sourceLocation)
        #expect(try await store.verify().findings.isEmpty, sourceLocation: sourceLocation)
        fixture.origin.isReachable = isReachable
    }

    @Test func survivesAnotherValidatorSeenByAReader() async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        #expect(paths(".bin").count { $0.hasPrefix("/kept/") } == 1)
        try await expectOldVersion(in: store)
        // The other version is evicted, and the pinned one isn't.
        _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
        #expect(paths(".bin").count == 1)
        try await expectOldVersion(in: store)
        await store.close()
        let next = try await fixture.open()
        try await expectOldVersion(in: next)
        try await read(next, until: Self.new)
        await next.close()
        let last = try await fixture.open()
        await last.cleanUpAfterEarlierOpening()
        try await expectOldVersion(in: last)
        await last.close()
    }

    @Test(arguments: [false, true], [false, true])
    func isReplacedOnceTheOtherVersionIsComplete(_ acrossFileSystems: Bool, isShorter: Bool) async throws {
        let other = isShorter ? Self.shorter : Self.new
        if acrossFileSystems { files.withDisk { [folder = fixture.folder] in $0.mounts = [folder + "/kept"] } }
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(other, entityTag: "\"2\"")
        try await read(store, until: other)
        let info = try await store.complete(download)
        #expect(info.isComplete && info.validator.entityTag == "\"2\"")
        await store.settled { store in
            await store.engine.committer.commit()
            return self.paths(".bin").count == 1
        }
        #expect(paths(".bin").map { $0.hasPrefix("/kept/") } == [true])
        #expect(paths(".json").count == 1)
        await store.close()
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        #expect(try await next.bytes(fixture.url) == other.bytes)
        #expect(try await next.resource(for: fixture.url)?.isPinned == true)
        await next.close()
        // Nor does the catalog have to say so.
        try FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite")
        let rebuilt = try await fixture.open()
        #expect(try await rebuilt.bytes(fixture.url) == other.bytes)
        await rebuilt.close()
    }

    @Test(arguments: [404, 410, 503, 416])
    func survivesAStatus(_ status: Int) async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        fixture.origin.always(fixture.url, .status(status))
        fixture.time.advance(by: .seconds(90_000))
        #expect(try await store.bytes(fixture.url) == Self.old.bytes)
        await store.close()
        let next = try await fixture.open()
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(90_000))
            #expect(try await next.bytes(fixture.url) == Self.old.bytes)
        }
        try await expectOldVersion(in: next)
        await next.close()
    }

    /// The origin has nothing any more, and had no other version in between.
    @Test(arguments: [404, 410], [false, true])
    func survivesAStatusOfItsOwnURL(_ status: Int, isComplete: Bool) async throws {
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
            let holding = try #require(try await store.holdings(of: [part])[0], sourceLocation: sourceLocation)
            #expect(holding.isWhole && holding.isPinned, sourceLocation: sourceLocation)
        }
        try await expectPinnedBytes(in: store)
        await store.close()
        let next = try await fixture.open()
        try await expectPinnedBytes(in: next)
        await next.close()
        try FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite")
        let rebuilt = try await fixture.open()
        try await expectPinnedBytes(in: rebuilt)
        fixture.origin.clearFaults(fixture.url)
        #expect(try await rebuilt.complete(download).isComplete)
        #expect(try await rebuilt.bytes(fixture.url) == Self.old.bytes)
        await rebuilt.close()
    }

    @Test func survivesAShorterFile() async throws {
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
        let next = try await fixture.open()
        try await expectOldVersion(in: next)
        await next.close()
    }

    /// Behind a balancer each node may have its own tag.
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
        await store.close()
        let next = try await fixture.open()
        #expect(try await next.bytes(fixture.url) == Self.old.bytes)
        #expect(try await next.resource(for: fixture.url)?.isPinned == true)
        await next.close()
    }

    /// Each node behind a balancer may also have another version.
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
        let next = try await fixture.open()
        try await expectOldVersion(in: next)
        await next.close()
    }

    /// The origin shows the pinned version again: nothing of it is fetched again.
    @Test func isCurrentAgainOnceTheOriginHasItAgain() async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        fixture.origin[fixture.url] = ScriptedResource(Self.old)
        try await read(store, until: Self.old)
        let sent = fixture.origin.bodyBytes
        #expect(try await store.bytes(fixture.url) == Self.old.bytes)
        #expect(fixture.origin.bodyBytes == sent)
        await store.settled { store in
            await store.engine.committer.commit()
            return self.paths(".bin").count == 1
        }
        #expect(paths(".bin").count == 1)
        try await expectOldVersion(in: store)
        await store.close()
    }

    /// What the origin has now is read as long as the origin answers; the pinned version where it doesn't.
    @Test func isReadWhereTheOriginDoesNotAnswer() async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        let middle = try await store.bytes(fixture.url, .closed(2_000_000, through: 2_000_999))
        #expect(Self.new.matches(middle, at: 2_000_000))
        // Offline play doesn't ask, and no request has failed yet.
        let offline = try await store.read(ReadRequest(url: fixture.url, revalidation: .never))
        #expect(try await offline.allBytes() == Self.old.bytes)
        offline.cancel()
        fixture.time.advance(by: .seconds(10))
        fixture.origin.isReachable = false
        #expect(try await store.bytes(fixture.url) == Self.old.bytes)
        #expect(try await store.wholeBody(WholeBodyRequest(url: fixture.url) { _ in false }).bytes == Self.old.bytes)
        var request = ReadRequest(url: fixture.url)
        request.settings = store.transfers
        request.settings?.asksOrigins = false
        let session = try await store.read(request)
        #expect(try await session.allBytes() == Self.old.bytes)
        session.cancel()
        // A download wants what the origin has.
        let download = download
        await #expect(throws: CacheError.self) { try await store.complete(download) }
        await store.close()
    }

    /// An origin that doesn't answer delays the first reader by two seconds, and no other one for a minute.
    @Test(arguments: [false, true], [false, true])
    func isReadWhereTheOriginIsSilent(isOtherCached: Bool, reopens: Bool) async throws {
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
            let bytes = try await fixture.turningTheClock(by: .microseconds(1)) { try await reading.value }
            #expect(bytes == Self.old.bytes)
            let count = fixture.origin.requests.count
            for _ in 0..<3 { #expect(try await readAll() == Self.old.bytes) }
            #expect(fixture.origin.requests.count == count)
            // The late answer counts.
            fixture.origin.clearFaults(fixture.url)
            gate.open()
            await store.settled { store in
                store.table[store.key(for: self.fixture.url)]?.state.withLock { $0.isAsking } != true
            }
        }
        #expect(try await store.bytes(fixture.url) == Self.new.bytes)
        await store.close()
    }

    /// A dead origin isn't asked for each reader.
    @Test func isReadWithoutARequestWhereTheOriginHasJustFailed() async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
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

    /// A download fetches byte ranges of one file, and the origin's version changes between two of them.
    @Test(arguments: [false, true], [1_100_000, 2_500_000] as [Int64])
    func movesToAnotherVersionWithItsRanges(isShorter: Bool, offset: Int64) async throws {
        let other = isShorter ? Self.shorter : Self.new
        let store = try await fixture.open()
        var (first, second) = (download, download)
        // Outside of what a reader of the first bytes reads ahead.
        first.range = .closed(offset, through: offset + 99_999)
        second.range = .closed(1_300_000, through: 1_399_999)
        _ = try await store.fill(first)
        await store.settled { $0.statistics.runningFills == 0 }
        fixture.origin[fixture.url] = ScriptedResource(other, entityTag: "\"2\"")
        // The fill that finds the other version fails.
        _ = try? await store.fill(second)
        let holding = try await store.holdings(of: [second])[0]
        #expect(holding?.isWhole != true)
        _ = try await store.fill(second)
        let requests = offset < other.length ? [first, second] : [second]
        func expectRanges(in store: CacheStore, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let holdings = try await store.holdings(of: requests)
            #expect(holdings.allSatisfy { $0?.isWhole == true && $0?.isPinned == true }, sourceLocation: sourceLocation)
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
        await store.close()
        let next = try await fixture.open()
        try await expectRanges(in: next)
        await next.close()
        try FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite")
        let rebuilt = try await fixture.open()
        try await expectRanges(in: rebuilt)
        await rebuilt.close()
    }

    /// A version without the pinned bytes doesn't count as pinned, and the download of its range fails.
    @Test func doesNotMoveWithoutItsRanges() async throws {
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
        var holdings = try await store.holdings(of: [first, second])
        #expect(holdings.map { $0?.isWhole } == [true, true])
        #expect(holdings.map { $0?.isPinned } == [true, false])
        #expect(holdings.map { $0?.isResourcePinned } == [true, true])
        _ = try await store.fill(second)
        holdings = try await store.holdings(of: [first, second])
        #expect(holdings.allSatisfy { $0?.isWhole == true && $0?.isPinned == true })
        await store.close()
    }

    @Test func goesOnceItIsUnpinned() async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        let info = try #require(try await store.resource(for: fixture.url))
        try await store.setPinned(false, id: info.id)
        await store.settled { store in
            await store.engine.committer.commit()
            return self.paths(".bin").count == 1
        }
        #expect(paths(".bin").map { $0.hasPrefix("/blobs/") } == [true])
        #expect(paths(".json").isEmpty)
        #expect(try await store.resource(for: fixture.url)?.validator.entityTag == "\"2\"")
        await store.close()
    }

    /// A row that the disk has damaged is restored from the sidecar.
    @Test func survivesADamagedRow() async throws {
        let store = try await storeWithDownload()
        await store.close()
        let catalog = try Catalog(.file(fixture.folder + "/catalog.sqlite"))
        var entry = try #require(try await catalog.resource(key: fixture.url.description))
        let representation = try #require(entry.representations.first)
        // Another key gives the row a checksum that doesn't match.
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

    // MARK: - Sidecars

    /// The catalog and its log, as a killed process leaves them.
    private struct KilledCatalog {
        var files: [String: Data] = [:]

        init(of folder: String) throws {
            for suffix in ["", "-wal"] {
                files[suffix] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/catalog.sqlite\(suffix)"))
            }
        }

        func restore(in folder: String) throws {
            for (suffix, data) in files {
                try data.write(to: URL(fileURLWithPath: "\(folder)/catalog.sqlite\(suffix)"))
            }
        }
    }

    /// A process is killed between a commit and the sidecar: the next one writes it.
    @Test func aSidecarThatIsBehindIsRenewed() async throws {
        let store = try await fixture.open()
        var part = download
        part.range = .closed(0, through: 99_999)
        _ = try await store.fill(part)
        await store.settled { $0.statistics.runningFills == 0 }
        await store.engine.committer.commit()
        files.fail { call, path in call == .rename && path.contains(".json") ? EIO : nil }
        _ = try? await store.complete(download)
        let killed = try KilledCatalog(of: fixture.folder)
        await store.close()
        files.fail(nil)
        try killed.restore(in: fixture.folder)
        let next = try await fixture.open()
        await next.cleanUpAfterEarlierOpening()
        await next.close()
        try FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite")
        let rebuilt = try await fixture.open()
        try await expectOldVersion(in: rebuilt)
        await rebuilt.close()
    }

    /// The pin has moved in the catalog, and the process is killed before it writes the new version's sidecar.
    @Test func theSidecarOfAReplacementIsWrittenBeforeTheOldVersionGoes() async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        files.fail { call, path in call == .rename && path.contains(".json") ? EIO : nil }
        _ = try? await store.complete(download)
        await store.close()
        // The next opening can't write it either: then the old version stays.
        files.fail { call, path in call == .replace || (call == .rename && path.contains(".json")) ? EIO : nil }
        await (try await fixture.open()).close()
        #expect(paths(".bin").count == 2)
        files.fail(nil)
        await (try await fixture.open()).close()
        try FileManager.default.removeItem(atPath: fixture.folder + "/catalog.sqlite")
        fixture.origin.isReachable = false
        let rebuilt = try await fixture.open()
        #expect(try await rebuilt.bytes(fixture.url) == Self.new.bytes)
        #expect(try await rebuilt.resource(for: fixture.url)?.isPinned == true)
        await rebuilt.close()
    }

    @Test func aSidecarThatCouldNotBeWrittenIsWrittenWithTheNextCommit() async throws {
        let store = try await fixture.open()
        files.fail { call, path in call == .rename && path.contains(".json") ? EIO : nil }
        _ = try await store.complete(download)
        #expect(paths(".json").isEmpty)
        files.fail(nil)
        await store.engine.committer.commit()
        #expect(paths(".json").count == 1)
        await store.close()
    }

    /// The folder of what is kept is older than the catalog: the blob of the version that the catalog names isn't there.
    @Test func aRestoredVersionIsAdoptedWhereTheNewerOneIsGone() async throws {
        let store = try await storeWithDownload()
        let folder = fixture.folder
        let kept = files.withDisk { disk in
            disk.paths.filter { $0.contains("/kept/") }.map { ($0, disk.durableBytes(of: $0) ?? []) }
        }
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        _ = try await store.complete(download)
        await store.settled { store in
            await store.engine.committer.commit()
            return self.paths(".bin").count == 1
        }
        await store.close()
        try files.withDisk { disk in
            for path in disk.paths where path.contains("/kept/") { disk.remove(path) }
            for (path, bytes) in kept {
                disk.makeFolder(POSIXFileSystem.parent(of: path))
                try disk.write(bytes, at: 0, in: disk.open(path, creating: true))
            }
        }
        #expect(paths(".json").count == 1 && FileManager.default.fileExists(atPath: folder + "/catalog.sqlite"))
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        await next.cleanUpAfterEarlierOpening()
        try await expectOldVersion(in: next)
        await next.close()
        let last = try await fixture.open()
        await last.cleanUpAfterEarlierOpening()
        try await expectOldVersion(in: last)
        await last.close()
    }

    /// The row of the resource itself can't be read.
    @Test func survivesADamagedResourceRow() async throws {
        let store = try await storeWithDownload()
        await store.close()
        let file = URL(fileURLWithPath: fixture.folder + "/catalog.sqlite")
        var data = try Data(contentsOf: file)
        // The record's header ends right before its first text. In it the type of the column `created`, a number of four
        // bytes, becomes that of a blob of four bytes, which SQLite accepts.
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
        let last = try await fixture.open()
        await last.cleanUpAfterEarlierOpening()
        try await expectOldVersion(in: last)
        await last.close()
    }

    // MARK: - Which version the pin names

    /// A player reads the complete version while the origin has another already.
    @Test func pinningNamesTheCompleteVersion() async throws {
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
        let next = try await fixture.open()
        try await expectOldVersion(in: next)
        await next.close()
    }

    /// A folder in which a partial newer version lies with what is kept: the pin names the complete one. `isLost` is
    /// whether the catalog is lost too.
    @Test(arguments: [false, true])
    func aPartialVersionInItsPlaceDoesNotReplaceIt(isLost: Bool) async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        await store.close()
        let path = fixture.folder + "/catalog.sqlite"
        let catalog = try Catalog(.file(path))
        let entry = try #require(try await catalog.resource(key: fixture.url.description))
        var partial = try #require(entry.representations.max { $0.id < $1.id })
        #expect(!partial.isKept && partial.spans.byteCount < Self.new.length)
        partial.isKept = true
        try await catalog.commit([CommitSnapshot(resource: entry.resource, representation: partial, dirtyPages: [:])])
        try catalog.close()
        try files.withDisk { disk in
            let blob = try #require(disk.paths.first { $0.contains(partial.blob) })
            let kept = blob.replacingOccurrences(of: "/blobs/", with: "/kept/")
            disk.makeFolder(POSIXFileSystem.parent(of: kept))
            try disk.rename(blob, to: kept)
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
        let last = try await fixture.open()
        try await expectOldVersion(in: last)
        await last.close()
    }

    /// A power cut has taken back the name that pinning gave the blob.
    @Test func survivesWhereItsBlobIsFoundAmongTheOthers() async throws {
        let store = try await storeWithDownload()
        fixture.origin[fixture.url] = ScriptedResource(Self.new, entityTag: "\"2\"")
        try await read(store, until: Self.new)
        await store.close()
        try files.withDisk { disk in
            let kept = try #require(disk.paths.first { $0.contains("/kept/") && $0.hasSuffix(".bin") })
            let blob = kept.replacingOccurrences(of: "/kept/", with: "/blobs/")
            disk.makeFolder(POSIXFileSystem.parent(of: blob))
            try disk.rename(kept, to: blob)
        }
        let next = try await fixture.open()
        try await read(next, until: Self.new)
        try await expectOldVersion(in: next)
        await next.close()
        let last = try await fixture.open()
        try await expectOldVersion(in: last)
        #expect(paths(".bin").count { $0.hasPrefix("/kept/") } == 1)
        await last.close()
    }
}

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
