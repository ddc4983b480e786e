import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A pool of threads for blocking calls, which keeps them off the cooperative pool and event loops.
///
/// A task with this executor makes its blocking calls without changing threads.
package final class BlockingPool: TaskExecutor {
    private let queue: DispatchQueue
    private let usesCurrentThread: Bool

    /// Creates a pool.
    ///
    /// - Parameter usesCurrentThread: Whether ``run(_:)`` and ``perform(_:)`` call their work on the current thread if
    ///   it may block on files (``FileThread``).
    package init(label: String, usesCurrentThread: Bool = false) {
        queue = DispatchQueue(label: label, qos: .userInitiated, attributes: .concurrent)
        self.usesCurrentThread = usesCurrentThread
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { FileThread.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }

    /// Runs `work` on a thread of the pool, and returns its result or throws its error.
    ///
    /// - Parameter isLong: Whether the work may block for long, so that it never runs on the current thread.
    package func run<Result: Sendable>(
        isLong: Bool = false, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        if usesCurrentThread, !isLong, FileThread.isCurrent { return try work() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: work)) }
        }
    }

    /// Runs `work` on a thread of the pool, and returns its result.
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

/// A mark of threads that may block on files: those of the pool, and those on which an origin receives.
package enum FileThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "pthread_key_create: \(status)")
        return key
    }()

    /// Whether the current thread may block on files.
    static var isCurrent: Bool { pthread_getspecific(key) != nil }

    /// Marks the current thread while `body` runs.
    package static func run(_ body: () -> Void) {
        pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, nil) }
        body()
    }
}
