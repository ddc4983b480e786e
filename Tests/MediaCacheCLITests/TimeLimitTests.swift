import Foundation
import MediaLibrary
import Testing

@testable import MediaCacheCLI

/// Work that may take so long and no longer.
struct TimeLimitTests {
    private struct Failure: Error {}

    /// As a call to a disk that hangs.
    @Test func whatDoesNotHeedItIsLeftBehind() async throws {
        let gate = DispatchSemaphore(value: 0)
        let result = try await TimeLimit.run(.milliseconds(50)) {
            try await BlockingWork.run { gate.wait() }
            return 1
        }
        #expect(result == nil)
        gate.signal()
    }

    @Test func whatIsDoneInTimeIsTold() async throws {
        #expect(try await TimeLimit.run(.seconds(3600)) { 1 } == 1)
        await #expect(throws: Failure.self) { try await TimeLimit.run(.seconds(3600)) { throw Failure() } as Int? }
    }

    @Test func whoIsCancelledDoesNotWait() async throws {
        let task = Task { try await TimeLimit.run(.seconds(3600)) { try await Task.sleep(for: .seconds(3600)) } }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
}
