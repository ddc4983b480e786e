import Synchronization

/// A request shared by several callers. Each caller can stop waiting. When the last one does, the request is cancelled,
/// except after ``outliveWaiters()``.
package final class SharedRequest<Value: Sendable>: Sendable {
    private struct State {
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Value?, any Error>] = [:]
        /// The transfer classes of the callers that haven't left, including those about to wait.
        var classes: [Int: TransferClass] = [:]
        var outcome: Result<Value?, any Error>?
        /// Whether the last caller left before the end. A later caller waits for the end, then starts another request.
        var isAbandoned = false
        /// Whether the request continues without callers.
        var outlivesWaiters = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let ticket: TransferScheduler.Ticket?

    /// Creates a request with the ticket of its transfer, if it has one, and starts it.
    package init(ticket: TransferScheduler.Ticket? = nil, _ work: @escaping @Sendable () async throws -> Value) {
        self.ticket = ticket
        ticket?.follow { [weak self] in self?.transferClass }
        let task = Task {
            do {
                finish(.success(try await work()))
            } catch {
                finish(.failure(error))
            }
        }
        state.withLock { $0.task = task }
    }

    /// Whether the request has ended, or was cancelled because the last caller left.
    package var isOver: Bool { state.withLock { $0.outcome != nil || $0.isAbandoned } }

    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Waits for the result of the request.
    ///
    /// - Parameter transferClass: The caller's class. The request has the highest class of its callers.
    /// - Returns: The result; nil if the request was cancelled because all earlier callers had left. The caller should
    ///   then start another one.
    /// - Throws: The request's error; `CancellationError` as soon as the task is cancelled.
    package func wait(_ transferClass: TransferClass = .background) async throws -> Value? {
        let id = state.withLock { state in
            state.nextID += 1
            state.classes[state.nextID] = transferClass
            return state.nextID
        }
        ticket?.classChanged()
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
                state.classes[id] = nil
                let isLast = state.classes.isEmpty && state.outcome == nil && !state.outlivesWaiters
                if isLast { state.isAbandoned = true }
                return (state.waiters.removeValue(forKey: id), isLast ? state.task : nil)
            }
            task?.cancel()
            ticket?.classChanged()
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Waits like ``wait(_:)``. If the task of the last caller is cancelled, also waits until the cancelled request has
    /// ended.
    ///
    /// - Parameter afterAbandoned: Called after the end of a cancelled request.
    func waitOrSeeEnd(
        _ transferClass: TransferClass = .background, afterAbandoned: () async -> Void = {}
    ) async throws -> Value? {
        do {
            return try await wait(transferClass)
        } catch let error as CancellationError {
            let (isAbandoned, task) = state.withLock { ($0.isAbandoned, $0.task) }
            if isAbandoned {
                await task?.value
                await afterAbandoned()
            }
            throw error
        }
    }

    /// Prevents the cancellation of the request when the last caller leaves.
    func outliveWaiters() { state.withLock { $0.outlivesWaiters = true } }

    /// The highest transfer class of the callers; nil if there are none.
    private var transferClass: TransferClass? { state.withLock { $0.classes.values.max() } }

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
