import Dispatch

/// A pool of threads for blocking calls, which keeps them off the cooperative pool and event loops.
///
/// A task with this executor makes its blocking calls without changing threads if the pool uses the current thread.
package final class BlockingPool: TaskExecutor {
    private let queue: DispatchQueue
    private let usesCurrentThread: Bool

    /// - Parameter usesCurrentThread: Whether ``run(_:)`` and ``perform(_:)`` call their work on the current thread if it
    ///   may block on files (``FileThread``).
    package init(label: String, usesCurrentThread: Bool = false) {
        queue = DispatchQueue(label: label, qos: .userInitiated, attributes: .concurrent)
        self.usesCurrentThread = usesCurrentThread
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { FileThread.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }

    /// Runs `work` on a thread of the pool or, if the pool permits it, on the current thread.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await run(trying: work, otherwise: work)
    }

    /// Runs `attempt` on the current thread if the pool permits it. Otherwise, or if the result is nil, runs `work` on
    /// a thread of the pool.
    ///
    /// - Parameter attempt: Returns nil if the work would block for long, for example while it waits for a lock.
    package func run<Result: Sendable>(
        trying attempt: () throws -> Result?, otherwise work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        if usesCurrentThread, FileThread.isCurrent, let result = try attempt() { return result }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// Runs work that can't fail, as ``run(_:)`` does.
    package func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        if usesCurrentThread, FileThread.isCurrent { return work() }
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Starts `work` on a thread of the pool without waiting for it.
    package func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}

/// A mark of threads that may block on files. The executors of these threads set it while they run jobs.
package enum FileThread {
    private static let mark = ThreadNumber()

    /// Whether the current thread may block on files.
    static var isCurrent: Bool { mark.current != 0 }

    /// Marks the current thread while `body` runs.
    package static func run(_ body: () -> Void) {
        mark.current = 1
        defer { mark.current = 0 }
        body()
    }
}
