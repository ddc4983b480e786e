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

    private struct Entry {
        var host: String
        var transferClass: TransferClass
        var isAdmitted = false
        /// Set while it waits.
        var continuation: CheckedContinuation<Void, any Error>?
    }

    private struct State {
        var nextOrder = 0
        /// By order of arrival.
        var entries: [Int: Entry] = [:]
        var running = 0
        var runningByHost: [String: Int] = [:]
    }

    private let limits: Limits
    private let state = Mutex(State())

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many transfers wait to be admitted.
    package var waitingCount: Int { state.withLock { $0.entries.values.count { $0.continuation != nil } } }

    /// How many transfers run.
    package var runningCount: Int { state.withLock { $0.running } }

    /// A place in the queue for one transfer. It isn't admitted yet.
    package func ticket(host: String, transferClass: TransferClass) -> Ticket {
        let order = state.withLock { state in
            state.nextOrder += 1
            state.entries[state.nextOrder] = Entry(host: host, transferClass: transferClass)
            return state.nextOrder
        }
        return Ticket(scheduler: self, order: order)
    }

    /// A place for a transfer from `url`'s scheme and authority.
    package func ticket(for url: ResourceURL, transferClass: TransferClass) -> Ticket {
        ticket(host: "\(url.scheme)://\(url.authority)", transferClass: transferClass)
    }

    /// One transfer's place in the queue, then its right to run.
    package final class Ticket: Sendable {
        private let scheduler: TransferScheduler
        private let order: Int

        init(scheduler: TransferScheduler, order: Int) {
            self.scheduler = scheduler
            self.order = order
        }

        deinit { release() }

        /// How urgent the transfer is now.
        package var transferClass: TransferClass {
            scheduler.state.withLock { $0.entries[order]?.transferClass } ?? .background
        }

        /// Returns when the transfer may run, at once if it may already; throws `CancellationError` when the task is
        /// cancelled before.
        package func admission() async throws { try await scheduler.wait(order: order) }

        /// Whether the transfer may run, or go on: one that isn't what plays any more may have to wait again.
        package func isAdmittedNow() -> Bool { scheduler.isAdmittedNow(order: order) }

        /// Changes the class, as when a player starts to read what was a download, or leaves it again.
        ///
        /// - Parameter transferClass: gives the new class for the one before. Called inside the scheduler's lock, so that
        ///   of two changes at once the later one counts.
        package func change(_ transferClass: (TransferClass) -> TransferClass) {
            scheduler.change(order: order, transferClass)
        }

        /// Gives the right to run to the next in the queue, to take it again later.
        package func giveBack() { scheduler.giveBack(order: order) }

        /// Gives the place up for good. May be called more than once.
        package func release() { scheduler.release(order: order) }
    }

    private func wait(order: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let admitted = state.withLock { state -> [CheckedContinuation<Void, any Error>]? in
                    guard !Task.isCancelled, let entry = state.entries[order] else { return nil }
                    if entry.isAdmitted { return [continuation] }
                    state.entries[order]?.continuation = continuation
                    return admit(&state)
                }
                guard let admitted else { return continuation.resume(throwing: CancellationError()) }
                for continuation in admitted { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                defer { state.entries[order]?.continuation = nil }
                return state.entries[order]?.continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    private func isAdmittedNow(order: Int) -> Bool {
        state.withLock { state in
            guard let entry = state.entries[order] else { return false }
            if entry.isAdmitted { return true }
            // Whoever waits and could have had this place has it.
            guard isFree(for: entry, state) else { return false }
            take(order, &state)
            return true
        }
    }

    private func change(order: Int, _ change: (TransferClass) -> TransferClass) {
        let admitted = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            guard let entry = state.entries[order] else { return [] }
            let transferClass = change(entry.transferClass)
            guard entry.transferClass != transferClass else { return [] }
            state.entries[order]?.transferClass = transferClass
            // The reserve is for what plays: what it let in over the limits has to wait its turn once it doesn't.
            let isOver =
                state.running > limits.total || state.runningByHost[entry.host, default: 0] > limits.perHost
            if entry.isAdmitted, transferClass != .playback, isOver { giveBack(order, &state) }
            return admit(&state)
        }
        for continuation in admitted { continuation.resume() }
    }

    private func giveBack(order: Int) {
        let admitted = state.withLock { state in
            giveBack(order, &state)
            return admit(&state)
        }
        for continuation in admitted { continuation.resume() }
    }

    private func release(order: Int) {
        let (waiting, admitted) = state.withLock { state in
            giveBack(order, &state)
            let entry = state.entries.removeValue(forKey: order)
            return (entry?.continuation, admit(&state))
        }
        waiting?.resume(throwing: CancellationError())
        for continuation in admitted { continuation.resume() }
    }

    // MARK: - Places

    /// Takes out of the queue whoever may run now.
    private func admit(_ state: inout State) -> [CheckedContinuation<Void, any Error>] {
        let queue = state.entries.filter { $0.value.continuation != nil }
            .sorted { ($1.value.transferClass, $0.key) < ($0.value.transferClass, $1.key) }
        var admitted: [CheckedContinuation<Void, any Error>] = []
        for (order, entry) in queue where isFree(for: entry, state) {
            take(order, &state)
            state.entries[order]?.continuation = nil
            if let continuation = entry.continuation { admitted.append(continuation) }
        }
        return admitted
    }

    private func isFree(for entry: Entry, _ state: State) -> Bool {
        let reserve = entry.transferClass == .playback ? limits.playbackReserve : 0
        return state.running < limits.total + reserve
            && state.runningByHost[entry.host, default: 0] < limits.perHost + reserve
    }

    private func take(_ order: Int, _ state: inout State) {
        guard let host = state.entries[order]?.host else { return }
        state.entries[order]?.isAdmitted = true
        state.running += 1
        state.runningByHost[host, default: 0] += 1
    }

    private func giveBack(_ order: Int, _ state: inout State) {
        guard let entry = state.entries[order], entry.isAdmitted else { return }
        state.entries[order]?.isAdmitted = false
        state.running -= 1
        let left = state.runningByHost[entry.host, default: 1] - 1
        state.runningByHost[entry.host] = left > 0 ? left : nil
    }
}
