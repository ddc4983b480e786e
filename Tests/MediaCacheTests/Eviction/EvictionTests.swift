import Foundation
import HTTPTypes
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCache

struct EvictionTests {
    private let fixture: EngineFixture
    private let files = PowerCutFileSystem()
    private let urls: [ResourceURL]

    init() throws {
        fixture = try EngineFixture(files: files)
        urls = try (0..<5).map { try ResourceURL("http://origin.example/\($0).mp4") }
        for (index, url) in urls.enumerated() {
            fixture.origin[url] = ScriptedResource(.random(seed: UInt64(index), length: 1_000_000))
        }
    }

    private func filled() async throws -> CacheStore {
        let store = try await fixture.open()
        for url in urls { _ = try await store.complete(ReadRequest(url: url)) }
        _ = try await store.usage()
        return store
    }

    private func completeFlags(_ store: CacheStore) async throws -> [Bool] {
        var completeFlags: [Bool] = []
        for url in urls { completeFlags.append(try await store.resource(for: url)?.isComplete == true) }
        return completeFlags
    }

    @Test func evictsInOrderOfUseDespiteClock() async throws {
        let store = try await filled()
        fixture.time.setWallClock(to: fixture.time.now.addingTimeInterval(-1_000_000))
        _ = try await store.bytes(urls[0])
        let freed = try await store.prune(limits: CacheLimits(maximumBytes: 3_000_000, minimumFreeBytes: 0))
        #expect(freed == 2_000_000)
        #expect(try await completeFlags(store) == [true, false, false, true, true])
        await store.close()
    }

    @Test func changedLimitsApplyToCachedAndNewContent() async throws {
        let store = try await filled()
        let limits = CacheLimits(maximumBytes: 2_500_000, minimumFreeBytes: 0)
        #expect(try await store.setLimits(limits) == 3_000_000)
        #expect(store.limits == limits)
        #expect(try await completeFlags(store) == [false, false, false, true, true])
        _ = try await store.complete(ReadRequest(url: urls[0]))
        #expect(try await store.usage().bytes <= 2_500_000, "space granted under the old limits must not be used")
        #expect(try await completeFlags(store)[0])
        await store.close()
    }

    @Test func changedSettingsOfTransfersApplyToNewRequests() async throws {
        let store = try await fixture.open()
        store.updateTransfers { settings in
            settings.readAhead = ReadAhead(initial: 70_000, maximum: 70_000)
            settings.limits.stall = .seconds(3)
        }
        let session = try await store.read(ReadRequest(url: urls[0], range: .closed(0, through: 9)))
        session.cancel()
        let request = try #require(fixture.origin.requests.last)
        #expect(request.headerFields[.range] == "bytes=0-69999")
        #expect(request.limits.stall == .seconds(3))
        await store.close()
    }

