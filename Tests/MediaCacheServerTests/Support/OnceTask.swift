import Synchronization

/// A task that is started by the first caller, and that other callers can wait for.
final class OnceTask: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func start(_ work: @escaping @Sendable () async -> Void) {
        task.withLock { task in
            if task == nil { task = Task { await work() } }
        }
    }

    func finish() async { await task.withLock { $0 }?.value }
}
