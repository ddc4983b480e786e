import Synchronization

/// A signal that resumes tasks waiting for a condition.
final class ChangeSignal: Sendable {
    private struct State {
        var changes = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Wakes all waiting tasks, which check their conditions again.
    func send() {
        let waiters = state.withLock { state in
            state.changes += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until a condition is true. Checks it immediately and after each change.
    func wait(until condition: () -> Bool) async {
        while true {
            let seen = state.withLock { $0.changes }
            if condition() { return }
            await withCheckedContinuation { continuation in
                let isChanged = state.withLock { state in
                    if state.changes == seen { state.waiters.append(continuation) }
                    return state.changes != seen
                }
                if isChanged { continuation.resume() }
            }
        }
    }
}
