internal import Dispatch
internal import Synchronization

/// What ties work on a thread of its own to the task that waits for it: the work learns that it's to end, and may wait
/// for asynchronous calls.
package final class WorkControl: Sendable {
    private struct State {
        var isCancelled = false
        var call: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// For work that hasn't begun.
    package init() {}

    /// The work is to end: its call under way is cancelled, and each ``check()`` throws from now on.
    package func cancel() {
        let call = state.withLock { state in
            state.isCancelled = true
            return state.call
        }
        call?.cancel()
    }

    /// - Throws: `CancellationError` if the work is to end.
    package func check() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }

    /// Waits on this thread for an asynchronous call. Never to be called on a thread that tasks share.
    ///
    /// - Throws: what `body` throws, and `CancellationError`.
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

/// Where a call leaves what came of it.
private final class CallOutcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    var value: Result<Value, any Error>? { result.withLock { $0 } }

    func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
}
