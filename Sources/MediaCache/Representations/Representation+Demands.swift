extension Representation {
    /// Registers a demand for bytes without a reader. Every demand must be ended with ``endDemand(_:)``.
    func newDemand(of range: Range<Int64>, _ transferClass: TransferClass) -> Int {
        let (demand, calls) = state.withLock { $0.newDemand(of: range, transferClass) }
        for call in calls { call() }
        return demand
    }

    /// Fills every hole of `range` for a demand, first from `position` on, then before it. Returns when the bytes are
    /// written. Shares running fills.
    ///
    /// - Throws: The error that ended or prevents a fill; `CancellationError` if the task is cancelled. Fills may still
    ///   be running until ``endDemand(_:)``.
    func fill(_ range: Range<Int64>, from position: Int64, for demand: Int, _ request: ReadRequest) async throws {
        while true {
            var calls: [@Sendable () -> Void] = []
            let step = state.withLock { state in
                state.step(of: demand, range: range, from: position, request.transferClass, calls: &calls)
            }
            for call in calls { call() }
            switch step {
            case .done: return
            case .failed(let failure): throw failure
            case .start(let plan): launch(plan, request)
            case .wait(let fills):
                await waitForFills { running in !Task.isCancelled && fills.allSatisfy { running[$0] != nil } }
            }
            // If the range is complete, the call succeeds even if the task has been cancelled.
            guard !Task.isCancelled || withState({ $0.written.contains(range) }) else { throw CancellationError() }
        }
    }

    /// Ends a demand and the fills that no reader and no other demand needs. Returns when these fills have ended.
    func endDemand(_ demand: Int) async {
        let (ended, calls) = state.withLock { $0.endDemand(demand) }
        for call in calls { call() }
        guard !ended.isEmpty else { return }
        await waitForFills { running in ended.contains { running[$0] != nil } }
    }

    /// Ends the fills that no demand needs, unless there are sessions. Returns when the fills have ended. Called for
    /// readers that left before their session was opened.
    func endUnneededFills() async {
        let ended = state.withLock { $0.unneededFills() }
        guard !ended.isEmpty else { return }
        for cancel in ended.values { cancel() }
        await waitForFills { running in ended.keys.contains { running[$0] != nil } }
    }
}
