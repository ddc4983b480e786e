import Synchronization

/// A signal for tasks that wait for a change of a state. The state is protected by a lock of its own.
final class ChangeSignal: Sendable {
    private let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])

    /// Waits while `condition` holds. Evaluates it again after each ``send()`` and when the task is cancelled.
    func wait(while condition: () -> Bool) async {
        // If each iteration installed a handler, two cancelled tasks would wake each other endlessly.
        await withTaskCancellationHandler {
            while condition() {
                await withCheckedContinuation { continuation in
                    waiters.withLock { $0.append(continuation) }
                    // A signal sent before the continuation was added would not resume it.
                    if !condition() { send() }
                }
            }
        } onCancel: {
            send()
        }
    }

    /// Resumes all waiting tasks.
    func send() {
        for waiter in waiters.withLock({ exchange(&$0, with: []) }) { waiter.resume() }
    }
}
