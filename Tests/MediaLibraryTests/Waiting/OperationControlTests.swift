import MediaLibrary
import Synchronization
import Testing

struct OperationControlTests {
    private struct Reason: Error {}

    @Test func waitsForCall() async throws {
        let value = try await BlockingOperation.run { control in try control.wait { 42 } }
        #expect(value == 42)
    }

    @Test func rethrowsErrorFromCall() async throws {
        await #expect(throws: Reason.self) {
            try await BlockingOperation.run { control in try control.wait { throw Reason() } }
        }
    }

    @Test func cancellationEndsWork() async throws {
        let (started, continuation) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await BlockingOperation.run { control in
                continuation.yield()
                // Only cancellation ends this wait.
                try control.wait {
                    let (never, held) = AsyncStream<Void>.makeStream()
                    for await _ in never {}
                    _ = held
                    try Task.checkCancellation()
                }
            }
        }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
