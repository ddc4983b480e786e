import Synchronization

/// Wakes who waits for something to become so.
final class ChangeSignal: Sendable {
    private struct State {
        var changes = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Something has changed.
    func send() {
        let waiting = state.withLock { state in
            state.changes += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    /// Returns when something is so. It's looked at after each change.
    func wait(until condition: () -> Bool) async {
        while true {
            let seen = state.withLock { $0.changes }
            if condition() { return }
            await withCheckedContinuation { continuation in
                let isChanged = state.withLock { state in
                    if state.changes == seen { state.waiting.append(continuation) }
                    return state.changes != seen
                }
                if isChanged { continuation.resume() }
            }
        }
    }
}