    @Test func sparesPinnedAndInUseResources() async throws {
        let store = try await filled()
        let pinned = try #require(try await store.resource(for: urls[0]))
        try await store.setPinned(true, id: pinned.id)
        let session = try await store.read(ReadRequest(url: urls[1]))
        _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
        #expect(try await completeFlags(store) == [true, true, false, false, false])
        session.cancel()
        _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0))
        #expect(try await completeFlags(store) == [true, false, false, false, false])
        await store.close()
    }

    @Test func predictsEvictions() async throws {
        let store = try await filled()
        try await store.setPinned(true, id: try #require(try await store.resource(for: urls[0])).id)
        let session = try await store.read(ReadRequest(url: urls[1]))
        _ = try await store.bytes(urls[2])
        let next = try await store.evictionCandidates(atMost: 2)
        #expect(next.map(\.url) == [urls[3], urls[4]].map(\.description))
        #expect(next.map(\.bytesCached) == [1_000_000, 1_000_000])
        #expect(
            try await store.evictionCandidates(atMost: 10).map(\.url) == [urls[3], urls[4], urls[2]].map(\.description))
        _ = try await store.prune(limits: CacheLimits(maximumBytes: 3_000_000, minimumFreeBytes: 0))
        #expect(try await completeFlags(store) == [true, true, true, false, false])
        session.cancel()
        await store.close()
    }

    @Test func appliesFreeDiskAndAgeLimits() async throws {
        let store = try await filled()
        files.withDisk { $0.capacity = 10_000_000 }
        #expect(try await store.prune(limits: CacheLimits(minimumFreeBytes: 6_500_000)) == 2_000_000)
        fixture.time.setWallClock(to: fixture.time.now.addingTimeInterval(100))
        _ = try await store.bytes(urls[4])
        let limits = CacheLimits(maximumAge: .seconds(50), minimumFreeBytes: 0)
        let freed = try await store.prune(limits: limits)
        #expect(freed == 2_000_000)
        #expect(try await completeFlags(store) == [false, false, false, false, true])
        await store.close()
    }

    @Test func deletesBlobAndReportsEviction() async throws {
        let store = try await filled()
        var events = store.events().makeAsyncIterator()
        _ = try await store.prune(limits: CacheLimits(maximumBytes: 4_000_000, minimumFreeBytes: 0))
        #expect(files.withDisk(\.paths).count == 4)
        var evicted: [String] = []
        while evicted.isEmpty, let event = await events.next() {
            if case .evicted(let key, let bytes) = event, bytes == 1_000_000 { evicted.append(key) }
        }
        #expect(evicted == [urls[0].description])
        #expect(store.statistics.bytesEvicted == 1_000_000)
        await store.close()
    }

    @Test func shrinksLargeResourceAndRefetchesIt() async throws {
        let body = ScriptedBody.random(seed: 9, length: 8_000_000)
        fixture.origin[fixture.url] = ScriptedResource(body)
        let store = try await fixture.open { $0.eviction = LeastRecentlyUsed(shrinkableSize: 4 << 20) }
        _ = try await store.complete(ReadRequest(url: fixture.url))
        let freed = try await store.prune(limits: CacheLimits(maximumBytes: 6_500_000, minimumFreeBytes: 0))
        #expect(freed >= 1_500_000 && freed < 1_500_000 + 65_536)
        let info = try #require(try await store.resource(for: fixture.url))
        #expect(info.spans.count == 2)
        #expect(info.spans.first?.lowerBound == 0 && info.spans.last?.upperBound == body.length)
        #expect(try await store.verify().findings.isEmpty)
        #expect(try await store.bytes(fixture.url) == body.bytes)
        #expect(fixture.origin.bodyBytes == body.length + freed)
        await store.close()
    }

    @Test func evictsLargeResourceWhoseBlobIsMissing() async throws {
        fixture.origin[fixture.url] = ScriptedResource(.random(seed: 9, length: 8_000_000))
        let store = try await fixture.open { configuration in
            configuration.eviction = LeastRecentlyUsed(shrinkableSize: 4 << 20)
            configuration.limits.maximumBytes = 8_500_000
        }
        _ = try await store.complete(ReadRequest(url: fixture.url))
        _ = try await store.usage()
        files.withDisk { disk in
            for path in disk.paths where path.hasSuffix(".bin") { disk.remove(path) }
        }
        #expect(try await store.complete(ReadRequest(url: urls[0])).isComplete)
        #expect(try await store.resource(for: fixture.url) == nil)
        #expect(try await store.usage().bytes == 1_000_000)
        await store.close()
    }

    @Test func removesLargeResourceIfFileSystemLacksHoles() async throws {
        fixture.origin[fixture.url] = ScriptedResource(.random(seed: 9, length: 8_000_000))
        let store = try await fixture.open { $0.eviction = LeastRecentlyUsed(shrinkableSize: 4 << 20) }
        _ = try await store.complete(ReadRequest(url: fixture.url))
        files.fail { call, _ in call == .punch ? EOPNOTSUPP : nil }
        let freed = try await store.prune(limits: CacheLimits(maximumBytes: 6_500_000, minimumFreeBytes: 0))
        #expect(freed == 8_000_000)
        #expect(try await store.resource(for: fixture.url) == nil)
        #expect(files.withDisk(\.paths).isEmpty)
        await store.close()
    }

    @Test func reportsFailedEvictionAsStorageError() async throws {
        let store = try await filled()
        files.fail { call, _ in call == .remove ? EIO : nil }
        await expectError(.storage) { try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0)) }
        files.fail(nil)
        await store.close()
    }

    @Test func reportsCancellationAsCacheError() async throws {
        let store = try await filled()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await store.resources() },
            { _ = try await store.verify() },
            { _ = try await store.prune(limits: CacheLimits(maximumBytes: 0, minimumFreeBytes: 0)) },
            { _ = try await store.removeAll() },
        ]
        for call in calls {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await call()
            }
            await expectError(.cancelled) { try await task.value }
        }
        await store.close()
    }

    @Test func servesNoWrongByteWhilePruning() async throws {
        let store = try await fixture.open { $0.eviction = LeastRecentlyUsed(shrinkableSize: 512 << 10) }
        let urls = urls
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 as Range<UInt64> {
                group.addTask {
                    var random = SeededGenerator(seed: worker)
                    for _ in 0..<30 {
                        let index = Int.random(in: 0..<urls.count, using: &random)
                        let start = Int64.random(in: 0..<900_000, using: &random)
                        let bytes = try await store.bytes(urls[index], .closed(start, through: start + 99_999))
                        #expect(ScriptedBody.random(seed: UInt64(index), length: 1_000_000).matches(bytes, at: start))
                    }
                }
            }
            group.addTask {
                for _ in 0..<60 {
                    _ = try await store.prune(limits: CacheLimits(maximumBytes: 1_000_000, minimumFreeBytes: 0))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }

    @Test func removesResourceStoredUntilClosedWithLastReader() async throws {
        let store = try await fixture.open { $0.admission = AdmissionPolicy { _, _ in .keepUntilClosed } }
        let first = try await store.read(ReadRequest(url: urls[0]))
        #expect(try await store.bytes(urls[0]).count == 1_000_000)
        #expect(try await store.bytes(urls[0]).count == 1_000_000)
        #expect(fixture.origin.bodyBytes == 1_000_000)
        first.cancel()
        // The bytes are committed, then removed.
        _ = try await store.usage()
        await store.commitUntil { store.table[self.urls[0].description] == nil }
        #expect(try await store.resources().isEmpty)
        await store.close()
        #expect(files.withDisk(\.paths).isEmpty)
    }

    @Test func removesWholeBodyStoredUntilClosed() async throws {
        let store = try await fixture.open { $0.admission = AdmissionPolicy { _, _ in .keepUntilClosed } }
        let body = try await store.wholeBody(WholeBodyRequest(url: urls[0]) { _ in true })
        #expect(body.bytes.count == 1_000_000)
        await store.commitUntil { store.table[self.urls[0].description] == nil }
        #expect(try await store.resources().isEmpty)
        await store.close()
        #expect(files.withDisk(\.paths).isEmpty)
    }

    @Test func removesResourceStoredUntilClosedAfterKill() async throws {
        let store = try await fixture.open { $0.admission = AdmissionPolicy { _, _ in .keepUntilClosed } }
        let session = try await store.read(ReadRequest(url: urls[0]))
        _ = try await session.allBytes()
        _ = try await store.usage()
        let next = try await fixture.reopen(store)
        #expect(try await next.resources().isEmpty)
        session.cancel()
        await next.close()
    }

    @Test func passesThroughLongResource() async throws {
        let store = try await fixture.open { $0.admission = .maximumLength(999_999) }
        #expect(try await store.bytes(urls[0]).count == 1_000_000)
        #expect(try await store.resources().isEmpty)
        await store.close()
    }
}

extension CacheStore {
    /// Waits until background work makes `condition` true. Other tasks run between the checks. Records an issue after
    /// the deadline.
    func settled(
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: @Sendable (CacheStore) async throws -> Bool
    ) async rethrows {
        // The limit is a time rather than a number of yields, because an idle processor can yield a million times
        // during one write.
        let deadline = ContinuousClock.now + .seconds(900)
        while ContinuousClock.now < deadline {
            if try await condition(self) { return }
            await Task.yield()
        }
        Issue.record("the store didn't settle", sourceLocation: sourceLocation)
    }

    /// Commits until background work makes `condition` true.
    func commitUntil(sourceLocation: SourceLocation = #_sourceLocation, _ condition: @Sendable () -> Bool) async {
        await settled(sourceLocation: sourceLocation) { store in
            await store.engine.committer.commit()
            return condition()
        }
    }
}

struct HolePlanTests {
    @Test func plansWholeBlocksFromEndWithoutEdges() {
        let spans = SpanMap([0..<(10 << 20) + 12_345])
        let holes = HolePlan.holes(in: spans, freeing: 3_000_000)
        let freed = holes.reduce(0) { $0 + Int64($1.count) }
        #expect(freed >= 3_000_000 && freed < 3_000_000 + BlockChecksums.blockSize)
        for hole in holes {
            #expect(hole.lowerBound % BlockChecksums.blockSize == 0 && hole.upperBound % BlockChecksums.blockSize == 0)
            #expect(hole.lowerBound >= HolePlan.edge && hole.upperBound <= spans.upperBound - HolePlan.edge)
        }
    }

    @Test func plansHolesInCachedSpansOnly() {
        var random = SeededGenerator(seed: 5)
        print("seed 5")
        for _ in 0..<500 {
            var spans = SpanMap()
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let start = Int64.random(in: 0..<20 << 20, using: &random)
                spans.insert(start..<start + Int64.random(in: 1...6 << 20, using: &random))
            }
            let bytes = Int64.random(in: 1...8 << 20, using: &random)
            for hole in HolePlan.holes(in: spans, freeing: bytes) { #expect(spans.contains(hole)) }
        }
    }
}
