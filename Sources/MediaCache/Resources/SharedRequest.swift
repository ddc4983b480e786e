import Synchronization

/// A request that several wait for. Each may stop waiting for itself; when the last one has, the request is cancelled.
final class SharedRequest<Value: Sendable>: Sendable {
    private struct State {
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Value?, any Error>] = [:]
        /// How urgent it is to each who has come and not gone; those about to wait among them.
        var classes: [Int: TransferClass] = [:]
        var outcome: Result<Value?, any Error>?
        /// Set when the last waiter has gone before the end. Who comes later waits for the end, and tries anew.
        var isAbandoned = false
        /// Whether the request goes on when the last waiter has gone.
        var outlivesWaiters = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let ticket: TransferScheduler.Ticket?

    /// - Parameter ticket: the request's place in the scheduler's queue, if it has one.
    init(ticket: TransferScheduler.Ticket? = nil, _ work: @escaping @Sendable () async throws -> Value) {
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

    /// How many wait at this moment.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Returns at the end of the request, or throws its error; throws `CancellationError` as soon as the task is
    /// cancelled.
    ///
    /// - Parameter transferClass: how urgent it is to this one. The request is as urgent as to the most urgent who waits.
    /// - Returns: its result; nil if the request was cancelled because those before had gone: it's to be tried anew.
    func wait(_ transferClass: TransferClass = .background) async throws -> Value? {
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

    /// The same, but when the last one stops waiting, it returns only when the request, which is cancelled then, has
    /// ended: nothing of it goes on behind who left.
    ///
    /// - Parameter afterAbandoned: called once it has.
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

    /// Lets the request go on to its end even without waiters.
    func outliveWaiters() { state.withLock { $0.outlivesWaiters = true } }

    /// How urgent it is to the most urgent waiter; nil without any.
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
