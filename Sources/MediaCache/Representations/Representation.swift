/// An open version of a resource, with its state and its blob.
///
/// ``RepresentationState`` makes the decisions. This type protects it with a lock, executes the decisions, and calls
/// readers outside all locks.
package final class Representation: Sendable {
    /// The identifier of the catalog record.
    package let id: Int64
    package let resource: Resource
    /// Whether its bytes may be stored. If not, it has neither a blob nor a catalog record.
    let isStored: Bool
    /// The name of the blob.
    package let blob: String
    let engine: Engine
    let state: OrderedMutex<RepresentationState>
    let file: OrderedMutex<BlobState>
    /// The lock held while the blob is written, moved or replaced, and thus during file operations. Only threads that
    /// may block on files wait for it. The thread of a transport only tries to acquire it, because copying the blob may
    /// take long.
    let writing = OrderedMutex(.writing, ())
    /// Sent when a commit or a fill has ended.
    let workEnded = ChangeSignal()
    /// The fills of bytes that can't be stored.
    let memoryFills: MemoryFills

    package init(
        id: Int64, resource: Resource, blob: String, isDurable: Bool, isNew: Bool, isStored: Bool = true,
        state: RepresentationState, engine: Engine
    ) {
        self.id = id
        self.resource = resource
        self.isStored = isStored
        self.blob = blob
        self.engine = engine
        memoryFills = MemoryFills(engine: engine, locator: resource.locator)
        file = OrderedMutex(.blob, BlobState(isDurable: isDurable, isNew: isNew, committed: state.written))
        self.state = OrderedMutex(.representation, state)
    }

    /// The response head.
    package var head: ResourceHead { state.withLock { $0.head } }
    /// Whether it's being read, filled or committed, so that no second object may represent the same catalog record.
    package var isInUse: Bool {
        state.withLock { $0.isInUse || $0.needsCommit || $0.uncommittedBytes > 0 }
            || file.withLock { $0.isCommitting && !$0.isAbandoned }
    }

    /// Whether it's in use. Unlike in ``isInUse``, changes that can't be committed don't count.
    var isHeld: Bool {
        state.withLock { $0.isInUse || ($0.storingFailure == nil && ($0.needsCommit || $0.uncommittedBytes > 0)) }
            || file.withLock { $0.isCommitting && !$0.isAbandoned }
    }
    package var isComplete: Bool { state.withLock { $0.isComplete } }
    /// Whether the origin has a newer representation.
    package var isSuperseded: Bool { state.withLock { $0.isSuperseded } }
    /// The resource kind requested by the last reader, and the transform that was applied to the bytes.
    var content: (kind: ResourceKind, transform: AppliedTransform?) { state.withLock { ($0.kind, $0.transform) } }
    package var freshness: Freshness { state.withLock { $0.freshness } }
    var losses: Int { state.withLock { $0.losses } }
    /// The cached spans.
    package var spans: SpanMap { state.withLock { $0.written } }
    /// Whether the blob is in the pinned folder.
    package var isDurable: Bool { file.withLock { $0.isDurable } }
    package var path: String { engine.blobs.path(of: blob, isDurable: isDurable) }

    /// Records the result of a revalidation.
    package func revalidated(_ freshness: Freshness?, isStale: Bool) {
        let now = engine.time.now
        withState { state in
            if let freshness { state.freshness = freshness }
            state.head.isStale = isStale
            if !isStale { state.head.validatedAt = now }
            state.needsCommit = true
        }
    }

    /// Records whether readers now request another transform.
    func setReplaced(_ isReplaced: Bool) {
        withState { state in
            state.isReplaced = isReplaced
            state.needsCommit = true
        }
    }

    /// Marks the representation as replaced by a newer one.
    package func supersede() {
        withState { state in
            state.isSuperseded = true
            state.needsCommit = true
        }
    }

    // MARK: - Readers

    func attach(at position: Int64) -> (id: Int, window: Int64) {
        state.withLock { $0.attach(at: position, readAhead: engine.transfers.readAhead) }
    }

    /// Unregisters a reader, and remembers its window for a reader that continues at its position.
    func detach(_ session: Int, at position: Int64, window: Int64) {
        let calls = state.withLock { $0.detach(session, at: position, window: window) }
        for call in calls { call() }
        useEnded()
    }

    /// Protects the representation from eviction and removal until ``release()``, which must be called once for
    /// each call.
    func hold() {
        state.withLock { $0.holds += 1 }
    }

    /// Ends the protection of a call of ``hold()``.
    func release() {
        state.withLock { $0.holds -= 1 }
        useEnded()
    }

    private func useEnded() {
        resource.useEnded()
        if engine.isStopped, resource.retire() { resource.releaseRepresentations() }
    }

    func leaveFills(_ session: Int) {
        for call in state.withLock({ $0.leaveFills(session) }) { call() }
    }

    /// Returns the next step of the reader at `position`, and starts the fills that it needs.
    func advance(
        _ session: Int, position: Int64, end: Int64, window: inout Int64, _ request: ReadRequest,
        wake: @escaping @Sendable () -> Void
    ) -> RepresentationState.AdvanceResult {
        var work = RepresentationState.Work()
        let settings = request.settings ?? engine.transfers
        let result = state.withLock { state in
            state.advance(
                session, position: position, end: end, window: &window, readAhead: settings.readAhead,
                transferClass: request.transferClass, work: &work, wake: wake)
        }
        for call in work.calls { call() }
        wakeAsynchronously(work.wakes)
        if case .failed(let error) = result, error.code == .representationChanged, content.transform?.isWhole == true {
            resource.changed(self)
        }
        if engine.isStopped, result.needsOrigin {
            // Fills would end immediately, and the reader would start new ones endlessly.
            drop(work.plans, of: session)
            return .failed(CacheError(.closed, "the store is closed or suspended; only cached bytes can be read"))
        }
        if settings.allowsOriginRequests {
            for plan in work.plans { launch(plan, request) }
        } else if !work.plans.isEmpty || result.needsOrigin {
            drop(work.plans, of: session)
            if result.needsOrigin { return .failed(.notCached(resource.locator.url, from: position)) }
        }
        if case .verify(let range) = result { verify(range) }
        return result
    }

    /// Discards planned fills that must not start. The session stops waiting; other readers of their ranges plan again.
    private func drop(_ plans: [RepresentationState.FillPlan], of session: Int) {
        leaveFills(session)
        wakeAsynchronously(plans.flatMap { plan in state.withLock { $0.fillEnded(plan.id, error: nil) } })
        workEnded.send()
    }

    /// Wakes other readers in a separate task, because the caller may hold its session's lock.
    private func wakeAsynchronously(_ wakes: [@Sendable () -> Void]) {
        guard !wakes.isEmpty else { return }
        Task { for wake in wakes { wake() } }
    }

    // MARK: - Filling

    /// Starts a planned fill.
    func launch(
        _ plan: RepresentationState.FillPlan, _ request: ReadRequest, reader: OriginReader? = nil,
        ticket: TransferScheduler.Ticket? = nil
    ) {
        let fill = Fill(
            plan: plan, representation: self, settings: request.settings, group: request.group, reader: reader,
            ticket: ticket)
        let task = Task { await fill.run() }
        let isEnded = state.withLock { $0.setCancel({ task.cancel() }, of: plan.id) }
        // Stopping the engine cancels registered fills. This one may have been registered too late.
        if isEnded || engine.isStopped { task.cancel() }
    }

    func transferClass(of fill: Int) -> TransferClass { state.withLock { $0.transferClass(of: fill) } }

    /// Ends an abandoned fill because another transfer needs its connection. Returns whether the fill was abandoned.
    func preempt(_ fill: Int) -> Bool {
        let end = state.withLock { $0.preempt(fill) }
        end?()
        return end != nil
    }

    /// Starts the grace period of a fill if it's abandoned. When the period ends, the fill ends, too, unless a reader
    /// has returned or it's about to finish.
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

    /// Waits while the condition holds for the running fills. The condition is checked whenever a fill ends.
    func waitForFills(
        while shouldWait: ([RepresentationState.FillID: RepresentationState.RunningFill]) -> Bool
    ) async {
        await workEnded.wait { shouldWait(state.withLock { $0.fills }) }
    }

    /// Returns a reader that receives the bytes of a hole from the origin without storing them. Returns nil if the
    /// length has become known, or the store has been stopped; the caller then tries again.
    func memoryReader(_ range: Range<Int64>, _ request: ReadRequest) -> MemoryFill.Reader? {
        let head = head
        if head.length == nil, let length = memoryFills.length {
            learn(length)
            return nil
        }
        return memoryFills.join(
            range, of: head, request,
            isStored ? engine.pipeline(for: self) : engine.pipeline(for: resource.locator.url, request.kind))
    }

    /// Sets the length if it's unknown, and wakes the readers that wait.
    func learn(_ length: Int64) {
        let woken = withState { $0.head.length == nil ? $0.learned(length: length) : [] }
        for wake in woken { wake() }
    }

    func cancelFills() {
        let cancels = state.withLock { state in state.fills.values.compactMap(\.cancel) }
        for cancel in cancels { cancel() }
        memoryFills.end()
    }

    /// Changes the state, and schedules a commit if the change needs one.
    func withState<Result>(_ body: (inout RepresentationState) throws -> sending Result) rethrows -> sending Result {
        let result = try state.withLock { try body(&$0) }
        if isStored, state.withLock({ $0.needsCommit }) { engine.committer.markDirty(self, bytes: 0) }
        return result
    }
}

/// The state of a representation's blob file.
struct BlobState {
    var file: (any BlobFile)?
    var isDurable: Bool
    /// Whether the file may not exist yet, or its directory entry isn't durable yet.
    var isNew: Bool
    /// Whether the file may have other hard links. If so, the link count is checked before the next write.
    var mayBeLinked: Bool
    /// The spans listed in the catalog. All others are discarded if a sync fails.
    var committed: SpanMap
    /// Whether a commit of the representation is in progress.
    var isCommitting = false
    /// Whether the representation is being deleted, so that a late commit must not restore it. Never reset.
    var isAbandoned = false
    /// The spans listed by the sidecar on disk; nil if it was deleted, or not written since the representation was
    /// opened.
    var listed: SpanMap?
    var verifying: Set<Range<Int64>> = []

    init(isDurable: Bool, isNew: Bool, committed: SpanMap) {
        self.isDurable = isDurable
        self.isNew = isNew
        mayBeLinked = !isNew
        self.committed = committed
    }
}
