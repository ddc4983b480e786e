import MediaCacheTesting
import Synchronization
import TestSupport
import Testing

@testable import MediaCache

/// Tests of readers that seek, share fills, pause and leave.
@Suite(.timeLimit(.minutes(60)))
struct ReaderTests {
    static let body = ScriptedBody.random(seed: 81, length: 40_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    @Test func startsFillImmediatelyAfterFarSeek() async throws {
        let gate = fixture.holdNext(at: 100_000)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        await gate.waitForArrivals()
        session.seek(to: 30_000_000)
        var iterator = session.buffers.makeAsyncIterator()
        let bytes = try #require(try await iterator.next())
        #expect(Self.body.matches(bytes, at: 30_000_000))
        #expect(fixture.origin.requests[1].range?.knownStart == 30_000_000)
        session.cancel()
        gate.open()
        await store.close()
    }

    /// Opens a store that knows a film, with a limit of one concurrent request plus the reserve.
    private func knownFilm(playbackReserve: Int = 0) async throws -> CacheStore {
        let store = try await fixture.open {
            $0.scheduling = .init(total: 1, perHost: 1, playbackReserve: playbackReserve)
        }
        _ = try await store.bytes(fixture.url, .closed(0, through: 9))
        await store.settled { $0.statistics.runningFills == 0 }
        return store
    }

    /// An abandoned fill without a response releases its slot for another reader, however fast its origin was.
    @Test(arguments: [false, true], [false, true])
    func cancelsAbandonedFillBeforeResponseHead(bySeeking: Bool, wasFast: Bool) async throws {
        let store = try await knownFilm()
        let gate = fixture.holdNext()
        let first = try await store.read(ReadRequest(url: fixture.url, range: .from(20_000_000)))
        if wasFast { first.currentRepresentation?.withState { $0.rate.add(bytes: 100 << 20, in: .seconds(1)) } }
        let reading = Task { try await first.allBytes() }
        await gate.waitForArrivals()
        var second = first
        if bySeeking {
            reading.cancel()
            _ = try? await reading.value
            second = try await store.read(ReadRequest(url: fixture.url, range: .from(20_000_000)))
            _ = second.poll(maximum: 1) {}
            second.seek(to: 30_000_000)
        } else {
            first.cancel()
            _ = try? await reading.value
            second = try await store.read(ReadRequest(url: fixture.url, range: .from(30_000_000)))
        }
        // The gate stays closed, so only the cancellation of the first request frees a slot for the second.
        var iterator = second.buffers.makeAsyncIterator()
        let bytes = try #require(try await iterator.next())
        #expect(Self.body.matches(bytes, at: 30_000_000))
        let requests = fixture.origin.requests.dropFirst().map { ($0.range?.knownStart, $0.progress) }
        #expect(requests.map(\.0) == [20_000_000, 30_000_000])
        #expect(requests.first?.1 == .cancelled)
        #expect(!gate.isOpen)
        second.cancel()
        await store.close()
    }

    @Test func yieldsAbandonedFillToPlayback() async throws {
        let store = try await knownFilm(playbackReserve: 1)
        let gate = fixture.holdNext(at: 20_100_000)
        let session = try await store.read(ReadRequest(url: fixture.url, range: .from(20_000_000)))
        var iterator = session.buffers.makeAsyncIterator()
        _ = try await iterator.next()
        await gate.waitForArrivals()
        let representation = try #require(session.currentRepresentation)
        let fills = representation.state.withLock { $0.fills.mapValues(\.position) }
        let fill = try #require(fills.first { $0.value < 21_000_000 }?.key)
        #expect(representation.transferClass(of: fill) == .playback)
        session.cancel()
        #expect(representation.transferClass(of: fill) == .background)
        // A returning reader joins the same fill.
        let again = try await store.read(ReadRequest(url: fixture.url, range: .from(20_100_000)))
        _ = again.poll(maximum: 1) {}
        #expect(representation.transferClass(of: fill) == .playback)
        gate.open()
        again.cancel()
        await store.close()
    }

    /// A seek needs the slot of an abandoned fill whose response has stalled.
    @Test(arguments: [false, true])
    func seekEndsStalledAbandonedFill(wasFast: Bool) async throws {
        let store = try await knownFilm()
        let gate = fixture.holdNext(at: 20_100_000)
        let session = try await store.read(ReadRequest(url: fixture.url, range: .from(20_000_000)))
        if wasFast { session.currentRepresentation?.withState { $0.rate.add(bytes: 100 << 20, in: .seconds(1)) } }
        var iterator = session.buffers.makeAsyncIterator()
        _ = try await iterator.next()
        await gate.waitForArrivals()
        session.seek(to: 30_000_000)
        let bytes = try #require(try await iterator.next())
        #expect(Self.body.matches(bytes, at: 30_000_000))
        #expect(!gate.isOpen)
        session.cancel()
        await store.close()
    }

    /// A file's segments are read in order before the origin's rate is known.
    @Test func requestsAdjacentRangesOnce() async throws {
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 4 << 20, maximum: 8 << 20) }
        _ = try await store.bytes(fixture.url, .closed(0, through: 9))
        await store.settled { $0.statistics.runningFills == 0 }
        let gate = fixture.holdNext()
        let sent = fixture.origin.bodyBytes
        // The first reader leaves before its response, the others during theirs.
        let first = try await store.read(ReadRequest(url: fixture.url, range: .closed(20_000_000, through: 20_099_999)))
        _ = first.poll(maximum: 1) {}
        await gate.waitForArrivals()
        first.cancel()
        for lower in stride(from: 20_000_000, to: 20_300_000, by: 100_000) as StrideTo<Int64> {
            let range = lower..<lower + 100_000
            let session = try await store.read(
                ReadRequest(url: fixture.url, range: .closed(lower, through: range.upperBound - 1)))
            async let bytes = session.allBytes()
            if lower == 20_000_000 { gate.open() }
            #expect(try await bytes == Self.body.bytes(in: range))
            session.cancel()
        }
        await store.settled { $0.statistics.runningFills == 0 }
        let info = try #require(try await store.resource(for: fixture.url))
        #expect(fixture.origin.requests.filter { ($0.range?.knownStart ?? 0) >= 20_000_000 }.count == 1)
        #expect(fixture.origin.bodyBytes - sent <= info.bytesCached)
        await store.close()
    }

    @Test func doesNotRepeatRequestOfAbandonedFill() async throws {
        let store = try await knownFilm()
        let gate = ScriptedGate()
        fixture.origin.next(fixture.url, .holdBody(at: 20_100_000, gate), .reset(after: 150_000))
        var request = ReadRequest(url: fixture.url, range: .from(20_000_000))
        request.settings = store.transfers
        request.settings?.retries = RetryPolicy(budget: 5, initialDelay: .zero)
        let session = try await store.read(request)
        var iterator = session.buffers.makeAsyncIterator()
        _ = try await iterator.next()
        await gate.waitForArrivals()
        session.cancel()
        gate.open()
        await store.settled { $0.statistics.runningFills == 0 }
        #expect(fixture.origin.requests.filter { ($0.range?.knownStart ?? 0) >= 20_000_000 }.count <= 2)
        #expect(fixture.origin.requests.allSatisfy { $0.range?.knownStart != 20_150_000 })
        await store.close()
    }

    @Test func waitsForApproachingFillAfterNearSeek() async throws {
        let gate = fixture.holdNext(at: 100_000)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url, range: .closed(0, through: 299_999)))
        await gate.waitForArrivals()
        session.seek(to: 250_000)
        async let tail = session.allBytes()
        gate.open()
        #expect(try await tail == Self.body.bytes(in: 250_000..<300_000))
        #expect(fixture.origin.requests.count == 1)
        session.cancel()
        await store.close()
    }

    @Test func servesCachedBytesAfterSeekingBack() async throws {
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url, range: .closed(0, through: 499_999)))
        #expect(try await session.allBytes() == Self.body.bytes(in: 0..<500_000))
        session.seek(to: 0)
        #expect(session.position == 0)
        #expect(try await session.allBytes() == Self.body.bytes(in: 0..<500_000))
        session.seek(to: 500_000)
        #expect(try await session.allBytes() == [])
        #expect(fixture.origin.requests.count == 1)
        session.cancel()
        await store.close()
    }

    @Test(arguments: [false, true])
    func endsWaitingReaderImmediatelyWhenCancelled(cancelsTask: Bool) async throws {
        let gate = ScriptedGate()
        fixture.origin.always(fixture.url, .holdBody(at: 100_000, gate))
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url, range: .from(99_999)))
        let reading = Task { try await session.allBytes() }
        await gate.waitForArrivals()
        if cancelsTask { reading.cancel() } else { session.cancel() }
        await expectError(.cancelled) { try await reading.value }
        #expect(store.statistics.openReads == 0)
        await store.close()
    }

    @Test func continuesFillForRemainingReader() async throws {
        let gate = ScriptedGate()
        fixture.origin.always(fixture.url, .holdBody(at: 2_000_000, gate))
        let store = try await fixture.open()
        let range = RequestedRange.closed(0, through: 4_999_999)
        let cancelled = try await store.read(ReadRequest(url: fixture.url, range: range))
        let remaining = try await store.read(ReadRequest(url: fixture.url, range: range))
        let first = Task { try await cancelled.allBytes() }
        let second = Task { try await remaining.allBytes() }
        await gate.waitForArrivals()
        cancelled.cancel()
        _ = try? await first.value
        gate.open()
        #expect(try await second.value == Self.body.bytes(in: 0..<5_000_000))
        let held = fixture.origin.requests.first {
            $0.range?.resolved(in: Self.body.length)?.contains(2_000_000) ?? false
        }
        #expect(held?.bodyBytes == held?.range?.resolved(in: Self.body.length).map { Int64($0.count) })
        remaining.cancel()
        await store.close()
    }

    @Test func closesConnectionWithLastReader() async throws {
        let gate = ScriptedGate()
        fixture.origin.always(fixture.url, .holdBody(at: 1_500_000, gate))
        let store = try await fixture.open()
        let sessions = [
            try await store.read(ReadRequest(url: fixture.url)), try await store.read(ReadRequest(url: fixture.url)),
        ]
        let readings = sessions.map { session in Task { try await session.allBytes() } }
        await gate.waitForArrivals()
        for session in sessions { session.cancel() }
        for reading in readings { _ = try? await reading.value }
        // The connection stays open for a moment, because the reader may return.
        fixture.time.advance(by: .milliseconds(900))
        #expect(fixture.origin.requests.contains { $0.progress == .running })
        try await fixture.advancingClock { await fixture.origin.wait { $0.allSatisfy { $0.progress != .running } } }
        #expect(!gate.isOpen)
        #expect(fixture.origin.bodyBytes < Self.body.length)
        await store.close()
    }

    @Test func increasesReadAheadFrom1To8MiB() async throws {
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        for try await _ in session.buffers {
            let ends = fixture.origin.requests.compactMap { $0.range?.resolved(in: Self.body.length)?.upperBound }
            #expect(try #require(ends.max()) - session.position <= (8 << 20) + (4 << 20))
        }
        let sizes = fixture.origin.requests.compactMap { $0.range?.resolved(in: Self.body.length)?.count }
        #expect(sizes.first == 1 << 20)
        #expect(sizes.max() == 8 << 20)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        session.cancel()
        await store.close()
    }

    @Test func limitsFillOfPausedReaderToWindow() async throws {
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        var iterator = session.buffers.makeAsyncIterator()
        let bytes = try #require(try await iterator.next())
        await fixture.origin.wait { requests in requests.allSatisfy { $0.progress != .running } }
        #expect(fixture.origin.bodyBytes <= Int64(bytes.count) + (3 << 20))
        session.cancel()
        await store.close()
    }

    @Test func readsCorrectBytesAfterManySeeks() async throws {
        let body = ScriptedBody.random(seed: 82, length: 6_000_000)
        fixture.origin[fixture.url] = ScriptedResource(body)
        let store = try await fixture.open()
        print("seed 82")
        let isRight = try await withThrowingTaskGroup(of: Bool.self) { group in
            for reader in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: 82 + UInt64(reader))
                    let session = try await store.read(ReadRequest(url: fixture.url))
                    defer { session.cancel() }
                    var iterator = session.buffers.makeAsyncIterator()
                    for _ in 0..<100 {
                        let target = Int64.random(in: 0...body.length, using: &random)
                        session.seek(to: target)
                        for _ in 0..<Int.random(in: 1...3, using: &random) {
                            let position = session.position
                            guard let bytes = try await iterator.next() else { break }
                            guard body.matches(bytes, at: position) else { return false }
                        }
                    }
                    return true
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(isRight)
        // Each interrupted fill may have received up to two more buffers.
        let interrupted = max(8, fixture.origin.requests.count { $0.progress != .complete })
        #expect(fixture.origin.bodyBytes <= body.length + Int64(interrupted * (128 << 10)))
        try await fixture.expectCorrectBytes(of: body, in: store)
        await store.close()
    }

    @Test func readsBeyond4GiB() async throws {
        let body = ScriptedBody.random(seed: 83, length: 8 << 30)
        fixture.origin[fixture.url] = ScriptedResource(body)
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 64 << 10, maximum: 64 << 10) }
        let boundary: Int64 = 4 << 30
        let ranges: [Range<Int64>] = [
            boundary - 100_000..<boundary + 100_000, (8 << 30) - 50_000..<8 << 30, 0..<1000,
            (2 << 30) - 10..<(2 << 30) + 10,
        ]
        for range in ranges {
            let bytes = try await store.bytes(fixture.url, .closed(range.lowerBound, through: range.upperBound - 1))
            #expect(bytes == body.bytes(in: range))
        }
        #expect(try await store.bytes(fixture.url, .suffix(10)) == body.bytes(in: (8 << 30) - 10..<8 << 30))
        let info = try #require(try await store.resource(for: fixture.url))
        #expect(info.length == 8 << 30)
        #expect(info.bytesCached < 2 << 20)
        #expect(try await store.verify().findings.isEmpty)
        let again = try await fixture.reopen(store)
        fixture.origin.isReachable = false
        for range in ranges {
            let bytes = try await again.bytes(fixture.url, .closed(range.lowerBound, through: range.upperBound - 1))
            #expect(bytes == body.bytes(in: range))
        }
        await again.close()
    }
}
