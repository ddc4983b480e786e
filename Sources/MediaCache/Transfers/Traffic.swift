/// A coordinator of running transfers, which applies bandwidth limits and prioritizes playback.
///
/// A transfer waits for its turn before it receives bytes, and is charged for them afterwards. Transfers other than
/// playback and recordings pause while playback waits for bytes from the same host; if the wait lasts, they close their
/// connections. Transfers from other hosts continue, except during ``CacheStore/foreground(_:)``.
package final class Traffic: Sendable {
    private struct State {
        var ledger: BandwidthLedger
        /// Incremented when the limits change.
        var epoch = 0
        /// The playback shortages by host. The key nil applies to all hosts.
        var needs: [String?: Need] = [:]
        var meter = ThroughputMeter()
        /// The throughput of all transfers from each host, by the origin of its URLs.
        var meters: [String: ThroughputMeter] = [:]
        var hosts: [String: Host] = [:]
        var nextID = 0
        /// The running transfers, which may have to close their connections.
        var running: [Int: (host: String, closeConnection: @Sendable () -> Void)] = [:]
        var waiting: [Int: (ticket: TransferScheduler.Ticket, continuation: CheckedContinuation<Void, any Error>)] = [:]
        /// The task that resumes paused transfers.
        var watch: Task<Void, Never>?

        mutating func takeID() -> Int {
            nextID += 1
            return nextID
        }

        private func needs(at host: String) -> [Need] { [needs[nil], needs[host]].compactMap(\.self) }

        /// Returns whether transfers from `host` pause if their class requires it (``TransferClass/holdsBack``).
        func isHolding(_ host: String, now: Duration) -> Bool {
            needs(at: host).contains { $0.playback.isHolding(now: now) }
        }

        /// Returns whether paused transfers from `host` should close their connections.
        func isUrgent(_ host: String, now: Duration) -> Bool {
            needs(at: host).contains { $0.playback.isHolding(now: now) && $0.playback.isUrgent(now: now) }
        }
    }

    private struct Need {
        var playback = PlaybackNeed()
        /// Whether connections have been closed since the shortage began.
        var hasClosedConnections = false
    }

    /// The rate limit of one host's transfers other than playback and recordings, and its measurements.
    private struct Host {
        var governor = LatencyGovernor()
        var account = BandwidthLedger.Account()
        var meter = ThroughputMeter(halfLife: 1)
    }

    /// The maximum sleep before checking again for changed limits or classes.
    private static let maximumSleep = Duration.milliseconds(100)
    /// The maximum debt under the governor's rate.
    private static let maximumDebt = Duration.seconds(1)
    /// The interval between resumptions of paused transfers.
    private static let retryInterval = Duration.milliseconds(40)

    /// The maximum number of hosts. When it's reached, measurements and ended shortages are discarded.
    private static let hostCapacity = 256

    private let time: any TimeSource
    private let isGoverned: Bool
    private let state: OrderedMutex<State>

    /// - Parameter isGoverned: Whether transfers other than playback and recordings yield to other traffic on the link
    ///   (``LatencyGovernor``).
    package init(limits: BandwidthLimits, isGoverned: Bool, time: any TimeSource) {
        self.time = time
        self.isGoverned = isGoverned
        state = OrderedMutex(.traffic, State(ledger: BandwidthLedger(limits: limits)))
    }

    deinit {
        state.withLock { $0.watch?.cancel() }
    }

    // MARK: - Bandwidth

    /// The bandwidth limits.
    package var limits: BandwidthLimits { state.withLock { $0.ledger.limits } }

    /// Changes the bandwidth limits. They also apply to running transfers. `change` is called under the lock.
    package func updateLimits(_ change: (inout BandwidthLimits) -> Void) {
        state.withLock { state in
            change(&state.ledger.limits)
            state.epoch += 1
        }
    }

    /// The recent throughput; nil if unknown.
    package var throughput: ThroughputEstimate? {
        let (wallClock, now) = (time.now, time.monotonic)
        return state.withLock { $0.meter.estimate(wallClock: wallClock, now: now) }
    }

    /// The recent throughput from each origin (RFC 6454), without origins whose throughput is unknown.
    package var throughputByOrigin: [String: ThroughputEstimate] {
        let (wallClock, now) = (time.now, time.monotonic)
        return state.withLock { $0.meters }.compactMapValues { $0.estimate(wallClock: wallClock, now: now) }
    }

    /// Discards measurements of the previous network.
    package func networkChanged() {
        state.withLock { state in
            state.meter = ThroughputMeter()
            state.meters = [:]
            state.hosts = [:]
        }
    }

    /// Records the time from a request to a host's response head.
    func recordLatency(of host: String, _ latency: Duration) {
        guard isGoverned else { return }
        let now = time.monotonic
        state.withLock { state in
            if state.hosts[host] == nil, state.hosts.count >= Self.hostCapacity { state.hosts = [:] }
            var known = state.hosts[host] ?? Host()
            // While transfers pause for playback, the latency doesn't depend on their rate.
            let delivered = state.isHolding(host, now: now) ? nil : known.meter.bytesPerSecond
            known.governor.record(latency: latency, delivered: delivered, now: now)
            state.hosts[host] = known
        }
    }

    /// Charges a transfer for received bytes. Returns when it may receive more; throws an error if it's cancelled.
    package func pay(_ bytes: Int, by ticket: TransferScheduler.Ticket) async throws {
        let (now, transferClass) = (time.monotonic, ticket.transferClass)
        let (end, epoch) = state.withLock { state in
            state.meter.add(Int64(bytes), now: now)
            if state.meters.count >= Self.hostCapacity, state.meters[ticket.host] == nil { state.meters = [:] }
            state.meters[ticket.host, default: ThroughputMeter()].add(Int64(bytes), now: now)
            let paid = state.ledger.charge(Int64(bytes), transferClass, now: now)
            guard transferClass.holdsBack, var host = state.hosts[ticket.host] else { return (paid, state.epoch) }
            host.meter.add(Int64(bytes), now: now)
            var governed = now
            if let rate = host.governor.rate(at: now) {
                governed = host.account.charge(Int64(bytes), rate: rate, now: now, debt: Self.maximumDebt)
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
            try await time.sleep(for: min(left, Self.maximumSleep))
        }
    }

    // MARK: - Playback

    /// Waits until the transfer may receive bytes. Returns immediately unless it must pause for playback.
    ///
    /// - Parameter closeConnection: Called if the transfer should close its connection.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func turn(of ticket: TransferScheduler.Ticket, closeConnection: () async -> Void = {}) async throws {
        let now = time.monotonic
        let host = ticket.host
        let (isHolding, isUrgent) = state.withLock { ($0.isHolding(host, now: now), $0.isUrgent(host, now: now)) }
        guard isHolding, ticket.transferClass.holdsBack else { return }
        if isUrgent { await closeConnection() }
        let id = state.withLock { $0.takeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let now = time.monotonic
                // Resumed outside the lock, because the task's cancellation handler may run with the task's lock held.
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    guard state.isHolding(host, now: now) else { return .success(()) }
                    state.waiting[id] = (ticket, continuation)
                    startWatch(&state)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
                // The class may have been raised before the waiter was registered.
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

    /// Waits until a registered transfer may receive bytes, and returns the next ones; nil at the end of the range.
    ///
    /// A transfer that has lost its admission, or pauses during a long shortage, closes its connection first.
    ///
    /// - Parameters:
    ///   - ifNeeded: Returns whether the transfer is needed. An abandoned transfer keeps its connection during a pause,
    ///     because it won't open another one.
    ///   - holdsBack: Returns whether the transfer pauses for playback if its class requires it.
    /// - Throws: The reader's errors; `CancellationError` if the task is cancelled during a wait; `CacheError` with
    ///   `cancelled` if the transfer isn't needed and would have to wait for admission.
    func next(
        of reader: OriginReader, by ticket: TransferScheduler.Ticket, ifNeeded: () -> Bool, holdsBack: () -> Bool
    ) async throws -> OriginPiece? {
        while true {
            if !ticket.isAdmittedNow() {
                guard ifNeeded() else { throw CacheError(.cancelled, "the transfer was cancelled: no reader needs it") }
                await reader.close()
                try await ticket.admission()
            }
            if holdsBack() { try await turn(of: ticket) { if ifNeeded() { await reader.close() } } }
            do {
                return try await reader.next()
            } catch is OriginReader.ConnectionClosed {}
        }
    }

    /// The number of paused transfers.
    package var holdingCount: Int { state.withLock { $0.waiting.count } }

    /// Registers a transfer with a connection, which is closed during a long playback shortage if the transfer is
    /// needed. Returns the identifier for ``leave(_:)``.
    func enter(
        of ticket: TransferScheduler.Ticket, _ reader: OriginReader, ifNeeded: @escaping @Sendable () -> Bool
    ) -> Int {
        state.withLock { state in
            let id = state.takeID()
            let close: @Sendable () -> Void = {
                if ticket.transferClass.holdsBack, ifNeeded() { Task { await reader.closeWhileReading() } }
            }
            state.running[id] = (ticket.host, close)
            if state.needs.values.contains(where: { $0.playback.waiting > 0 }) { startWatch(&state) }
            return id
        }
    }

    func leave(_ id: Int) {
        // Released outside the lock, because it may hold the last reference to a ticket.
        let left = state.withLock { $0.running.removeValue(forKey: id) }
        withExtendedLifetime(left) {}
    }

    /// Resumes transfers whose class has become one that doesn't pause.
    func classesChanged() {
        // A ticket's class is protected by the scheduler's lock, which must not be acquired under this one.
        let waiting = state.withLock { $0.waiting.mapValues(\.ticket) }
        resume(waiting.filter { !$0.value.transferClass.holdsBack }.map(\.key))
    }

    /// Records that a playback reader began to wait for bytes from `host`. With nil, transfers from all hosts pause.
    func shortageBegan(at host: String?) {
        let now = time.monotonic
        state.withLock { state in
            if state.needs[host] == nil, state.needs.count >= Self.hostCapacity {
                state.needs = state.needs.filter { $0.value.playback.waiting > 0 }
            }
            var need = state.needs[host] ?? Need()
            if !need.playback.isHolding(now: now) { need.hasClosedConnections = false }
            need.playback.begin(now: now)
            state.needs[host] = need
            if !state.running.isEmpty || !state.waiting.isEmpty { startWatch(&state) }
        }
    }

    /// Records that a playback reader stopped waiting for bytes from `host`.
    func shortageEnded(at host: String?) {
        let now = time.monotonic
        let back = state.withLock { state in
            state.needs[host]?.playback.end(now: now)
            // Transfers resume immediately if no calm period follows; otherwise, the watch resumes them.
            return state.waiting.filter { !state.isHolding($0.value.ticket.host, now: now) }.map(\.key)
        }
        resume(back)
    }

    // MARK: - Resumption

    private func startWatch(_ state: inout State) {
        guard state.watch == nil else { return }
        state.watch = Task { [weak self, time] in
            // Not retained during sleep, so that deallocation doesn't wait for a clock.
            while let step = self?.nextStep() {
                for call in step.calls { call() }
                guard (try? await time.sleep(for: step.pause)) != nil else { return }
            }
        }
    }

    /// Returns the calls that resume a paused transfer or close connections, and the time until the next step; nil if
    /// no transfer has to pause any more.
    private func nextStep() -> (calls: [@Sendable () -> Void], pause: Duration)? {
        let now = time.monotonic
        return state.withLock { state in
            let free = state.waiting.filter { !state.isHolding($0.value.ticket.host, now: now) }
            if let first = free.keys.min(), let waiter = state.waiting.removeValue(forKey: first) {
                return ([{ waiter.continuation.resume() }], Self.retryInterval)
            }
            let holding = state.needs.filter { $0.value.playback.isHolding(now: now) }
            guard !holding.isEmpty else {
                state.watch = nil
                return nil
            }
            let urgent = holding.filter { !$0.value.hasClosedConnections && $0.value.playback.isUrgent(now: now) }
            for host in urgent.keys { state.needs[host]?.hasClosedConnections = true }
            let running = state.running.values.filter { urgent[$0.host] != nil || urgent[nil] != nil }
            let calm = holding.values.compactMap(\.playback.calmFrom).min().map { $0 - now } ?? PlaybackNeed.patience
            return (running.map { $0.closeConnection }, min(max(calm, .milliseconds(1)), PlaybackNeed.patience))
        }
    }
}
