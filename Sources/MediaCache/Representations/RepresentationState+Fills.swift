extension RepresentationState {
    /// The ranges still to be received by fills, in ascending order.
    var rangesBeingFilled: [Range<Int64>] {
        fills.values.compactMap { fill in
            let end = min(fill.limit, length)
            return fill.position < end ? fill.position..<end : nil
        }.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// Returns the fill that is expected to reach `position` sooner than a new request; nil if there is none.
    func fill(worthWaitingForAt position: Int64) -> FillID? {
        let candidates = fills.filter { $0.value.position <= position && position < $0.value.limit }
        guard let (id, fill) = candidates.max(by: { $0.value.position < $1.value.position }) else { return nil }
        let distance = position - fill.position
        let isNear = distance <= Self.nearDistance || rate.time(for: distance).map { $0 <= rate.latency } ?? false
        return isNear || ignoresRanges ? id : nil
    }

    /// Starts a fill for a reader at the hole at `position`.
    mutating func start(
        at position: Int64, end: Int64, window: Int64, _ readAhead: ReadAhead, for session: SessionID,
        _ transferClass: TransferClass, work: inout Work
    ) {
        let hole = written.hole(at: position, limit: length) ?? position..<length
        // The fill extends beyond the reader's range only up to the initial read-ahead.
        var limit = min(hole.upperBound, max(end, position.clampedSum(readAhead.initial)))
        if window < limit - position { limit = position + window }
        if ignoresRanges || head.length == nil { limit = hole.upperBound }
        work.plans.append(
            begin(position..<limit, for: session, transferClass: transferClass, wakes: &work.wakes))
    }

    /// Starts a fill of the first part of `range` that is neither cached nor being filled; returns nil if there is
    /// none.
    mutating func startDemanded(
        in range: Range<Int64>, _ demand: DemandID, _ transferClass: TransferClass, wakes: inout [@Sendable () -> Void]
    ) -> FillPlan? {
        let (position, end) = (coverage(from: range.lowerBound), min(range.upperBound, length))
        guard position < end, let hole = written.hole(at: position, limit: end) else { return nil }
        let next = fills.values.map(\.position).filter { $0 > position }.min() ?? .max
        return begin(position..<min(hole.upperBound, next), for: demand, transferClass: transferClass, wakes: &wakes)
    }

    /// Registers the fill that continues a received response. The representation has no readers yet.
    mutating func beginFound(_ range: Range<Int64>, transferClass: TransferClass) -> FillPlan {
        var wakes: [@Sendable () -> Void] = []
        let plan = begin(range, transferClass: transferClass, wakes: &wakes)
        fills[plan.id]?.hasRequested = true
        fills[plan.id]?.hasHead = true
        return plan
    }

    /// - Parameters:
    ///   - starter: The session or demand that starts the fill; nil for a response that has already been received.
    ///   - wakes: Receives the wake functions of readers whose fill now stops before their position. They must plan
    ///     again.
    mutating func begin(
        _ range: Range<Int64>, for starter: Int? = nil, transferClass: TransferClass,
        wakes: inout [@Sendable () -> Void]
    ) -> FillPlan {
        nextID += 1
        var range = range
        // Each byte belongs to one fill. A fill that would run into this range stops at its start. This range stops at
        // the next fill.
        for id in fills.keys {
            guard let fill = fills[id] else { continue }
            if fill.position < range.lowerBound, range.lowerBound < fill.limit {
                fills[id]?.limit = range.lowerBound
                wakes += takeWaiters { range.lowerBound <= $0.position && $0.position < fill.limit }
            } else if range.lowerBound <= fill.position, fill.position < range.upperBound, fill.position < fill.limit {
                range = range.lowerBound..<max(range.lowerBound, fill.position)
            }
        }
        let id = nextID
        fills[id] = RunningFill(range, for: starter, transferClass: transferClass)
        let before = range.lowerBound - 1
        let followsStoredSpan = before >= 0 && written.span(at: before) != nil
        let resumes = followsStoredSpan && (!head.validator.isPresent || arrived.span(at: before) == nil)
        let probes = !head.validator.isPresent && !followsStoredSpan && !written.isEmpty
        return FillPlan(id: id, range: range, resumes: resumes, probes: probes)
    }

    /// Extends a fill to the whole representation, because the origin ignores ranges.
    mutating func ignoreRanges(of fill: FillID) {
        ignoresRanges = true
        guard fills[fill]?.isEnded == false else { return }
        fills[fill]?.position = 0
        let end = length
        fills[fill]?.limit = end
    }

    /// Sets the function that cancels a fill. Returns whether the fill has ended already.
    mutating func setCancel(_ cancel: @escaping @Sendable () -> Void, of fill: FillID) -> Bool {
        fills[fill]?.cancel = cancel
        return fills[fill]?.isEnded ?? true
    }

    /// Records that a fill is about to send a request. Returns whether it may; an abandoned fill may not.
    mutating func willRequest(_ fill: FillID) -> Bool {
        guard fills[fill]?.isAbandoned == false else { return false }
        fills[fill]?.hasRequested = true
        fills[fill]?.hasHead = false
        return true
    }

    /// Returns whether a fill has written all of its range.
    func isFull(_ fill: FillID) -> Bool {
        fills[fill].map { $0.position >= min($0.limit, length) } ?? true
    }

    /// Records that the origin forbids storing the rest of a fill from `position` on.
    mutating func forbid(from position: Int64, to fill: FillID) {
        guard let limit = fills[fill]?.limit, position < limit else { return }
        forbidden.insert(position..<limit)
    }

    /// Records written bytes. Returns the wake functions of readers that wait for them.
    mutating func didWrite(
        _ range: Range<Int64>, records: [BlockChecksums.Record], by fill: FillID
    ) -> [@Sendable () -> Void] {
        let before = written.byteCount
        // If two fills overlap, the first record is used. Both have written equal bytes.
        for record in records where written.bytes(in: record.range) == 0 {
            checksums.insert(record)
            written.insert(record.range)
            lost.remove(record.range)
            verified.insert(record.range)
            arrived.insert(record.range)
        }
        uncommittedBytes += written.byteCount - before
        needsCommit = true
        fills[fill]?.position = range.upperBound
        fills[fill]?.hasHead = true
        return takeWaiters { range.contains($0.position) }
    }

    /// Removes an ended fill. Returns the wake functions of its readers, which plan again or report the failure.
    /// `refusal`, the reason not to store the rest, isn't a failure for them.
    mutating func fillEnded(
        _ id: FillID, error: CacheError?, refusal: CacheError? = nil
    ) -> [@Sendable () -> Void] {
        guard let fill = fills.removeValue(forKey: id) else { return [] }
        if let starter = fill.starter, demands.contains(starter) { failedDemands[starter] = error ?? refusal }
        let concerned = { (waiter: Waiter) in fill.position <= waiter.position && waiter.position < fill.limit }
        switch error?.code {
        case nil, .cancelled: break
        case .storage: storingFailure = error
        case let code:
            if code == .representationChanged { isSuperseded = true }
            for (session, waiter) in waiters where concerned(waiter) { failures[session] = error }
        }
        return takeWaiters(where: concerned)
    }

    /// Sets the length at the end of a body of unknown length. Returns the wake functions of all waiting readers.
    mutating func learned(length: Int64) -> [@Sendable () -> Void] {
        head.length = length
        needsCommit = true
        return takeWaiters { _ in true }
    }

    /// Returns whether a reader waits for a byte of `range`.
    func isAwaited(_ range: Range<Int64>) -> Bool { waiters.values.contains { range.contains($0.position) } }

    /// Removes the matching waiters and returns their wake functions.
    mutating func takeWaiters(where isConcerned: (Waiter) -> Bool) -> [@Sendable () -> Void] {
        guard !waiters.isEmpty else { return [] }
        let matching = waiters.filter { isConcerned($0.value) }
        for session in matching.keys { waiters[session] = nil }
        return matching.values.map(\.wake)
    }
}
