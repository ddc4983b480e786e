internal import Dispatch
internal import Synchronization

/// Blocking operations, such as file access, outside the cooperative thread pool.
package enum BlockingOperation {
    /// Runs `body` on a separate thread, and suspends until it returns, even if the task is cancelled.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(with: Swift.Result { try body() })
            }
        }
    }

    /// Runs `body` on a separate thread with a control that cancels it when the task is cancelled.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable (OperationControl) throws -> Result
    ) async throws -> Result {
        let control = OperationControl()
        return try await withTaskCancellationHandler {
            try await run { try body(control) }
        } onCancel: {
            control.cancel()
        }
    }
}

/// A link between a blocking operation and its task: a check for cancellation, and a wait for asynchronous calls.
package final class OperationControl: Sendable {
    private struct State {
        var isCancelled = false
        var call: Task<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Cancels the operation's current asynchronous call. Later calls to ``check()`` and ``wait(for:)`` throw.
    package func cancel() {
        let call = state.withLock { state in
            state.isCancelled = true
            return state.call
        }
        call?.cancel()
    }

    /// Throws `CancellationError` if the operation is cancelled.
    package func check() throws { if state.withLock({ $0.isCancelled }) { throw CancellationError() } }

    /// Blocks the current thread, which must not belong to the cooperative pool, until an asynchronous call returns.
    /// Throws the errors of `body`, and `CancellationError` if the operation was cancelled before the call.
    package func wait<Value: Sendable>(for body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = CallOutcome<Value>()
        let done = DispatchSemaphore(value: 0)
        let isCancelled = state.withLock { state in
            guard !state.isCancelled else { return true }
            state.call = Task {
                do {
                    outcome.set(.success(try await body()))
                } catch {
                    outcome.set(.failure(error))
                }
                done.signal()
            }
            return false
        }
        if isCancelled { throw CancellationError() }
        done.wait()
        state.withLock { $0.call = nil }
        guard let result = outcome.value else { throw CancellationError() }
        return try result.get()
    }
}

private final class CallOutcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    var value: Result<Value, any Error>? { result.withLock { $0 } }

    func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
}
