import Synchronization

/// Decides when each transfer may run: so many in all, so many to one host, the highest class first, and within a class
/// in order of arrival.
public final class TransferScheduler: Sendable {
    /// How many transfers run at once.
    public struct Limits: Sendable, Hashable {
        /// In all. 64 unless set.
        public var total: Int
        /// To one scheme and authority. 6 unless set.
        public var perHost: Int
        /// How many more may run over both limits for ``TransferClass/playback``, so that what plays never waits for
        /// what doesn't. 4 unless set.
        public var playbackReserve: Int

        /// Creates limits.
        public init(total: Int = 64, perHost: Int = 6, playbackReserve: Int = 4) {
            self.total = total
            self.perHost = perHost
            self.playbackReserve = playbackReserve
        }
    }

    private struct Waiting {
        var order: Int
        var host: String
        var transferClass: TransferClass
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var nextOrder = 0
        var running = 0
        var runningByHost: [String: Int] = [:]
        var waiting: [Int: Waiting] = [:]
    }

    private let limits: Limits
    private let state = Mutex(State())

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many transfers wait to be admitted.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// A place in the queue for one transfer. It isn't admitted yet.
    package func ticket(host: String, transferClass: TransferClass) -> Ticket {
        let order = state.withLock { state in
            state.nextOrder += 1
            return state.nextOrder
        }
        return Ticket(scheduler: self, order: order, host: host, transferClass: transferClass)
    }

    /// A place for a transfer from `url`'s scheme and authority.
    package func ticket(for url: ResourceURL, transferClass: TransferClass) -> Ticket {
        ticket(host: "\(url.scheme)://\(url.authority)", transferClass: transferClass)
    }

    /// One transfer's place in the queue, then its right to run.
    package final class Ticket: Sendable {
        private enum Phase { case idle, admitted, released }

        private let scheduler: TransferScheduler
        private let order: Int
        private let host: String
        private let phase: Mutex<(phase: Phase, transferClass: TransferClass)>

        init(scheduler: TransferScheduler, order: Int, host: String, transferClass: TransferClass) {
            self.scheduler = scheduler
            self.order = order
            self.host = host
            phase = Mutex((.idle, transferClass))
        }

        deinit { release() }

        /// Returns when the transfer may run; throws `CancellationError` when the task is cancelled before.
        package func admission() async throws {
            try await scheduler.wait(order: order, host: host) { phase.withLock { $0.transferClass } }
            phase.withLock { $0.phase = .admitted }
        }

        /// Changes the class, as when a player starts to read what was a download.
        package func change(to transferClass: TransferClass) {
            phase.withLock { $0.transferClass = transferClass }
            scheduler.change(order: order, to: transferClass)
        }

        /// Changes the class if the new one is higher.
        package func raise(to transferClass: TransferClass) {
            if phase.withLock({ $0.transferClass < transferClass }) { change(to: transferClass) }
        }

        /// Gives the place to the next in the queue. May be called more than once.
        package func release() {
            let wasAdmitted = phase.withLock { state in
                defer { state.phase = .released }
                return state.phase == .admitted
            }
            if wasAdmitted { scheduler.finished(host: host) }
        }
    }

    /// - Parameter transferClass: asked when the place is taken, so that a change just before isn't lost.
    private func wait(order: Int, host: String, transferClass: () -> TransferClass) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let admitted = state.withLock { state -> [Waiting]? in
                    guard !Task.isCancelled else { return nil }
                    state.waiting[order] = Waiting(
                        order: order, host: host, transferClass: transferClass(), continuation: continuation)
                    return admit(&state)
                }
                guard let admitted else { return continuation.resume(throwing: CancellationError()) }
                for waiting in admitted { waiting.continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { $0.waiting.removeValue(forKey: order) }
            waiting?.continuation.resume(throwing: CancellationError())
        }
    }

    private func change(order: Int, to transferClass: TransferClass) {
        let admitted = state.withLock { state in
            state.waiting[order]?.transferClass = transferClass
            return admit(&state)
        }
        for waiting in admitted { waiting.continuation.resume() }
    }

    private func finished(host: String) {
        let admitted = state.withLock { state in
            state.running -= 1
            let left = (state.runningByHost[host] ?? 1) - 1
            state.runningByHost[host] = left > 0 ? left : nil
            return admit(&state)
        }
        for waiting in admitted { waiting.continuation.resume() }
    }

    /// Takes out of the queue whoever may run now.
    private func admit(_ state: inout State) -> [Waiting] {
        guard !state.waiting.isEmpty else { return [] }
        var admitted: [Waiting] = []
        let queue = state.waiting.values.sorted { ($1.transferClass, $0.order) < ($0.transferClass, $1.order) }
        for waiting in queue {
            let reserve = waiting.transferClass == .playback ? limits.playbackReserve : 0
            guard state.running < limits.total + reserve,
                state.runningByHost[waiting.host, default: 0] < limits.perHost + reserve
            else { continue }
            state.running += 1
            state.runningByHost[waiting.host, default: 0] += 1
            state.waiting[waiting.order] = nil
            admitted.append(waiting)
        }
        return admitted
    }
}
