import Synchronization

/// A scheduler of transfers with limits in total, per host and per group. It orders waiting transfers by class (highest
/// first), then by group rank (lowest first), then by the group's running transfers (fewest first), then by arrival.
///
/// `TransferQueue` makes the decisions. This type protects it with a lock, and resumes admitted transfers.
public final class TransferScheduler: Sendable {
    /// The limits of concurrent transfers.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of transfers. 64 by default.
        public var total: Int
        /// The maximum number of transfers from one origin (scheme and authority). 6 by default.
        public var perHost: Int
        /// The number of transfers by which ``TransferClass/playback`` may exceed each limit, so that it rarely waits
        /// for other transfers. 4 by default.
        public var playbackReserve: Int

        /// Creates limits.
        public init(total: Int = 64, perHost: Int = 6, playbackReserve: Int = 4) {
            self.total = total
            self.perHost = perHost
            self.playbackReserve = playbackReserve
        }
    }

    private struct State {
        var queue: TransferQueue
        var continuations: [TransferQueue.ID: CheckedContinuation<Void, any Error>] = [:]
        /// Functions that end a transfer if it's abandoned, and return whether they have ended it.
        var preemptions: [TransferQueue.ID: @Sendable () -> Bool] = [:]

        /// Admits waiting transfers while the limits permit. Returns the continuations to resume.
        mutating func admit() -> [CheckedContinuation<Void, any Error>] {
            queue.admit().compactMap { continuations.removeValue(forKey: $0) }
        }
    }

    private let state: OrderedMutex<State>
    private let onRaise: @Sendable () -> Void

    /// - Parameter onRaise: Called outside all locks of the scheduler when a transfer's class becomes one that doesn't
    ///   pause.
    package init(limits: Limits = Limits(), onRaise: @escaping @Sendable () -> Void = {}) {
        self.onRaise = onRaise
        state = OrderedMutex(.scheduler, State(queue: TransferQueue(limits: limits)))
    }

    /// The limits of concurrent transfers.
    package var limits: Limits { state.withLock { $0.queue.limits } }

    /// Changes the limits of new and waiting transfers; running ones continue. `change` is called under the lock.
    package func updateLimits(_ change: (inout Limits) -> Void) { update { change(&$0.queue.limits) } }

    /// The number of transfers waiting for admission.
    package var waitingCount: Int { state.withLock { $0.queue.waitingCount } }

    package var runningCount: Int { state.withLock { $0.queue.runningCount } }

    /// Whether there are no transfers.
    package var isIdle: Bool { state.withLock { $0.queue.isEmpty && $0.continuations.isEmpty } }

    /// Returns a ticket for a transfer, which isn't admitted yet.
    package func ticket(host: String, transferClass: TransferClass, group: TransferGroup? = nil) -> Ticket {
        group?.attach(self)
        let id = state.withLock { state in
            state.queue.add(host: host, transferClass, group: group.map { (ObjectIdentifier($0), $0.terms) })
        }
        return Ticket(scheduler: self, id: id, host: host, group: group)
    }

    /// Returns a ticket for a transfer from the origin of `url`.
    package func ticket(for url: ResourceURL, transferClass: TransferClass, group: TransferGroup? = nil) -> Ticket {
        ticket(host: url.origin, transferClass: transferClass, group: group)
    }

    /// A transfer's place in the queue and, once it's admitted, its permission to run.
    package final class Ticket: Sendable {
        private let scheduler: TransferScheduler
        private let id: TransferQueue.ID
        /// The scheme and authority of the origin.
        package let host: String
        /// The group of the transfer, retained because the queue identifies it by its address.
        private let group: TransferGroup?
        /// The function that returns the class that the transfer should have.
        private let source = Mutex<(@Sendable () -> TransferClass?)?>(nil)

        fileprivate init(scheduler: TransferScheduler, id: TransferQueue.ID, host: String, group: TransferGroup?) {
            self.scheduler = scheduler
            self.id = id
            self.host = host
            self.group = group
        }

        deinit { release() }

        /// The current class of the transfer.
        package var transferClass: TransferClass {
            scheduler.state.withLock { $0.queue.transferClass(of: id) } ?? .background
        }

        /// Waits until the transfer may run. Throws `CancellationError` if the task is cancelled or the ticket released
        /// first.
        package func admission() async throws { try await scheduler.wait(id) }

        /// Admits the transfer if the limits permit it, and returns whether it may run.
        package func isAdmittedNow() -> Bool { scheduler.state.withLock { $0.queue.admit(id) } }

        /// Determines the class from `source` from now on. The class may change, for example when a player starts to
        /// read a resource that is being downloaded.
        ///
        /// - Parameters:
        ///   - source: Returns the class that the transfer should have; nil leaves it unchanged. Called outside all
        ///     locks of the scheduler. Call ``classChanged()`` whenever its result may have changed.
        ///   - preempt: Ends the transfer if it's abandoned, and returns whether it has ended it. Called outside all
        ///     locks of the scheduler when a transfer above the background class waits and this one blocks it.
        package func follow(
            _ source: @escaping @Sendable () -> TransferClass?, preempt: (@Sendable () -> Bool)? = nil
        ) {
            // Exchanged, so that the previous functions are released outside the locks.
            var (newSource, newPreemption) = (Optional(source), preempt)
            scheduler.state.withLock { state in
                if state.queue.contains(id) { swap(&state.preemptions[id], &newPreemption) }
            }
            self.source.withLock { swap(&$0, &newSource) }
            classChanged()
        }

        /// Updates the class from the source.
        package func classChanged() {
            var current: TransferClass?
            // With concurrent calls, the last call to set the class may have queried the source before the others. Each
            // call therefore queries it again.
            while let transferClass = source.withLock({ $0 })?(), transferClass != current {
                take(transferClass)
                current = transferClass
            }
        }

        private func take(_ transferClass: TransferClass) {
            var isRaised = false
            scheduler.update { state in
                guard let before = state.queue.transferClass(of: id) else { return }
                state.queue.change(id, to: transferClass)
                isRaised = before.holdsBack && !transferClass.holdsBack
            }
            if isRaised { scheduler.onRaise() }
            scheduler.preempt()
        }

        /// Ends the admission without removing the transfer from the queue. It can be admitted again later.
        package func endAdmission() { scheduler.update { $0.queue.endAdmission(id) } }

        /// Removes the transfer from the queue. Further calls have no effect.
        package func release() {
            var waiting: CheckedContinuation<Void, any Error>?
            var preemption: (@Sendable () -> Bool)?
            scheduler.update { state in
                state.queue.remove(id)
                waiting = state.continuations.removeValue(forKey: id)
                preemption = state.preemptions.removeValue(forKey: id)
            }
            withExtendedLifetime(preemption) {}
            waiting?.resume(throwing: CancellationError())
        }
    }

    /// Applies a changed rank or limit of a group.
    func termsChanged(of group: TransferGroup) {
        update { $0.queue.change(ObjectIdentifier(group), to: group.terms) }
    }

    /// Changes the state, and resumes the transfers admitted as a result.
    private func update(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admit()
        }
        for continuation in admitted { continuation.resume() }
    }

    /// Ends abandoned transfers that block waiting ones, and admits the waiting ones immediately.
    private func preempt() {
        var visited: Set<TransferQueue.ID> = []
        func next() -> (id: TransferQueue.ID, end: @Sendable () -> Bool)? {
            state.withLock { state in
                for id in state.queue.blockers() where !visited.contains(id) {
                    if let end = state.preemptions[id] { return (id, end) }
                }
                return nil
            }
        }
        while let (id, end) = next() {
            visited.insert(id)
            if end() { update { $0.queue.endAdmission(id) } }
        }
    }

    private func wait(_ id: TransferQueue.ID) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let admitted = state.withLock { state -> [CheckedContinuation<Void, any Error>]? in
                    guard !Task.isCancelled, state.queue.contains(id) else { return nil }
                    if state.queue.isRunning(id) { return [continuation] }
                    state.continuations[id] = continuation
                    state.queue.wait(id)
                    return state.admit()
                }
                guard let admitted else { return continuation.resume(throwing: CancellationError()) }
                for continuation in admitted { continuation.resume() }
                preempt()
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.queue.stopWaiting(id)
                return state.continuations.removeValue(forKey: id)
            }
            continuation?.resume(throwing: CancellationError())
        }
    }
}
