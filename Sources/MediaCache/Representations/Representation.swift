import Logging
import Synchronization

/// One version of a resource while it's open: its state, its blob, and the work on both.
///
/// Decisions are ``RepresentationState``'s; this type holds the lock, does what was decided, and calls readers outside
/// the lock.
package final class Representation: Sendable {
    package let id: Int64
    package let resource: Resource
    package let blob: String
    let engine: Engine
    let state: OrderedMutex<RepresentationState>
    let file: OrderedMutex<BlobState>
    /// Held, on threads of the pool only, by whoever writes to the blob, moves it or replaces it.
    let writing = Mutex(())
    /// The fills of bytes that can't be kept.
    let passing: PassingFills

    package init(
        id: Int64, resource: Resource, blob: String, isKept: Bool, isNew: Bool, state: RepresentationState,
        engine: Engine
    ) {
        self.id = id
        self.resource = resource
        self.blob = blob
        self.engine = engine
        passing = PassingFills(engine: engine, locator: resource.locator)
        file = OrderedMutex(.blob, BlobState(isKept: isKept, isNew: isNew, committed: state.written))
        self.state = OrderedMutex(.representation, state)
    }

    package var head: ResourceHead { state.withLock { $0.head } }
    /// Whether someone reads or fills it, or something of it isn't committed yet. While it is, no second object may
    /// stand for the same row.
    package var isInUse: Bool {
        state.withLock { $0.isInUse || $0.needsCommit || $0.uncommittedBytes > 0 }
            || file.withLock { $0.isCommitting && !$0.isAbandoned }
    }

    /// The same, but that what can't be committed, as on a full disk, doesn't keep it from being given up.
    var isHeld: Bool {
        state.withLock { $0.isInUse || ($0.keepFailure == nil && ($0.needsCommit || $0.uncommittedBytes > 0)) }
            || file.withLock { $0.isCommitting && !$0.isAbandoned }
    }
    package var isComplete: Bool { state.withLock { $0.isComplete } }
    package var isSuperseded: Bool { state.withLock { $0.isSuperseded } }
    /// What it is to who read it last, and what made its bytes.
    var content: (kind: ResourceKind, transform: AppliedTransform?) { state.withLock { ($0.kind, $0.transform) } }
    package var freshness: Freshness { state.withLock { $0.freshness } }
    var losses: Int { state.withLock { $0.losses } }
    package var spans: SpanMap { state.withLock { $0.written } }
    package var isKept: Bool { file.withLock { $0.isKept } }
    package var path: String { engine.blobs.path(of: blob, isKept: isKept) }

    /// What the origin said of this version when it was asked again.
    package func revalidated(_ freshness: Freshness?, isStale: Bool) {
        let now = engine.time.now
        state.withLock { state in
            if let freshness { state.freshness = freshness }
            state.head.isStale = isStale
            if !isStale { state.head.validatedAt = now }
            state.setNeedsCommit()
        }
        engine.committer.markDirty(self, bytes: 0)
    }

    /// Readers want it made by another transform from now on, or by this one again.
    func setReplaced(_ isReplaced: Bool) {
        state.withLock { state in
            state.isReplaced = isReplaced
            state.setNeedsCommit()
        }
        engine.committer.markDirty(self, bytes: 0)
    }

    package func supersede() {
        state.withLock { state in
            state.isSuperseded = true
            state.setNeedsCommit()
        }
        engine.committer.markDirty(self, bytes: 0)
    }

    // MARK: - Readers

    func attach(at position: Int64) -> (id: Int, window: Int64) {
        state.withLock { $0.attach(at: position, readAhead: engine.configuration.transfers.readAhead) }
    }

    func detach(_ session: Int, at position: Int64, window: Int64) {
        let calls = state.withLock { $0.detach(session, at: position, window: window) }
        for call in calls { call() }
        resource.useEnded()
        if engine.isStopped, resource.retire() { resource.dismantle() }
    }

    func leaveFills(_ session: Int) {
        for call in state.withLock({ $0.leaveFills(session) }) { call() }
    }

    func advance(
        _ session: Int, position: Int64, end: Int64, window: inout Int64, settings: TransferSettings?,
        transferClass: TransferClass, group: TransferGroup?, wake: @escaping @Sendable () -> Void
    ) -> RepresentationState.Answer {
        var work = RepresentationState.Work()
        let readAhead = (settings ?? engine.configuration.transfers).readAhead
        let answer = state.withLock { state in
            state.advance(
                session, position: position, end: end, window: &window, readAhead: readAhead,
                transferClass: transferClass, work: &work, wake: wake)
        }
        for call in work.calls { call() }
        wakeBeside(work.wakes)
        if case .failed(let error) = answer, error.code == .representationChanged, content.transform?.isWhole == true {
            resource.changed(self)
        }
        if engine.isStopped, answer.asksOrigin {
            // A fill would end at once, and the reader would ask for the next one, and so on.
            drop(work.plans, of: session)
            return .failed(CacheError(.closed, "the store is closed or suspended; what is kept can still be read"))
        }
        let asksOrigins = settings?.asksOrigins ?? engine.configuration.transfers.asksOrigins
        for plan in work.plans where asksOrigins { launch(plan, settings: settings, group: group) }
        if !asksOrigins, !work.plans.isEmpty || answer.asksOrigin {
            drop(work.plans, of: session)
            if answer.asksOrigin { return .failed(.notKept(resource.locator.url, from: position)) }
        }
        if case .verify(let range) = answer { verify(range) }
        return answer
    }

    /// Ends fills of a session that may not start. The session waits for nothing any more; other readers in their
    /// range plan again.
    private func drop(_ plans: [RepresentationState.FillPlan], of session: Int) {
        leaveFills(session)
        wakeBeside(plans.flatMap { plan in state.withLock { $0.fillEnded(plan.id, error: nil) } })
        wakeFillWaiters()
    }

    /// Wakes other readers from a task of its own: the caller may hold its session's lock.
    private func wakeBeside(_ wakes: [@Sendable () -> Void]) {
        guard !wakes.isEmpty else { return }
        Task { for wake in wakes { wake() } }
    }

    // MARK: - Filling

    /// Starts a fill on its way.
    func launch(
        _ plan: RepresentationState.FillPlan, settings: TransferSettings?, group: TransferGroup? = nil,
        reader: OriginReader? = nil, ticket: TransferScheduler.Ticket? = nil
    ) {
        let fill = Fill(
            plan: plan, representation: self, settings: settings, group: group, reader: reader, ticket: ticket)
        let task = Task { await fill.run() }
        let isEnded = state.withLock { $0.setCancel({ task.cancel() }, of: plan.id) }
        // Whoever stops the engine cancels the fills it sees; this one it may not have seen.
        if isEnded || engine.isStopped { task.cancel() }
    }

    /// How urgent a fill is now.
    func transferClass(of fill: Int) -> TransferClass { state.withLock { $0.transferClass(of: fill) } }

    /// Ends a fill if it's abandoned, since another transfer needs its connection. Returns whether it was.
    func preempt(_ fill: Int) -> Bool {
        let end = state.withLock { $0.preempt(fill) }
        end?()
        return end != nil
    }

    /// Ends a fill once it has been abandoned for the grace period. Called whenever it may have been abandoned.
    func watchAbandoned(_ fill: Int) {
        guard state.withLock({ $0.watchAbandoned(fill) }) else { return }
        Task { [weak self, time = engine.time] in
            while (try? await time.sleep(for: RepresentationState.abandonmentGrace)) != nil {
                guard let (goesOn, end) = self?.state.withLock({ $0.graceEnded(fill) }) else { return }
                end?()
                guard goesOn else { return }
            }
        }
    }

    /// Returns when no fill runs any more. The engine has been stopped.
    func waitForLastFill() async {
        await waitForFills { !$0.isEmpty }
    }

    /// Returns when the fills that run are none to wait for.
    func waitForFills(
        while isToBeWaitedFor: @Sendable ([RepresentationState.FillID: RepresentationState.RunningFill]) -> Bool
    ) async {
        while state.withLock({ isToBeWaitedFor($0.fills) }) {
            await withCheckedContinuation { continuation in
                file.withLock { $0.fillWaiters.append(continuation) }
                if !state.withLock({ isToBeWaitedFor($0.fills) }) { wakeFillWaiters() }
            }
        }
    }

    /// A fill has ended.
    func wakeFillWaiters() {
        let waiters = file.withLock { state in
            defer { state.fillWaiters = [] }
            return state.fillWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The bytes of a hole that can't be filled, straight from the origin; nil if there are none, as is known now.
    func passThrough(
        _ range: Range<Int64>, settings: TransferSettings?, transferClass: TransferClass, group: TransferGroup?
    ) -> PassThrough? {
        let head = head
        if head.length == nil, let length = passing.length {
            learn(length)
            return nil
        }
        return passing.join(
            range, known: KnownRepresentation(validator: head.validator, length: head.length), settings: settings,
            transferClass: transferClass, group: group, tap: engine.tap(self))
    }

    /// The length of a version that was found without one.
    func learn(_ length: Int64) {
        let woken = withState { $0.head.length == nil ? $0.learned(length: length) : [] }
        for wake in woken { wake() }
    }

    func cancelFills() {
        let cancels = state.withLock { state in state.fills.values.compactMap(\.cancel) }
        for cancel in cancels { cancel() }
        passing.end()
    }

    /// Changes the state; what then needs a commit gets one.
    func withState<Result>(_ body: (inout RepresentationState) throws -> sending Result) rethrows -> sending Result {
        let result = try state.withLock { try body(&$0) }
        if state.withLock({ $0.needsCommit }) { engine.committer.markDirty(self, bytes: 0) }
        return result
    }
}
