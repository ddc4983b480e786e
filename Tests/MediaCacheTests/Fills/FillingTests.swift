import MediaCacheTesting
import Testing

@testable import MediaCache

struct FillingTests {
    private static let body = ScriptedBody.random(seed: 11, length: 6_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    /// Makes all responses stall at an offset of the resource. Returns the gate that resumes them.
    private func stalled(after bytes: Int64) -> ScriptedGate {
        let gate = ScriptedGate()
        fixture.origin.always(fixture.url, .holdBody(at: bytes, gate), .bufferSize(64 << 10))
        return gate
    }

    @Test func fillsExactRange() async throws {
        let store = try await fixture.open()
        let range = RequestedRange.closed(1_000_000, through: 1_999_999)
        let info = try await store.fill(ReadRequest(url: fixture.url, range: range, transferClass: .download))
        #expect(info.spans == [1_000_000..<2_000_000])
        // An open resource behaves in the same way.
        let next = RequestedRange.closed(1_500_000, through: 2_499_999)
        let wider = try await store.fill(ReadRequest(url: fixture.url, range: next, transferClass: .download))
        #expect(wider.spans == [1_000_000..<2_500_000])
        #expect(fixture.origin.bodyBytes == 1_500_000)
        await store.close()
    }

    @Test func readsFilledBytesBeforeCommit() async throws {
        let store = try await fixture.open()
        _ = try await store.fill(ReadRequest(url: fixture.url, transferClass: .download))
        #expect(store.statistics.bytesCommitted == 0)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        try await store.commit()
        #expect(store.statistics.bytesCommitted == Self.body.length)
        await store.close()
    }

    @Test(arguments: [0, 100_000, 3_000_000] as [Int64])
    func receivesNoBytesAfterCancellation(_ position: Int64) async throws {
        let gate = stalled(after: position)
        let store = try await fixture.open()
        let fill = Task { try await store.fill(ReadRequest(url: fixture.url, transferClass: .download)) }
        await gate.waitForArrivals()
        fill.cancel()
        await #expect(throws: CacheError.self) { try await fill.value }
        #expect(fixture.origin.requests.map(\.progress) == [.cancelled])
        #expect(store.engine.scheduler.runningCount == 0)
        #expect(store.engine.scheduler.waitingCount == 0)
        let sent = fixture.origin.bodyBytes
        gate.open()
        await store.settled { $0.statistics.runningFills == 0 }
        #expect(fixture.origin.bodyBytes == sent)
        await store.close()
    }

    @Test func cancelsFillBeforeResponseHeadOrAdmission() async throws {
        let head = ScriptedGate()
        let other = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin[other] = ScriptedResource(Self.body)
        fixture.origin.always(fixture.url, .holdHead(head))
        let store = try await fixture.open { $0.scheduling = .init(total: 1, perHost: 1, playbackReserve: 0) }
        func filling(_ url: ResourceURL) -> Task<ResourceInfo, any Error> {
            Task { try await store.fill(ReadRequest(url: url, transferClass: .download)) }
        }
        let first = filling(fixture.url)
        await head.waitForArrivals()
        let second = filling(other)
        await store.settled { $0.engine.scheduler.waitingCount == 1 }
        for fill in [second, first] {
            fill.cancel()
            await expectError(.cancelled) { try await fill.value }
        }
        #expect(store.engine.scheduler.runningCount == 0)
        #expect(store.engine.scheduler.waitingCount == 0)
        #expect(fixture.origin.requests.map(\.progress) == [.cancelled])
        await store.close()
    }

    @Test func cancelsFillBeforeRetry() async throws {
        fixture.origin.always(fixture.url, .status(503))
        let store = try await fixture.open { $0.transfers.retries = RetryPolicy() }
        let fill = Task { try await store.fill(ReadRequest(url: fixture.url, transferClass: .download)) }
        await fixture.origin.waitForRequests(1)
        await store.settled { $0.statistics.originFailures == 1 }
        fill.cancel()
        await #expect(throws: CacheError.self) { try await fill.value }
        #expect(store.engine.scheduler.runningCount == 0)
        fixture.time.advance(by: .seconds(60))
        for _ in 0..<100 { await Task.yield() }
        #expect(fixture.origin.requests.count == 1)
        await store.close()
    }

    @Test func continuesCancelledFillForPlayer() async throws {
        let gate = stalled(after: 2_000_000)
        let store = try await fixture.open()
        let fill = Task { try await store.fill(ReadRequest(url: fixture.url, transferClass: .download)) }
        await gate.waitForArrivals()
        let reading = Task { try await store.bytes(fixture.url) }
        await store.settled { store in
            let fills = store.table[store.key(for: fixture.url)]?.current?.withState { $0.fills }
            return fills?.values.contains { $0.transferClass == .playback } ?? false
        }
        fill.cancel()
        await #expect(throws: CacheError.self) { try await fill.value }
        #expect(fixture.origin.requests.map(\.progress) == [.running])
        gate.open()
        #expect(try await reading.value == Self.body.bytes)
        #expect(fixture.origin.requests.count == 1)
        await store.close()
    }

    @Test func sharesFillBetweenDemands() async throws {
        let gate = stalled(after: 2_000_000)
        let store = try await fixture.open()
        let fills = (0..<2).map { _ in
            Task { try await store.fill(ReadRequest(url: fixture.url, transferClass: .download)) }
        }
        await gate.waitForArrivals()
        await store.settled { store in
            let fills = store.table[store.key(for: fixture.url)]?.current?.withState { $0.fills }
            return fills?.values.first?.users.count == 2
        }
        fills[0].cancel()
        await #expect(throws: CacheError.self) { try await fills[0].value }
        gate.open()
        #expect(try await fills[1].value.isComplete)
        #expect(fixture.origin.requests.count == 1)
        #expect(fixture.origin.bodyBytes == Self.body.length)
        await store.close()
    }
}
