import MediaCache
import MediaCacheTesting
import Synchronization
import TestSupport
import Testing

/// Readers that seek, share, pause and leave.
struct ReaderTests {
    static let body = ScriptedBody.random(seed: 81, length: 40_000_000)

    @Test func aFarSeekStartsItsOwnFillAtOnce() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.next(fixture.url, .holdBody(at: 100_000, gate))
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

    @Test func aNearSeekWaitsForTheFillThatIsComing() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.next(fixture.url, .holdBody(at: 100_000, gate))
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

    @Test func seekingBackIsServedFromWhatIsHere() async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
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

    @Test func cancellingAReaderThatWaitsEndsItAtOnce() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.always(fixture.url, .holdBody(at: 100_000, gate))
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url, range: .from(99_999)))
        let reading = Task { try await session.allBytes() }
        await gate.waitForArrivals()
        session.cancel()
        let error = await #expect(throws: CacheError.self) { try await reading.value }
        #expect(error?.code == .cancelled)
        #expect(store.statistics.openReads == 0)
        await store.close()
    }

    @Test func cancellingTheTaskEndsTheReader() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.always(fixture.url, .holdBody(at: 100_000, gate))
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        let reading = Task { try await session.allBytes() }
        await gate.waitForArrivals()
        reading.cancel()
        let error = await #expect(throws: CacheError.self) { try await reading.value }
        #expect(error?.code == .cancelled)
        await store.close()
    }

    @Test func oneReaderLeavingDoesNotTakeTheFillFromTheOther() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.always(fixture.url, .holdBody(at: 2_000_000, gate))
        let store = try await fixture.open()
        let range = RequestedRange.closed(0, through: 4_999_999)
        let leaving = try await store.read(ReadRequest(url: fixture.url, range: range))
        let staying = try await store.read(ReadRequest(url: fixture.url, range: range))
        let first = Task { try await leaving.allBytes() }
        let second = Task { try await staying.allBytes() }
        await gate.waitForArrivals()
        leaving.cancel()
        _ = try? await first.value
        gate.open()
        #expect(try await second.value == Self.body.bytes(in: 0..<5_000_000))
        let held = fixture.origin.requests.first {
            $0.range?.resolved(in: Self.body.length)?.contains(2_000_000) ?? false
        }
        #expect(held?.bodyBytes == held?.range?.resolved(in: Self.body.length).map { Int64($0.count) })
        staying.cancel()
        await store.close()
    }

    @Test func theLastReaderLeavingClosesTheConnection() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.always(fixture.url, .holdBody(at: 1_500_000, gate))
        let store = try await fixture.open()
        let sessions = [
            try await store.read(ReadRequest(url: fixture.url)), try await store.read(ReadRequest(url: fixture.url)),
        ]
        let readings = sessions.map { session in Task { try await session.allBytes() } }
        await gate.waitForArrivals()
        for session in sessions { session.cancel() }
        for reading in readings { _ = try? await reading.value }
        await fixture.origin.wait { requests in requests.allSatisfy { $0.progress != .running } }
        #expect(!gate.isOpen)
        #expect(fixture.origin.bodyBytes < Self.body.length)
        await store.close()
    }

    @Test func readAheadGrowsFromOneToEightMebibytes() async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        for try await _ in session.buffers {
            let asked = fixture.origin.requests.compactMap { $0.range?.resolved(in: Self.body.length)?.upperBound }
                .max()
            #expect(try #require(asked) - session.position <= (8 << 20) + (4 << 20))
        }
        let sizes = fixture.origin.requests.compactMap { $0.range?.resolved(in: Self.body.length)?.count }
        #expect(sizes.first == 1 << 20)
        #expect(sizes.max() == 8 << 20)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        session.cancel()
        await store.close()
    }

    @Test func aPausedReaderCostsAWindow() async throws {
        let fixture = try EngineFixture()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        var iterator = session.buffers.makeAsyncIterator()
        let bytes = try #require(try await iterator.next())
        await fixture.origin.wait { requests in requests.allSatisfy { $0.progress != .running } }
        #expect(fixture.origin.bodyBytes <= Int64(bytes.count) + (3 << 20))
        session.cancel()
        await store.close()
    }

    @Test func manySeeksOfManyReadersGiveRightBytes() async throws {
        let fixture = try EngineFixture()
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
        // A fill that is cut short has a buffer or two in hand.
        #expect(fixture.origin.bodyBytes <= body.length + (1 << 20))
        try await fixture.expectRightBytes(of: body, in: store)
        await store.close()
    }

    @Test func whatIsLongerThanFourGibibytesIsReadInPlace() async throws {
        let fixture = try EngineFixture()
        let body = ScriptedBody.random(seed: 83, length: 8 << 30)
        fixture.origin[fixture.url] = ScriptedResource(body)
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 64 << 10, maximum: 64 << 10) }
        let border: Int64 = 4 << 30
        let ranges: [Range<Int64>] = [
            border - 100_000..<border + 100_000, (8 << 30) - 50_000..<8 << 30, 0..<1000,
            (2 << 30) - 10..<(2 << 30) + 10,
        ]
        for range in ranges {
            let bytes = try await store.bytes(fixture.url, .closed(range.lowerBound, through: range.upperBound - 1))
            #expect(bytes == body.bytes(in: range))
        }
        #expect(try await store.bytes(fixture.url, .suffix(10)) == body.bytes(in: (8 << 30) - 10..<8 << 30))
        let info = try #require(try await store.resource(for: fixture.url))
        #expect(info.length == 8 << 30)
        #expect(info.bytesKept < 2 << 20)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
        let again = try await fixture.open()
        fixture.origin.isReachable = false
        for range in ranges {
            let bytes = try await again.bytes(fixture.url, .closed(range.lowerBound, through: range.upperBound - 1))
            #expect(bytes == body.bytes(in: range))
        }
        await again.close()
    }
}
