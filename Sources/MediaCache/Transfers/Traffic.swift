import Synchronization

/// Keeps transfers that run out of each other's way: bandwidth limits, and what plays before what doesn't.
///
/// A transfer asks for its turn before it takes bytes, and pays for them after. What isn't playback holds back while
/// what plays is short of bytes from the same host; if that lasts, it lets its connection go. Trouble with one host
/// doesn't stop transfers from others.
package final class Traffic: Sendable {
    private struct State {
        var ledger: BandwidthLedger
        /// Changes with the limits.
        var epoch = 0
        /// By host; nil is the need that holds for every host.
        var needs: [String?: Need] = [:]
        var meter = ThroughputMeter()
        var hosts: [String: Host] = [:]
        var nextID = 0
        /// What runs and may have to hold back, and how it lets its connection go.
        var running: [Int: Running] = [:]
        var waiting: [Int: Waiter] = [:]
        /// Looks after those that hold back.
        var watch: Task<Void, Never>?

        mutating func takeID() -> Int {
            nextID += 1
            return nextID
        }

        private func needs(at host: String) -> [Need] { [needs[nil], needs[host]].compactMap(\.self) }

        /// Whether transfers from `host` that aren't playback hold back.
        func isHolding(_ host: String, now: Duration) -> Bool {
            needs(at: host).contains { $0.playback.isHolding(now: now) }
        }

        /// Whether those that hold back are to let their connections go.
        func isUrgent(_ host: String, now: Duration) -> Bool {
            needs(at: host).contains { $0.playback.isHolding(now: now) && $0.playback.isUrgent(now: now) }
        }
    }

    /// How short of bytes playback from one host is.
    private struct Need {
        var playback = PlaybackNeed()
        /// Whether connections have been let go since what plays got short.
        var hasLetGo = false
    }

    private struct Running {
        var host: String
        var letGo: @Sendable () -> Void
    }

    /// What isn't playback takes of one host.
    private struct Host {
        var governor = LatencyGovernor()
        var account = BandwidthLedger.Account()
        var meter = ThroughputMeter(halfLife: 1)
    }

    private struct Waiter {
        var ticket: TransferScheduler.Ticket
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// How long a transfer sleeps at most before it looks whether limits or classes have changed.
    private static let longestSleep = Duration.milliseconds(100)
    /// What the governor's rate may be owed at most.
    private static let longestDebt = Duration.seconds(1)
    /// Transfers that held back come back one after another.
    private static let comebackInterval = Duration.milliseconds(40)

    /// More hosts than this aren't remembered.
    private static let hostCapacity = 256

    private let time: any TimeSource
    private let isGoverned: Bool
    private let state: OrderedMutex<State>

    /// - Parameter isGoverned: whether what isn't playback makes way for others on the link (``LatencyGovernor``).
    package init(limits: BandwidthLimits, isGoverned: Bool, time: any TimeSource) {
        self.time = time
        self.isGoverned = isGoverned
        state = OrderedMutex(.traffic, State(ledger: BandwidthLedger(limits: limits)))
    }

    deinit {
        state.withLock { $0.watch?.cancel() }
    }

    // MARK: - Bandwidth

    /// How many bytes a second transfers may take. Those that run follow a change at once.
    package var limits: BandwidthLimits {
        get { state.withLock { $0.ledger.limits } }
        set {
            state.withLock { state in
                state.ledger.limits = newValue
                state.epoch += 1
            }
        }
    }

    /// How fast bytes came lately; nil if that isn't known.
    package var throughput: ThroughputEstimate? {
        let (wallClock, now) = (time.now, time.monotonic)
        return state.withLock { $0.meter.estimate(wallClock: wallClock, now: now) }
    }

    /// What was measured was of another network.
    package func networkChanged() {
        state.withLock { state in
            state.meter = ThroughputMeter()
            state.hosts = [:]
        }
    }

    /// A host has answered a request.
    ///
    /// - Parameter latency: from the request to the response's head.
    func answered(by host: String, after latency: Duration) {
        guard isGoverned else { return }
        let now = time.monotonic
        state.withLock { state in
            if state.hosts[host] == nil, state.hosts.count >= Self.hostCapacity { state.hosts = [:] }
            var known = state.hosts[host] ?? Host()
            // Who waits behind what plays tells nothing of what holds back.
            let delivered = state.isHolding(host, now: now) ? nil : known.meter.bytesPerSecond
            known.governor.answered(after: latency, delivered: delivered, now: now)
            state.hosts[host] = known
        }
    }

    /// Bytes have been taken. Returns when the next may be.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func pay(_ bytes: Int, by ticket: TransferScheduler.Ticket) async throws {
        let (now, transferClass) = (time.monotonic, ticket.transferClass)
        let (end, epoch) = state.withLock { state in
            state.meter.add(Int64(bytes), now: now)
            let paid = state.ledger.charge(Int64(bytes), transferClass, now: now)
            guard transferClass.holdsBack, var host = state.hosts[ticket.host] else { return (paid, state.epoch) }
            host.meter.add(Int64(bytes), now: now)
            var governed = now
            if let rate = host.governor.rate(at: now) {
                governed = host.account.charge(Int64(bytes), rate: rate, now: now, debt: Self.longestDebt)
            }
            state.hosts[ticket.host] = host
            return (max(paid ?? now, governed), state.epoch)
        }
        guard let end else { return }
        while true {
            let left = end - time.monotonic
            guard left > .zero, state.withLock({ $0.epoch }) == epoch, ticket.transferClass == transferClass else {
                return
            }
            try await time.sleep(for: min(left, Self.longestSleep))
        }
    }

    // MARK: - What plays

    /// Returns when the transfer may take bytes, at once unless it holds back for what plays.
    ///
    /// - Parameter letGo: called where it would hold a connection for too long.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func turn(of ticket: TransferScheduler.Ticket, letGo: () async -> Void = {}) async throws {
        let now = time.monotonic
        let host = ticket.host
        let (isHolding, isUrgent) = state.withLock { ($0.isHolding(host, now: now), $0.isUrgent(host, now: now)) }
        guard isHolding, ticket.transferClass.holdsBack else { return }
        if isUrgent { await letGo() }
        let id = state.withLock { $0.takeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let now = time.monotonic
                // Resumed outside the lock: a task that is being cancelled comes here with its own held.
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    guard state.isHolding(host, now: now) else { return .success(()) }
                    state.waiting[id] = Waiter(ticket: ticket, continuation: continuation)
                    startWatch(&state)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
                // The class may have been raised before the transfer was listed as waiting.
                if !ticket.transferClass.holdsBack { resume([id]) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiting.removeValue(forKey: id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func resume(_ ids: [Int]) {
        let waiters = state.withLock { state in ids.compactMap { state.waiting.removeValue(forKey: $0) } }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// The next bytes of a transfer that has entered, or nil at their end, once it may go on: one that isn't what plays
    /// any more may have to wait for its place again, or hold back, without a connection.
    ///
    /// - Parameters:
    ///   - ifWanted: whether the transfer is wanted. One that isn't wanted keeps its connection while it holds back, since it
    ///     doesn't open another, until a transfer of a higher class takes its place.
    ///   - holdsBack: whether it holds back at all, as its class says.
    /// - Throws: what the reader does; `CacheError` with `cancelled` if it isn't wanted and would have to wait for a place.
    func next(
        of reader: OriginReader, by ticket: TransferScheduler.Ticket, ifWanted: () -> Bool = { true },
        holdsBack: () -> Bool = { true }
    ) async throws -> OriginPiece? {
        while true {
            let isAdmitted = ticket.isAdmittedNow()
            if !isAdmitted {
                guard ifWanted() else { throw CacheError(.cancelled, "the transfer was abandoned") }
                await reader.close()
                try await ticket.admission()
            }
            if holdsBack() { try await turn(of: ticket) { if ifWanted() { await reader.close() } } }
            do {
                return try await reader.next()
            } catch is OriginReader.ConnectionLetGo {}
        }
    }

    /// How many transfers hold back.
    package var holdingCount: Int { state.withLock { $0.waiting.count } }

    /// A transfer has a connection, which is let go when what plays has been short of bytes for some time. Returns what
    /// ``leave(_:)`` takes.
    ///
    /// - Parameter ifWanted: as in ``next(of:by:ifWanted:)``.
    func enter(
        of ticket: TransferScheduler.Ticket, _ reader: OriginReader,
        ifWanted: @escaping @Sendable () -> Bool = { true }
    ) -> Int {
        state.withLock { state in
            let id = state.takeID()
            state.running[id] = Running(host: ticket.host) {
                if ticket.transferClass.holdsBack, ifWanted() { Task { await reader.letGo() } }
            }
            if state.needs.values.contains(where: { $0.playback.waiting > 0 }) { startWatch(&state) }
            return id
        }
    }

    /// The transfer has ended.
    func leave(_ id: Int) {
        // Let go of outside the lock: with it goes a ticket.
        let left = state.withLock { $0.running.removeValue(forKey: id) }
        withExtendedLifetime(left) {}
    }

    /// A transfer has become another class: one that plays doesn't hold back.
    func classesChanged() {
        // A ticket's class is the scheduler's: its lock isn't taken under this one.
        let waiting = state.withLock { $0.waiting.mapValues(\.ticket) }
        resume(waiting.filter { !$0.value.transferClass.holdsBack }.map(\.key))
    }

    /// A reader of what plays waits for bytes from `host`; nil for a wait that concerns every host.
    func shortageBegan(at host: String?) {
        let now = time.monotonic
        state.withLock { state in
            if state.needs[host] == nil, state.needs.count >= Self.hostCapacity {
                state.needs = state.needs.filter { $0.value.playback.waiting > 0 }
            }
            var need = state.needs[host] ?? Need()
            if !need.playback.isHolding(now: now) { need.hasLetGo = false }
            need.playback.begin(now: now)
            state.needs[host] = need
            if !state.running.isEmpty || !state.waiting.isEmpty { startWatch(&state) }
        }
    }

    /// The reader doesn't wait any more.
    func shortageEnded(at host: String?) {
        let now = time.monotonic
        let back = state.withLock { state in
            state.needs[host]?.playback.end(now: now)
            // Those that held back for no time at all.
            return state.waiting.filter { !state.isHolding($0.value.ticket.host, now: now) }.map(\.key)
        }
        resume(back)
    }

    // MARK: - Watching

    private enum Step {
        case sleep(Duration)
        case letGo([@Sendable () -> Void])
        case comeBack(CheckedContinuation<Void, any Error>)
        case end
    }

    private func startWatch(_ state: inout State) {
        guard state.watch == nil else { return }
        state.watch = Task { [weak self, time] in
            // Not held while it sleeps: what ends meanwhile doesn't wait for a clock.
            while let step = self?.nextStep() {
                switch step {
                case .sleep(let duration): guard (try? await time.sleep(for: duration)) != nil else { return }
                case .letGo(let calls): for call in calls { call() }
                case .comeBack(let continuation):
                    continuation.resume()
                    guard (try? await time.sleep(for: Self.comebackInterval)) != nil else { return }
                case .end: return
                }
            }
        }
    }

    private func nextStep() -> Step {
        let now = time.monotonic
        return state.withLock { state in
            let free = state.waiting.filter { !state.isHolding($0.value.ticket.host, now: now) }
            if let first = free.keys.min(), let waiter = state.waiting.removeValue(forKey: first) {
                return .comeBack(waiter.continuation)
            }
            let holding = state.needs.filter { $0.value.playback.isHolding(now: now) }
            guard !holding.isEmpty else {
                state.watch = nil
                return .end
            }
            let urgent = holding.filter { !$0.value.hasLetGo && $0.value.playback.isUrgent(now: now) }
            if !urgent.isEmpty {
                for host in urgent.keys { state.needs[host]?.hasLetGo = true }
                let running = state.running.values.filter { urgent[$0.host] != nil || urgent[nil] != nil }
                return .letGo(running.map(\.letGo))
            }
            let calm = holding.values.compactMap(\.playback.calmFrom).min().map { $0 - now } ?? PlaybackNeed.patience
            return .sleep(min(max(calm, .milliseconds(1)), PlaybackNeed.patience))
        }
    }
}
