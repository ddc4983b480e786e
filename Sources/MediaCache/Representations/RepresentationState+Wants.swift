extension RepresentationState {
    package typealias WantID = Int

    /// What there is to do for somebody who wants all bytes of a range.
    enum WantStep {
        /// All of it is here.
        case done
        /// A hole that nothing is on its way to.
        case start(FillPlan)
        /// Until one of these has ended.
        case wait(Set<FillID>)
        case failed(CacheError)
    }

    /// Notes somebody who wants the bytes of a range without reading them: what is on its way there goes on without
    /// readers. Returns it, and what is to be called.
    mutating func newWant(
        of range: Range<Int64>, _ transferClass: TransferClass
    ) -> (WantID, calls: [@Sendable () -> Void]) {
        nextID += 1
        wants.insert(nextID)
        return (nextID, join(nextID, range, transferClass))
    }

    private mutating func join(
        _ want: WantID, _ range: Range<Int64>, _ transferClass: TransferClass
    ) -> [@Sendable () -> Void] {
        fillIDs(in: range).compactMap { fills[$0]?.want(want, transferClass) }
    }

    private func fillIDs(in range: Range<Int64>) -> [FillID] {
        fills.filter { $0.value.position < range.upperBound && range.lowerBound < $0.value.limit }.map(\.key)
    }

    /// What there is to do for `want`, which fills one hole at a time: from `position` on, then what lies before.
    ///
    /// - Parameter calls: gets what is to be called outside the lock.
    mutating func step(
        of want: WantID, range: Range<Int64>, from position: Int64, _ transferClass: TransferClass,
        calls: inout [@Sendable () -> Void]
    ) -> WantStep {
        if let failure = failedWants.removeValue(forKey: want) { return .failed(failure) }
        if isSuperseded { return .failed(CacheError(.representationChanged, "the origin has another version now")) }
        let range = range.lowerBound..<max(range.lowerBound, min(range.upperBound, length))
        if written.contains(range) { return .done }
        if let keepFailure { return .failed(keepFailure) }
        if transform?.isWhole == true {
            return .failed(
                CacheError(.representationChanged, "a part is lost of what can be fetched only as a whole"))
        }
        calls += join(want, range, transferClass)
        let near = fillIDs(in: range)
        if let own = near.first(where: { fills[$0]?.starter == want }) { return .wait([own]) }
        let plan =
            startWanted(
                in: max(position, range.lowerBound)..<max(position, range.upperBound), want, transferClass,
                wakes: &calls)
            ?? startWanted(in: range, want, transferClass, wakes: &calls)
        return plan.map(WantStep.start) ?? .wait(Set(near))
    }

    /// `want` is over. Returns what nobody else reads or wants, to be ended at once, and what is to be called.
    mutating func endWant(_ want: WantID) -> (ended: Set<FillID>, calls: [@Sendable () -> Void]) {
        wants.remove(want)
        failedWants[want] = nil
        var ended: Set<FillID> = []
        var calls: [@Sendable () -> Void] = []
        for id in fills.keys {
            guard var fill = fills[id], fill.wants[want] != nil else { continue }
            calls += [fill.endWant(want)].compactMap(\.self)
            if !fill.isOfInterest, fill.position < min(fill.limit, length) {
                ended.insert(id)
                calls += [fill.end()].compactMap(\.self)
            }
            fills[id] = fill
        }
        return (ended, calls)
    }

    /// What is on its way and nobody reads or wants, though it could be: to be ended.
    func fillsOfNobody() -> [FillID: @Sendable () -> Void] {
        guard sessions.isEmpty else { return [:] }
        return fills.filter { !$0.value.isOfInterest }.compactMapValues(\.cancel)
    }
}
