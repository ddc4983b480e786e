import Synchronization

extension Representation {
    /// Somebody who wants bytes here without reading them, from now on; to be ended.
    func newWant(of range: Range<Int64>, _ transferClass: TransferClass) -> Int {
        let (want, calls) = state.withLock { $0.newWant(of: range, transferClass) }
        for call in calls { call() }
        return want
    }

    /// Fills every hole of `range` for `want`, one after another from `position` on and then what lies before. Returns
    /// when the bytes are written.
    ///
    /// What is on its way for others is waited for, and goes on without them.
    ///
    /// - Throws: what ended the fill that failed; `CancellationError` when the task is cancelled, before ``endWant(_:)``
    ///   has ended anything.
    func fill(
        _ range: Range<Int64>, from position: Int64, for want: Int, settings: TransferSettings?,
        transferClass: TransferClass, group: TransferGroup?
    ) async throws {
        while true {
            var calls: [@Sendable () -> Void] = []
            let step = state.withLock { state in
                state.step(of: want, range: range, from: position, transferClass, calls: &calls)
            }
            for call in calls { call() }
            switch step {
            case .done: return
            case .failed(let failure): throw failure
            case .start(let plan): launch(plan, settings: settings, group: group)
            case .wait(let fills):
                await withTaskCancellationHandler {
                    await waitForFills { running in !Task.isCancelled && fills.allSatisfy { running[$0] != nil } }
                } onCancel: {
                    wakeFillWaiters()
                }
            }
            // What is all here isn't given up at the last moment: nobody would look whether it's right.
            guard !Task.isCancelled || withState({ $0.written.contains(range) }) else { throw CancellationError() }
        }
    }

    /// Ends what nobody else reads or wants, at once. Returns when it has ended: no byte more comes of it.
    func endWant(_ want: Int) async {
        let (ended, calls) = state.withLock { $0.endWant(want) }
        for call in calls { call() }
        guard !ended.isEmpty else { return }
        await waitForFills { running in ended.contains { running[$0] != nil } }
    }

    /// Ends what was begun for somebody who has gone before reading any of it.
    func endFillsOfNobody() async {
        let ended = state.withLock { $0.fillsOfNobody() }
        guard !ended.isEmpty else { return }
        for cancel in ended.values { cancel() }
        await waitForFills { running in ended.keys.contains { running[$0] != nil } }
    }
}
