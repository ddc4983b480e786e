internal import Dispatch

/// Work that waits for a disk or for another process, kept off the threads that tasks share.
package enum BlockingWork {
    /// Runs `body` on a thread of its own and waits for it without holding one of the tasks' threads.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(with: Swift.Result { try body() })
            }
        }
    }

    /// Runs `body` likewise; where the task is cancelled, the work is told.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable (WorkControl) throws -> Result
    ) async throws -> Result {
        let control = WorkControl()
        return try await withTaskCancellationHandler {
            try await run { try body(control) }
        } onCancel: {
            control.cancel()
        }
    }
}
