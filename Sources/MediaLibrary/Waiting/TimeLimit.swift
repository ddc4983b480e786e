internal import Synchronization

/// Asynchronous work with a time limit.
package enum TimeLimit {
    /// Runs `body` and cancels it after a time limit. Returns at the limit even if `body` ignores the cancellation,
    /// such as in a system call on a hanging disk.
    ///
    /// - Returns: The result of `body`; nil if the time limit was reached.
    /// - Throws: The errors of `body`; `CancellationError`, also without waiting for `body`, if the task is cancelled.
    package static func run<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let race = Race<Value>()
        let work = Task {
            let result: Result<Value?, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            race.end(result)
        }
        let clock = Task {
            try? await Task.sleep(for: limit)
            race.end(.success(nil))
        }
        defer {
            work.cancel()
            clock.cancel()
        }
        return try await withTaskCancellationHandler {
            try await race.value()
        } onCancel: {
            race.end(.failure(CancellationError()))
        }
    }
}

/// A race that is decided by the first result.
private final class Race<Value: Sendable>: Sendable {
    private enum State {
        case running(CheckedContinuation<Value?, any Error>?)
        case over(Result<Value?, any Error>)
    }

    private let state = Mutex(State.running(nil))

    func end(_ result: Result<Value?, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value?, any Error>? in
            guard case .running(let waiter) = state else { return nil }
            state = .over(result)
            return waiter
        }
        waiter?.resume(with: result)
    }

    func value() async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state -> Result<Value?, any Error>? in
                if case .over(let result) = state { return result }
                state = .running(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
