import Synchronization

/// A mutual exclusion of asynchronous operations, which run one at a time in the order of their calls.
package final class Turns: Sendable {
    private struct State {
        var isLocked = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Creates an exclusion without operations.
    package init() {}

    /// Runs `work` after all earlier operations have ended.
    package func take<Result>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
    ) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isAcquired = state.withLock { state in
                if state.isLocked {
                    state.waiting.append(continuation)
                    return false
                }
                state.isLocked = true
                return true
            }
            if isAcquired { continuation.resume() }
        }
        defer { release() }
        return try await work()
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isLocked = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
