import Synchronization
import Testing

@testable import MediaCache
@testable import MediaCacheTesting

/// Tests of readers that wait for the same first response.
@Suite(.timeLimit(.minutes(60)))
struct OpeningTests {
    static let body = ScriptedBody.random(seed: 91, length: 500_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    @Test func reportsErrorToAllWaitingReaders() async throws {
        let gate = ScriptedGate()
        fixture.origin.next(fixture.url, .holdHead(gate), .status(404))
        let store = try await fixture.open()
        let readers = (0..<5).map { _ in Task { try await store.bytes(fixture.url) } }
        await gate.waitForArrivals()
        gate.open()
        var failures = 0
        for reader in readers {
            // A reader that arrives after the response sends another request, which succeeds.
            do { #expect(try await reader.value == Self.body.bytes) } catch let error as CacheError {
                #expect(error.status == 404)
                failures += 1
            }
        }
        #expect(failures >= 1)
        await store.close()
    }

    /// A 416 response applies to the requested range, not to the resource.
    @Test(arguments: [RequestedRange.all, .closed(10, through: 19), .suffix(5)])
    func failsOnlyReaderOfUnsatisfiableRange(_ range: RequestedRange) async throws {
        let gate = fixture.holdNext()
        let store = try await fixture.open()
        let outside = Task { try await store.bytes(fixture.url, .from(1_000_000)) }
        await gate.waitForArrivals()
        let inside = Task { try await store.bytes(fixture.url, range) }
        let alsoOutside = Task { try await store.bytes(fixture.url, .from(2_000_000)) }
        await store.settled { store in
            let resource = store.table[store.key(for: fixture.url)]
            return resource?.state.withLock { $0.opening }?.waiterCount == 3
        }
        gate.open()
        for task in [outside, alsoOutside] {
            let error = await expectError(.rangeNotSatisfiable) { try await task.value }
            #expect(error?.completeLength == Self.body.length)
        }
        #expect(try await inside.value == Self.body.bytes(in: #require(range.resolved(in: Self.body.length))))
        await store.close()
    }

    /// An address that is forbidden for one reader may be permitted for another.
    @Test(arguments: [false, true])
    func failsOnlyReadersWithNarrowScope(_ asWholes: Bool) async throws {
        let gate = ScriptedGate()
        let first = try ResourceURL("http://public.example/film.mp4")
        fixture.origin[first] = ScriptedResource(Self.body)
        fixture.origin[fixture.url] = ScriptedResource(Self.body, peer: .local)
        fixture.origin.always(first, .holdHead(gate), .redirect(to: fixture.url.description))
        let store = try await fixture.open()
        let narrow = store.transfers.narrowed(to: .publicOnly)
        // A public host may redirect to a local one.
        var wide = store.transfers
        wide.allowsLocalRedirects = true
        func read(_ settings: TransferSettings) -> Task<[UInt8], any Error> {
            Task {
                if asWholes {
                    let request = WholeBodyRequest(url: first, maximumLength: 1 << 20, settings: settings) { _ in true }
                    return try await store.wholeBody(request).bytes
                }
                return try await store.read(ReadRequest(url: first, settings: settings)).allBytes()
            }
        }
        let refused = read(narrow)
        await gate.waitForArrivals()
        let (served, alsoRefused) = (read(wide), read(narrow))
        await store.settled { store in
            guard let resource = store.table[store.key(for: first)] else { return false }
            return resource.state.withLock { ($0.opening?.waiterCount ?? 0) + ($0.bodyRequest?.waiterCount ?? 0) } == 3
        }
        gate.open()
        for task in [refused, alsoRefused] {
            await expectError(.forbiddenAddress) { try await task.value }
        }
        #expect(try await served.value == Self.body.bytes)
        await store.close()
    }

    @Test func doesNotShareLocalBodyWithNarrowScope() async throws {
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body, peer: .local)
        fixture.origin.next(fixture.url, .holdHead(gate))
        let store = try await fixture.open()
        func read(_ scope: AddressScope) -> Task<[UInt8], any Error> {
            let request = WholeBodyRequest(url: fixture.url, settings: store.transfers.narrowed(to: scope)) { _ in
                false
            }
            return Task { try await store.wholeBody(request).bytes }
        }
        let served = read(.any)
        await gate.waitForArrivals()
        let refused = read(.publicOnly)
        await store.settled { store in
            store.table[store.key(for: fixture.url)]?.state.withLock { $0.bodyRequest }?.waiterCount == 2
        }
        gate.open()
        #expect(try await served.value == Self.body.bytes)
        await expectError(.forbiddenAddress) { try await refused.value }
        await store.close()
    }

