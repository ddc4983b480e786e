import Synchronization

/// Decides when each transfer may run: so many in all, so many to one host and of one group; the highest class first,
/// within a class the group with the smallest rank, then the group of which the fewest run, then who came first.
///
/// The decisions are `TransferQueue`'s; this type holds the lock and wakes who may run.
public final class TransferScheduler: Sendable {
    /// How many transfers run at once.
    public struct Limits: Sendable, Hashable {
        /// In all. 64 unless set.
        public var total: Int
        /// To one scheme and authority. 6 unless set.
        public var perHost: Int
        /// How many more may run over every limit for ``TransferClass/playback``, so that what plays never waits for
        /// what doesn't. 4 unless set.
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
        /// End transfers that are abandoned, and return whether they did.
        var preemptions: [TransferQueue.ID: @Sendable () -> Bool] = [:]

        /// Gives free places away. Returns whom to wake.
        mutating func admit() -> [CheckedContinuation<Void, any Error>] {
            queue.admit().compactMap { continuations.removeValue(forKey: $0) }
        }
    }

    private let state: OrderedMutex<State>
    private let onRaise: @Sendable () -> Void

    /// - Parameter onRaise: called outside every lock of the scheduler when a transfer has become one of what plays.
    package init(limits: Limits = Limits(), onRaise: @escaping @Sendable () -> Void = {}) {
        self.onRaise = onRaise
        state = OrderedMutex(.scheduler, State(queue: TransferQueue(limits: limits)))
    }

    /// How many transfers may run. New ones follow a change at once; what runs already runs on.
    package var limits: Limits {
        get { state.withLock { $0.queue.limits } }
        set { update { $0.queue.limits = newValue } }
    }

    /// How many transfers wait to be admitted.
    package var waitingCount: Int { state.withLock { $0.queue.waitingCount } }

    /// How many transfers run.
    package var runningCount: Int { state.withLock { $0.queue.runningCount } }

    /// Whether nothing is left of any transfer.
    package var isIdle: Bool { state.withLock { $0.queue.isEmpty && $0.continuations.isEmpty } }

    /// A place in the queue for one transfer. It isn't admitted yet.
    package func ticket(host: String, transferClass: TransferClass, group: TransferGroup? = nil) -> Ticket {
        group?.attach(self)
        let id = state.withLock { state in
            state.queue.add(host: host, transferClass, group: group.map { (ObjectIdentifier($0), $0.terms) })
        }
        return Ticket(scheduler: self, id: id, host: host, group: group)
    }

    /// A place for a transfer from `url`'s scheme and authority.
    package func ticket(for url: ResourceURL, transferClass: TransferClass, group: TransferGroup? = nil) -> Ticket {
        ticket(host: url.origin, transferClass: transferClass, group: group)
    }

    /// One transfer's place in the queue, then its right to run.
    package final class Ticket: Sendable {
        private let scheduler: TransferScheduler
        private let id: TransferQueue.ID
        /// The scheme and authority it's from.
        package let host: String
        /// Whose transfer it is.
        package let group: TransferGroup?
        /// Gives the class that the transfer should have.
        private let source = Mutex<(@Sendable () -> TransferClass?)?>(nil)

        fileprivate init(scheduler: TransferScheduler, id: TransferQueue.ID, host: String, group: TransferGroup?) {
            self.scheduler = scheduler
            self.id = id
            self.host = host
            self.group = group
        }

        deinit { release() }

        /// How urgent the transfer is now.
        package var transferClass: TransferClass {
            scheduler.state.withLock { $0.queue.transferClass(of: id) } ?? .background
        }

        /// Returns when the transfer may run, at once if it may already; throws `CancellationError` when the task is
        /// cancelled before.
        package func admission() async throws { try await scheduler.wait(id) }

        /// Whether the transfer may run, or go on: one that isn't what plays any more may have to wait again.
        package func isAdmittedNow() -> Bool { scheduler.state.withLock { $0.queue.takePlace(id) } }

        /// Has the class follow `source` instead of the source before, as when a player starts to read a download.
        ///
        /// - Parameters:
        ///   - source: gives the class the transfer should have; nil leaves it as it is. Called outside every lock of the
        ///     scheduler. Call ``classChanged()`` whenever its result may have changed.
        ///   - preempt: ends the transfer if it's abandoned, and returns whether it is; called outside every lock of the
        ///     scheduler, while a transfer above the background class waits for a place like this one's.
        package func follow(
            _ source: @escaping @Sendable () -> TransferClass?, preempt: (@Sendable () -> Bool)? = nil
        ) {
            let preemptionBefore = scheduler.state.withLock { state in
                defer { state.preemptions[id] = state.queue.contains(id) ? preempt : nil }
                return state.preemptions[id]
            }
            withExtendedLifetime(preemptionBefore) {}
            let before = self.source.withLock { current in
                defer { current = source }
                return current
            }
            withExtendedLifetime(before) {}
            classChanged()
        }

        /// Takes the class that the source gives now.
        package func classChanged() {
            var taken: TransferClass?
            // Of several calls at once, the last to change the class may have asked first: each asks again afterwards.
            while let transferClass = source.withLock({ $0 })?(), transferClass != taken {
                take(transferClass)
                taken = transferClass
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

        /// Gives the right to run to the next in the queue, to take it again later.
        package func giveBack() { scheduler.update { $0.queue.giveBack(id) } }

        /// Gives the place up for good. May be called more than once.
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

    /// A group's rank or limit has changed.
    func termsChanged(of group: TransferGroup) {
        update { $0.queue.change(ObjectIdentifier(group), to: group.terms) }
    }

    /// Changes something, and wakes who may run now.
    private func update(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admit()
        }
        for continuation in admitted { continuation.resume() }
    }

    /// Ends abandoned transfers that are in the way of others. Their places are free at once.
    private func preempt() {
        var asked: Set<TransferQueue.ID> = []
        func next() -> (id: TransferQueue.ID, end: @Sendable () -> Bool)? {
            state.withLock { state in
                for id in state.queue.inTheWay() where !asked.contains(id) {
                    if let end = state.preemptions[id] { return (id, end) }
                }
                return nil
            }
        }
        while let (id, end) = next() {
            asked.insert(id)
            if end() { update { $0.queue.giveBack(id) } }
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
