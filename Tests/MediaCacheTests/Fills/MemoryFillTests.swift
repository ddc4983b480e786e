import Foundation
import HTTPTypes
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCache

/// Tests of shared reads of bytes that aren't stored, because storing is forbidden or fails.
struct MemoryFillTests {
    static let body = ScriptedBody.random(seed: 91, length: 3_000_000)
    private let files = PowerCutFileSystem()
    private let fixture: EngineFixture

    init() throws {
        fixture = try EngineFixture(serving: ScriptedResource(Self.body, cacheControl: "no-store"), files: files)
    }

    /// Opens `count` readers concurrently, then reads all bytes with each.
    private func readAll(_ count: Int, in store: CacheStore) async throws {
        let sessions = try await withThrowingTaskGroup(of: ReadSession.self) { group in
            for _ in 0..<count { group.addTask { try await store.read(ReadRequest(url: fixture.url)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for session in sessions { group.addTask { try await session.allBytes() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for session in sessions { session.cancel() }
        let expected = Self.body.bytes
        #expect(bodies.count { $0 == expected } == count)
    }

    @Test func sharesRequestOfManyReaders() async throws {
        let store = try await fixture.open()
        try await readAll(64, in: store)
        // The first request covers the read-ahead, and a second one the rest.
        #expect(fixture.origin.requests.count <= 4)
        #expect(fixture.origin.bodyBytes < 3 * Self.body.length)
        #expect(try await store.resource(for: fixture.url) == nil)
        #expect(store.engine.scheduler.runningCount == 0)
        // Nothing has been stored. The store now knows that storing is forbidden.
        let before = fixture.origin.requests.count
        try await readAll(64, in: store)
        #expect(fixture.origin.requests.count - before <= 3)
        await store.close()
    }

    @Test func sharesRequestWhileDiskIsFull() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        let store = try await fixture.open()
        files.fail { call, _ in call == .write ? ENOSPC : nil }
        try await readAll(64, in: store)
        #expect(fixture.origin.requests.count <= 4)
        #expect(fixture.origin.bodyBytes < 3 * Self.body.length)
        #expect(store.statistics.bytesFromOrigin <= fixture.origin.bodyBytes)
        files.fail(nil)
        await store.probeStorage()
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test func separatesPausedReaderFromOthers() async throws {
        let store = try await fixture.open { $0.setLongLimits() }
        let paused = try await store.read(ReadRequest(url: fixture.url))
        var buffers = paused.buffers.makeAsyncIterator()
        var bytes = try #require(try await buffers.next())
        let other = Task { try await store.bytes(fixture.url) }
        // The other reader waits briefly for the paused one.
        let clock = Task {
            while !Task.isCancelled {
                fixture.time.advance(by: .milliseconds(10))
                await Task.yield()
            }
        }
        #expect(try await other.value == Self.body.bytes)
        clock.cancel()
        while let more = try await buffers.next() { bytes += more }
        #expect(bytes == Self.body.bytes)
        #expect(fixture.origin.requests.count <= 4)
        paused.cancel()
        await store.close()
    }

    @Test func limitsMemoryOfPausedReader() async throws {
        let body = ScriptedBody.random(seed: 92, length: 30_000_000)
        fixture.origin[fixture.url] = ScriptedResource(body, cacheControl: "no-store")
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 30_000_000) }
        let paused = try await store.read(ReadRequest(url: fixture.url))
        var buffers = paused.buffers.makeAsyncIterator()
        _ = try await buffers.next()
        for _ in 0..<500 { await Task.yield() }
        #expect(fixture.origin.bodyBytes <= 2 << 20)
        // After the idle limit, the reader has neither a connection nor a slot of the scheduler.
        while store.engine.scheduler.runningCount > 0 {
            fixture.time.advance(by: .seconds(6))
            await Task.yield()
        }
        var count = Int64(0)
        while let more = try await buffers.next() { count += Int64(more.count) }
        #expect(count + 1 > 29_000_000)
        paused.cancel()
        await store.close()
    }

    /// Opens a resource without validators in a store that requests all bytes at once, and reads its first bytes.
    private func readFirstWithoutValidators(
        readAhead: Int64 = 3_000_000
    ) async throws -> (store: CacheStore, session: ReadSession, bytes: [UInt8]) {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, entityTag: nil, cacheControl: "no-store")
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: readAhead) }
        let session = try await store.read(ReadRequest(url: fixture.url))
        var buffers = session.buffers.makeAsyncIterator()
        return (store, session, try #require(try await buffers.next()))
    }

    /// Waits until a fill has received as many bytes as it may before its only reader consumes more than `count`.
    private func waitUntilBlocked(after count: Int) async {
        while fixture.origin.bodyBytes < Int64(count) + MemoryBlob.lookahead { await Task.yield() }
        for _ in 0..<500 { await Task.yield() }
    }

    /// Advances the clock until the idle limit has closed the connection of the only reader.
    private func waitUntilIdle(_ store: CacheStore, after count: Int) async {
        await waitUntilBlocked(after: count)
        while store.engine.scheduler.runningCount > 0 {
            fixture.time.advance(by: .seconds(6))
            await Task.yield()
        }
    }

    /// Reads the rest of the old version, and expects an error before the first byte of another one.
    private func expectChange(_ session: ReadSession, after first: [UInt8]) async {
        var bytes = first
        await expectError(.representationChanged) { for try await buffer in session.buffers { bytes += buffer } }
        #expect(Self.body.matches(bytes) && bytes.count < Self.body.length)
    }

    /// Without validators, only a comparison of bytes can detect that the origin has replaced the resource.
    @Test func detectsReplacementAfterIdleLimit() async throws {
        let (store, session, first) = try await readFirstWithoutValidators()
        await waitUntilIdle(store, after: first.count)
        fixture.origin.replaceBody(fixture.url, with: .random(seed: 93, length: Self.body.length), entityTag: nil)
        await expectChange(session, after: first)
        session.cancel()
        await store.close()
    }

    @Test func comparesBytesAfterIdleLimit() async throws {
        let (store, session, first) = try await readFirstWithoutValidators()
        await waitUntilIdle(store, after: first.count)
        #expect(try await first + session.allBytes() == Self.body.bytes)
        #expect(fixture.origin.requests.count == 2)
        #expect(fixture.origin.bodyBytes >= Self.body.length + OriginReader.overlap)
        session.cancel()
        await store.close()
    }

    /// The first request ends after the read-ahead. The second one continues it.
    @Test func detectsReplacementBetweenRequests() async throws {
        let (store, session, first) = try await readFirstWithoutValidators(readAhead: 1_000_000)
        fixture.origin.replaceBody(fixture.url, with: .random(seed: 93, length: Self.body.length), entityTag: nil)
        await expectChange(session, after: first)
        session.cancel()
        await store.close()
    }

    /// A clock whose sleeps of one duration end only when the test permits it, even if the task is cancelled.
    private final class GatedTime: TimeSource {
        private let base: ManualTime
        private let gated: Duration
        private let isOpen = Mutex(false)
        private let changed = ChangeSignal()
        /// The number of these sleeps whose time has passed, and the number of them that were then cancelled.
        let (arrivals, cancellations) = (Counter(), Counter())

        init(_ base: ManualTime, gated: Duration) { (self.base, self.gated) = (base, gated) }

        var now: Date { base.now }
        var monotonic: Duration { base.monotonic }

        func sleep(for duration: Duration) async throws {
            try await base.sleep(for: duration)
            guard duration == gated else { return }
            await withTaskCancellationHandler {
                arrivals.next()
                await changed.wait { !isOpen.withLock { $0 } }
            } onCancel: {
                cancellations.next()
            }
        }

        func open() {
            isOpen.withLock { $0 = true }
            changed.send()
        }
    }

    @Test func continuesIfReaderReturnsAtIdleLimit() async throws {
        let time = GatedTime(fixture.time, gated: .seconds(7))
        let body = fixture.holdNext(at: 1_200_000)
        let store = try await fixture.open(time: time) {
            $0.transfers.readAhead = ReadAhead(initial: 3_000_000)
            $0.transfers.idleLimit = .seconds(7)
        }
        let session = try await store.read(ReadRequest(url: fixture.url))
        var buffers = session.buffers.makeAsyncIterator()
        let first = try #require(try await buffers.next())
        await waitUntilBlocked(after: first.count)
        while time.arrivals.value == 0 {
            fixture.time.advance(by: .seconds(1))
            await Task.yield()
        }
        // The limit has passed, but the reader consumes bytes before the fill closes the connection.
        let rest = Task { try await session.allBytes() }
        while time.cancellations.value == 0 { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        time.open()
        for _ in 0..<1000 { await Task.yield() }
        body.open()
        #expect(try await first + rest.value == Self.body.bytes)
        #expect(fixture.origin.requests.count == 1)
        session.cancel()
        await store.close()
    }

    @Test func sendsSeparateRequestAfterSeek() async throws {
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        var buffers = session.buffers.makeAsyncIterator()
        _ = try await buffers.next()
        session.seek(to: 2_900_000)
        #expect(try await session.allBytes() == Self.body.bytes(in: 2_900_000..<3_000_000))
        session.seek(to: 10)
        buffers = session.buffers.makeAsyncIterator()
        let first = try #require(try await buffers.next())
        #expect(Self.body.matches(first, at: 10))
        session.cancel()
        await store.close()
    }

    @Test(arguments: [ScriptedFault.ignoresRange, .noContentLength, .closeDelimited(), .entityTag(nil)])
    func passesCorrectBytesFromLimitedOrigins(_ fault: ScriptedFault) async throws {
        fixture.origin.always(fixture.url, fault)
        let store = try await fixture.open()
        for _ in 0..<2 {
            try await readAll(8, in: store)
            #expect(
                try await store.bytes(fixture.url, .closed(2_000_000, through: 2_000_999))
                    == Self.body.bytes(in: 2_000_000..<2_001_000))
        }
        await store.close()
    }

    @Test func sendsSeparateRequestsForDistantReaders() async throws {
        let store = try await fixture.open()
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for part in 0..<10 {
                let start = Int64(part) * 300_000
                group.addTask {
                    try await store.bytes(fixture.url, .closed(start, through: start + 99_999))
                        == Self.body.bytes(in: start..<start + 100_000)
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(right)
        await store.close()
    }

    /// A response may depend on header fields that identify a user.
    @Test func doesNotShareBetweenDifferentFields() async throws {
        let store = try await fixture.open()
        let gate = ScriptedGate()
        fixture.origin.always(fixture.url, .holdBody(at: 100_000, gate))
        let mine = try await store.read(ReadRequest(url: fixture.url))
        var profiles = HeaderProfiles()
        profiles[fixture.url] = HeaderProfiles.Profile(fields: [.authorization: "Bearer other"])
        let theirs = try await store.read(
            ReadRequest(url: fixture.url, settings: TransferSettings(headerProfiles: profiles)))
        await gate.waitForArrivals(2)
        let sent = fixture.origin.requests.map { $0.headerFields[.authorization] }
        #expect(sent.contains("Bearer other") && sent.contains(nil))
        gate.open()
        #expect(try await mine.allBytes() == Self.body.bytes)
        #expect(try await theirs.allBytes() == Self.body.bytes)
        for session in [mine, theirs] { session.cancel() }
        await store.close()
    }

    @Test func waitsForSchedulerSlot() async throws {
        let busy = try ResourceURL("http://origin.example/busy.mp4")
        let gate = ScriptedGate()
        fixture.origin[busy] = ScriptedResource(Self.body)
        fixture.origin.always(busy, .holdHead(gate))
        let store = try await fixture.open { $0.scheduling = .init(total: 1, perHost: 1, playbackReserve: 0) }
        // With this response, the store learns that storing is forbidden.
        _ = try await store.bytes(fixture.url, .closed(0, through: 9))
        let first = Task { try await store.bytes(busy, .closed(0, through: 9)) }
        await gate.waitForArrivals()
        let before = fixture.origin.requests.count
        let second = Task { try await store.bytes(fixture.url) }
        while store.engine.scheduler.waitingCount < 1 { await Task.yield() }
        #expect(fixture.origin.requests.count == before)
        gate.open()
        _ = try await first.value
        #expect(try await second.value == Self.body.bytes)
        await store.close()
    }

    @Test func endsWhenStoreCloses() async throws {
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        var buffers = session.buffers.makeAsyncIterator()
        _ = try await buffers.next()
        await store.close()
        await expectError(.closed) { try await session.allBytes() }
        session.cancel()
    }
}
