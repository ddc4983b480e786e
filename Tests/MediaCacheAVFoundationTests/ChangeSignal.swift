import Synchronization

/// A signal that resumes tasks waiting for a condition.
final class ChangeSignal: Sendable {
    private struct State {
        var changes = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Makes all waiting tasks check their condition again.
    func send() {
        let waiters = state.withLock { state in
            state.changes += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when a condition is true. It is checked immediately and after each change.
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
