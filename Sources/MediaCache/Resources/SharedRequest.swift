import Synchronization

/// A request that several wait for. Each may stop waiting for itself; when the last one has, the request is cancelled.
final class SharedRequest<Value: Sendable>: Sendable {
    private struct State {
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Value?, any Error>] = [:]
        /// How many have come and not gone; those about to wait among them.
        var count = 0
        var outcome: Result<Value?, any Error>?
        /// Set when the last waiter has gone before the end. Who comes later waits for the end, and tries anew.
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let ticket: TransferScheduler.Ticket?

    /// - Parameter ticket: the request's place in the scheduler's queue, if it has one.
    init(ticket: TransferScheduler.Ticket? = nil, _ work: @escaping @Sendable () async throws -> Value) {
        self.ticket = ticket
        let task = Task {
            do {
                finish(.success(try await work()))
            } catch {
                finish(.failure(error))
            }
        }
        state.withLock { $0.task = task }
    }

    /// How many wait at this moment.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Someone more urgent waits now.
    func raise(to transferClass: TransferClass) { ticket?.raise(to: transferClass) }

    /// Returns at the end of the request, or throws its error; throws `CancellationError` as soon as the task is
    /// cancelled.
    ///
    /// - Returns: its result; nil if the request was cancelled because those before had gone: it's to be tried anew.
    func wait() async throws -> Value? {
        let id = state.withLock { state in
            state.nextID += 1
            state.count += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value?, any Error>) in
                let outcome = state.withLock { state -> Result<Value?, any Error>? in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let (waiter, task) = state.withLock {
                state -> (CheckedContinuation<Value?, any Error>?, Task<Void, Never>?) in
                state.count -= 1
                let isLast = state.count == 0 && state.outcome == nil
                if isLast { state.isAbandoned = true }
                return (state.waiters.removeValue(forKey: id), isLast ? state.task : nil)
            }
            task?.cancel()
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func finish(_ outcome: Result<Value?, any Error>) {
        let (waiters, outcome) = state.withLock { state in
            let outcome = state.isAbandoned ? .success(nil) : outcome
            state.outcome = outcome
            state.task = nil
            defer { state.waiters = [:] }
            return (state.waiters, outcome)
        }
        for waiter in waiters.values { waiter.resume(with: outcome) }
    }
}