    /// An empty response doesn't replace stored content.
    @Test func preservesStoredFilmAfterEmptyResponse() async throws {
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        fixture.origin[fixture.url] = ScriptedResource(.bytes([]), entityTag: "\"2\"")
        let since = ReadRequest(url: fixture.url, revalidation: .since(store.monotonicTime + .seconds(1)))
        await expectError(.notMedia) { try await store.read(since) }
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        await store.close()
    }

    /// Leading white space has a separate time limit, because a body that sends 1 KiB per stall limit doesn't stall.
    @Test func refusesBodyWithEndlessWhiteSpace() async throws {
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(.bytes([UInt8](repeating: 0x20, count: 100) + Self.body.bytes))
        fixture.origin.next(fixture.url, .holdBody(at: 10, gate), .bufferSize(1))
        let store = try await fixture.open()
        let opening = Task { try await store.read(ReadRequest(url: fixture.url)) }
        await gate.waitForArrivals()
        // The sleepers are the stall watch and the wait for more bytes.
        await fixture.time.waitForSleepers(2)
        fixture.time.advance(by: .seconds(11))
        gate.open()
        await expectError(.notMedia) { try await opening.value }
        await store.close()
    }

    /// After a short wait, the first bytes are returned even if their type is still unknown.
    @Test func waitsBrieflyForBytesThatIdentifyType() async throws {
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body, contentType: "video/mp4")
        fixture.origin.next(fixture.url, .holdBody(at: 10, gate))
        let store = try await fixture.open()
        let opening = Task { try await store.read(ReadRequest(url: fixture.url)) }
        await gate.waitForArrivals()
        // The sleepers are the stall watch and the wait for more bytes.
        await fixture.time.waitForSleepers(2)
        fixture.time.advance(by: .milliseconds(250))
        let session = try await opening.value
        #expect(!gate.isOpen)
        #expect(session.head.contentType == "video/mp4")
        var iterator = session.buffers.makeAsyncIterator()
        var bytes = try #require(try await iterator.next())
        #expect(bytes == Self.body.bytes(in: 0..<10))
        gate.open()
        while let more = try await iterator.next() { bytes += more }
        #expect(bytes == Self.body.bytes)
        #expect(fixture.origin.requests.count == 1)
        session.cancel()
        await store.close()
    }

    @Test func continuesForOtherReadersAfterCancellation() async throws {
        let gate = fixture.holdNext()
        let store = try await fixture.open()
        let opener = Task { try await store.bytes(fixture.url) }
        await gate.waitForArrivals()
        let other = Task { try await store.bytes(fixture.url) }
        opener.cancel()
        await expectError(.cancelled) { try await opener.value }
        gate.open()
        #expect(try await other.value == Self.body.bytes)
        await store.close()
    }

    @Test func returnsImmediatelyWhenCancelledDespiteOtherWaiters() async throws {
        let gate = ScriptedGate()
        let opening = SharedRequest { await gate.waitForOpening() }
        let first = Task { try await opening.wait() }
        let second = Task { try await opening.wait() }
        await gate.waitForArrivals()
        while opening.waiterCount < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value != nil)
    }

    @Test func cancelsRequestWithLastWaiter() async throws {
        let gate = ScriptedGate()
        let isCancelled = Mutex(false)
        let opening = SharedRequest {
            await gate.waitForOpening()
            isCancelled.withLock { $0 = Task.isCancelled }
            try Task.checkCancellation()
        }
        let waiters = (0..<3).map { _ in Task { try await opening.wait() } }
        await gate.waitForArrivals()
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { await #expect(throws: CancellationError.self) { try await waiter.value } }
        // A later caller isn't cancelled with the earlier ones. It receives nil, and then starts another request.
        async let late = opening.wait()
        gate.open()
        let isAnswered = try await late != nil
        #expect(!isAnswered || !isCancelled.withLock { $0 })
    }

    @Test func startsNewOpeningAfterAbandonedOne() async throws {
        let gate = fixture.holdNext()
        let store = try await fixture.open()
        for _ in 0..<20 {
            let opener = Task { try await store.bytes(fixture.url) }
            opener.cancel()
            _ = try? await opener.value
        }
        let opener = Task { try await store.bytes(fixture.url) }
        opener.cancel()
        gate.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        _ = try? await opener.value
        await store.close()
    }
}

extension ScriptedGate {
    /// Waits until the gate is open, even if the task is cancelled.
    fileprivate func waitForOpening() async {
        await withCheckedContinuation { continuation in _ = onOpen { continuation.resume() } }
    }
}
