extension RepresentationState {
    package typealias DemandID = Int

    /// The next step of a demand.
    enum DemandStep {
        /// All bytes are cached.
        case done
        /// Start a fill of a hole.
        case start(FillPlan)
        /// Wait until one of the fills has ended.
        case wait(Set<FillID>)
        /// End with an error.
        case failed(CacheError)
    }

    /// Registers a demand: a need for the bytes of a range without a reader. Running fills in the range continue as
    /// long as the demand exists. Returns the demand, and the calls to make without the lock.
    mutating func newDemand(
        of range: Range<Int64>, _ transferClass: TransferClass
    ) -> (DemandID, calls: [@Sendable () -> Void]) {
        nextID += 1
        demands.insert(nextID)
        return (nextID, fillIDs(in: range).compactMap { fills[$0]?.join(nextID, transferClass) })
    }

    private func fillIDs(in range: Range<Int64>) -> [FillID] {
        fills.filter { $0.value.position < range.upperBound && range.lowerBound < $0.value.limit }.map(\.key)
    }

    /// Returns the next step of a demand, which fills the holes from `position` on, then those before it. `calls`
    /// receives the calls to make without the lock.
    mutating func step(
        of demand: DemandID, range: Range<Int64>, from position: Int64, _ transferClass: TransferClass,
        calls: inout [@Sendable () -> Void]
    ) -> DemandStep {
        if let failure = failedDemands.removeValue(forKey: demand) { return .failed(failure) }
        let range = range.lowerBound..<max(range.lowerBound, min(range.upperBound, length))
        if !isSuperseded, written.contains(range) { return .done }
        if let failure = refillFailure ?? storingFailure { return .failed(failure) }
        let near = fillIDs(in: range)
        calls += near.compactMap { fills[$0]?.join(demand, transferClass) }
        if let own = near.first(where: { fills[$0]?.starter == demand }) { return .wait([own]) }
        let plan =
            startDemanded(
                in: max(position, range.lowerBound)..<max(position, range.upperBound), demand, transferClass,
                wakes: &calls)
            ?? startDemanded(in: range, demand, transferClass, wakes: &calls)
        return plan.map(DemandStep.start) ?? .wait(Set(near))
    }

    /// Ends a demand. Returns the fills that end because no other user needs them, and the calls to make without the
    /// lock.
    mutating func endDemand(_ demand: DemandID) -> (ended: Set<FillID>, calls: [@Sendable () -> Void]) {
        demands.remove(demand)
        failedDemands[demand] = nil
        var ended: Set<FillID> = []
        var calls: [@Sendable () -> Void] = []
        for id in fills.keys {
            guard var fill = fills[id], fill.users[demand] != nil else { continue }
            calls += [fill.leave(demand)].compactMap(\.self)
            if !fill.isNeeded, fill.position < min(fill.limit, length) {
                ended.insert(id)
                calls += [fill.end()].compactMap(\.self)
            }
            fills[id] = fill
        }
        return (ended, calls)
    }

    /// Returns the cancel functions of fills that no demand needs; none if there are sessions.
    func unneededFills() -> [FillID: @Sendable () -> Void] {
        guard sessions.isEmpty else { return [:] }
        return fills.filter { !$0.value.isNeeded }.compactMapValues(\.cancel)
    }
}
