import Dispatch

/// Threads for calls that may wait for a disk, so that neither the cooperative pool nor an event loop does.
package struct BlockingPool: Sendable {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated, attributes: .concurrent)
    }

    /// Runs `work` on a thread of the pool.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// Runs `work`, which can't fail, on a thread of the pool.
    package func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Runs `work` on a thread of the pool some time; nobody waits for it.
    package func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
