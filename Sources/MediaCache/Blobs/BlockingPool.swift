import Dispatch

/// A pool of threads for blocking calls, which keeps them off the cooperative pool and event loops.
package struct BlockingPool: Sendable {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated, attributes: .concurrent)
    }

    /// Runs `work` on a thread of the pool, and returns its result or throws its error.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// Runs `work` on a thread of the pool, and returns its result.
    package func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Starts `work` on a thread of the pool without waiting for it.
    package func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
