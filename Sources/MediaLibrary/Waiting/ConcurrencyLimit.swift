import Synchronization

/// A limit on concurrent asynchronous operations. Operations beyond the limit wait and start in call order.
package final class ConcurrencyLimit: Sendable {
    /// The error for an operation that is refused because too many operations are waiting.
    package struct Exceeded: Error, Hashable {
        package init() {}
    }

    private struct State {
        var running = 0
        var nextID = 0
        /// The waiting operations, in the order in which they start.
        var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    /// The maximum number of operations that run at the same time.
    private let count: Int
    private let maximumWaiting: Int
    private let state = Mutex(State())

    package init(_ count: Int = 1, maximumWaiting: Int = .max) {
        self.count = count
        self.maximumWaiting = maximumWaiting
    }

    /// Runs an operation as soon as fewer than the maximum number of operations are running. Throws the errors of the
    /// operation, `CancellationError` if the task is cancelled before the operation starts, and ``Exceeded`` if too
    /// many operations are waiting.
    package func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
    ) async throws -> Result {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(id, $0, isCancellable: true) }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            cancelled?.resume(throwing: CancellationError())
        }
        defer { leave() }
        try Task.checkCancellation()
        return try await operation()
    }

    /// Runs an operation like ``run(isolation:_:)``, but also in a cancelled task, and regardless of the number of
    /// waiting operations.
    package func runUncancelled<Result>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
    ) async rethrows -> Result {
        _ = try? await withCheckedThrowingContinuation { enter(0, $0, isCancellable: false) }
        defer { leave() }
        return try await operation()
    }

    private func enter(_ id: Int, _ continuation: CheckedContinuation<Void, any Error>, isCancellable: Bool) {
        let result = state.withLock { state -> Result<Void, any Error>? in
            if isCancellable, Task.isCancelled { return .failure(CancellationError()) }
            if state.running < count {
                state.running += 1
                return .success(())
            }
            if isCancellable, state.waiting.count >= maximumWaiting { return .failure(Exceeded()) }
            state.waiting.append((id, continuation))
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.running -= 1
            return nil
        }
        next?.resume()
    }
}
