import Foundation
import Testing

@testable import MediaLibrary

struct TimeLimitTests {
    private struct Failure: Error {}

    /// A system call on a hanging disk can't be cancelled.
    @Test func abandonsWorkThatIgnoresCancellation() async throws {
        let gate = DispatchSemaphore(value: 0)
        let result = try await TimeLimit.run(.milliseconds(50)) {
            try await BlockingOperation.run { gate.wait() }
            return 1
        }
        #expect(result == nil)
        gate.signal()
    }

    @Test func returnsResultWithinLimit() async throws {
        #expect(try await TimeLimit.run(.seconds(3600)) { 1 } == 1)
        await #expect(throws: Failure.self) { try await TimeLimit.run(.seconds(3600)) { throw Failure() } as Int? }
    }

    @Test func cancellationEndsWait() async throws {
        let task = Task { try await TimeLimit.run(.seconds(3600)) { try await Task.sleep(for: .seconds(3600)) } }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
}
