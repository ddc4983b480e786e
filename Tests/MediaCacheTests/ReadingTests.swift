import MediaCache
import MediaCacheTesting
import TestSupport
import Testing

struct ReadingTests {
    static let body = ScriptedBody.random(seed: 7, length: 5_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    @Test func neverRequestsCachedBytesAgain() async throws {
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        await store.close()
    }

    @Test func servesCachedBytesAfterReopening() async throws {
        let first = try await fixture.open()
        _ = try await first.bytes(fixture.url)
        await first.close()
        fixture.origin.isReachable = false
        let second = try await fixture.open()
        #expect(try await second.bytes(fixture.url) == Self.body.bytes)
        await second.close()
    }

    @Test func sharesFillOfHole() async throws {
        let store = try await fixture.open()
        let matches = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<64 { group.addTask { try await store.bytes(fixture.url) } }
            return try await group.reduce(into: []) { $0.append($1 == Self.body.bytes) }
        }
        #expect(matches == Array(repeating: true, count: 64))
        #expect(fixture.origin.bodyBytes == Self.body.length)
        await store.close()
    }

    @Test(arguments: [
        RequestedRange.closed(1000, through: 1999), .from(4_999_000), .suffix(1000),
        .closed(4_999_999, through: 9_000_000),
    ])
    func requestsUncachedRangeWithReadAhead(_ range: RequestedRange) async throws {
        let store = try await fixture.open()
        let expected = try #require(range.resolved(in: Self.body.length))
        #expect(try await store.bytes(fixture.url, range) == Self.body.bytes(in: expected))
        #expect(fixture.origin.bodyBytes <= (1 << 20) + Int64(expected.count))
        await store.close()
    }

    @Test func readsCorrectBytesAfterRandomSeeks() async throws {
        let store = try await fixture.open()
        let seed: UInt64 = 42
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let start = Int64.random(in: 0..<Self.body.length, using: &random)
            let end = min(Self.body.length, start + Int64.random(in: 1...200_000, using: &random))
            let bytes = try await store.bytes(fixture.url, .closed(start, through: end - 1))
            #expect(bytes == Self.body.bytes(in: start..<end))
            // A fill that was interrupted by a seek may have received another piece, which is requested again. Waits
            // for the fill to end.
            await store.settled { $0.statistics.runningFills == 0 }
        }
        #expect(fixture.origin.bodyBytes <= Self.body.length)
        await store.close()
    }

    @Test func reportsLengthForUnsatisfiableRange() async throws {
        let store = try await fixture.open()
        for _ in 0..<2 {
            let error = await expectError(.rangeNotSatisfiable) { try await store.bytes(fixture.url, .from(5_000_000)) }
            #expect(error?.completeLength == Self.body.length)
            _ = try await store.bytes(fixture.url, .closed(0, through: 0))
        }
        await store.close()
    }

    @Test func fillsAllHolesWhenCompleting() async throws {
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(2_000_000, through: 2_000_999))
        let info = try await store.complete(ReadRequest(url: fixture.url, transferClass: .download))
        #expect(info.isComplete)
        #expect(info.spans == [0..<Self.body.length])
        #expect(fixture.origin.bodyBytes == Self.body.length)
        #expect(try await store.verify().findings.isEmpty)
        await store.close()
    }
}
