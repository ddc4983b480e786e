import Synchronization
import Testing

@testable import MediaCache
@testable import MediaCacheTesting

/// Readers that wait for the same first answer.
struct OpeningTests {
    static let body = ScriptedBody.random(seed: 91, length: 500_000)

    @Test func anErrorReachesAllWhoWait() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.next(fixture.url, .holdHead(gate), .status(404))
        let store = try await fixture.open()
        let readers = (0..<5).map { _ in Task { try await store.bytes(fixture.url) } }
        await gate.waitForArrivals()
        gate.open()
        var failures = 0
        for reader in readers {
            // Who came after the answer asks for itself, and finds the resource.
            do { #expect(try await reader.value == Self.body.bytes) } catch let error as CacheError {
                #expect(error.status == 404)
                failures += 1
            }
        }
        #expect(failures >= 1)
        await store.close()
    }

    @Test func aCancelledOpenerDoesNotSpoilTheOthers() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.next(fixture.url, .holdHead(gate))
        let store = try await fixture.open()
        let opener = Task { try await store.bytes(fixture.url) }
        await gate.waitForArrivals()
        let other = Task { try await store.bytes(fixture.url) }
        opener.cancel()
        let error = await #expect(throws: CacheError.self) { try await opener.value }
        #expect(error?.code == .cancelled)
        gate.open()
        #expect(try await other.value == Self.body.bytes)
        await store.close()
    }

    @Test func whoCancelsReturnsAtOnceThoughOthersWait() async throws {
        let gate = ScriptedGate()
        let opening = SharedRequest { await gate.waitForOpening() }
        let first = Task { try await opening.wait() }
        let second = Task { try await opening.wait() }
        await gate.waitForArrivals()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value != nil)
    }

    @Test func theRequestIsCancelledWithItsLastWaiter() async throws {
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
        // Who comes now is told to try anew, and isn't told of a cancellation that wasn't its own.
        async let late = opening.wait()
        gate.open()
        let isAnswered = try await late != nil
        #expect(!isAnswered || !isCancelled.withLock { $0 })
    }

    @Test func aReaderAfterAnAbandonedOpeningGetsItsOwn() async throws {
        let fixture = try EngineFixture()
        let gate = ScriptedGate()
        fixture.origin[fixture.url] = ScriptedResource(Self.body)
        fixture.origin.next(fixture.url, .holdHead(gate))
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
    /// Returns when the gate is open, whatever becomes of the task.
    fileprivate func waitForOpening() async {
        await withCheckedContinuation { continuation in _ = whenOpen { continuation.resume() } }
    }
}
