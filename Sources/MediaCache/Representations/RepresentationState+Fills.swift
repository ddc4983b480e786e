extension RepresentationState {
    /// What is on its way: from the byte that each fill writes next up to its end, in order.
    var rangesBeingFilled: [Range<Int64>] {
        fills.values.compactMap { fill in
            let end = min(fill.limit, length)
            return fill.position < end ? fill.position..<end : nil
        }.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The fill that will reach `position` sooner than a new request would.
    func fill(worthWaitingForAt position: Int64) -> FillID? {
        let candidates = fills.filter { $0.value.position <= position && position < $0.value.limit }
        guard let (id, fill) = candidates.max(by: { $0.value.position < $1.value.position }) else { return nil }
        let distance = position - fill.position
        let isNear = distance <= Self.nearDistance || rate.time(for: distance).map { $0 <= rate.latency } ?? false
        return isNear || ignoresRanges ? id : nil
    }

    mutating func start(
        at position: Int64, end: Int64, window: Int64, readAhead: ReadAhead,
        reader: (id: SessionID, transferClass: TransferClass), wakes: inout [@Sendable () -> Void]
    ) -> FillPlan {
        let hole = written.hole(at: position, limit: length) ?? position..<length
        // No further than the reader will go, but for one read-ahead.
        var limit = min(hole.upperBound, max(end, position.clampedSum(readAhead.initial)))
        if window < limit - position { limit = position + window }
        if ignoresRanges || head.length == nil { limit = hole.upperBound }
        return begin(
            position..<limit, readers: [reader.id: reader.transferClass], transferClass: reader.transferClass,
            wakes: &wakes)
    }

    /// Starts a fill of the first hole in `range` that no fill is on, if there is one.
    mutating func startWanted(
        in range: Range<Int64>, _ want: WantID, _ transferClass: TransferClass, wakes: inout [@Sendable () -> Void]
    ) -> FillPlan? {
        var position = range.lowerBound
        while position < min(range.upperBound, length) {
            position = coverage(from: position)
            guard position < min(range.upperBound, length) else { return nil }
            if let hole = written.hole(at: position, limit: min(range.upperBound, length)) {
                let next = fills.values.map(\.position).filter { $0 > position }.min() ?? .max
                return begin(
                    position..<min(hole.upperBound, next), for: want, transferClass: transferClass, wakes: &wakes)
            }
        }
        return nil
    }

    /// Notes the fill of a response whose head has been received, for a representation that has no reader yet.
    mutating func beginFound(_ range: Range<Int64>, transferClass: TransferClass) -> FillPlan {
        var wakes: [@Sendable () -> Void] = []
        let plan = begin(range, transferClass: transferClass, wakes: &wakes)
        fills[plan.id]?.hasAsked = true
        fills[plan.id]?.hasHead = true
        return plan
    }

    /// Notes a fill.
    ///
    /// - Parameter wakes: receives the wakes of readers whose fill will stop before their position, since this one
    ///   begins there: they have to plan again.
    mutating func begin(
        _ range: Range<Int64>, readers: [SessionID: TransferClass] = [:], for want: WantID? = nil,
        transferClass: TransferClass, wakes: inout [@Sendable () -> Void]
    ) -> FillPlan {
        nextID += 1
        var range = range
        // Each byte has one fill: one on its way here stops here.
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
        fills[id] = RunningFill(
            position: range.lowerBound, limit: range.upperBound, readers: readers,
            wants: want.map { [$0: transferClass] } ?? [:], starter: want, transferClass: transferClass)
        let before = range.lowerBound - 1
        let isBeforeHere = before >= 0 && written.span(at: before) != nil
        let resumes = isBeforeHere && (isUntold || arrived.span(at: before) == nil)
        let probes = isUntold && !isBeforeHere && !written.isEmpty
        return FillPlan(id: id, range: range, resumes: resumes, probes: probes)
    }

    /// The origin sends the whole to every request: this fill may as well write all of it that is missing.
    mutating func ignoreRanges(of fill: FillID) {
        ignoresRanges = true
        guard fills[fill]?.isEnded == false else { return }
        fills[fill]?.position = 0
        let end = length
        fills[fill]?.limit = end
    }

    /// Returns whether it has been ended already.
    mutating func setCancel(_ cancel: @escaping @Sendable () -> Void, of fill: FillID) -> Bool {
        fills[fill]?.cancel = cancel
        return fills[fill]?.isEnded ?? true
    }

    /// Notes that a fill asks the origin, for the first time or again after a failure.
    ///
    /// - Returns: whether it may: an abandoned fill isn't worth a request.
    mutating func asks(_ fill: FillID) -> Bool {
        guard fills[fill]?.isAbandoned == false else { return false }
        fills[fill]?.hasAsked = true
        fills[fill]?.hasHead = false
        return true
    }

    /// Notes that the origin has answered a fill.
    mutating func didGetHead(of fill: FillID) { fills[fill]?.hasHead = true }

    /// Up to where a fill may write now.
    func limit(of fill: FillID) -> Int64 { fills[fill]?.limit ?? 0 }

    /// Whether a fill has written all that it was to write.
    func isFull(_ fill: FillID) -> Bool {
        fills[fill].map { $0.position >= min($0.limit, length) } ?? true
    }

    /// The origin has said that what a fill would write from `position` on may not be kept.
    mutating func forbid(from position: Int64, to fill: FillID) {
        guard let limit = fills[fill]?.limit, position < limit else { return }
        forbidden.insert(position..<limit)
    }

    /// Bytes have been written. Returns whom to wake.
    mutating func didWrite(
        _ range: Range<Int64>, records: [BlockChecksums.Record], by fill: FillID
    ) -> [@Sendable () -> Void] {
        let before = written.byteCount
        // Where two fills met, the first record counts; the other's bytes are the same.
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

    mutating func measured(bytes: Int64, in duration: Duration) { rate.add(bytes: bytes, in: duration) }
    mutating func measured(latency: Duration) { rate.add(latency: latency) }
    package var bytesPerSecond: Double { rate.bytesPerSecond }

    /// A fill has ended. Returns whom to wake: they plan anew, or learn of the failure.
    ///
    /// - Parameter refusal: why the rest isn't kept, which is no failure for readers.
    mutating func fillEnded(
        _ id: FillID, error: CacheError?, refusal: CacheError? = nil
    ) -> [@Sendable () -> Void] {
        guard let fill = fills.removeValue(forKey: id) else { return [] }
        if let starter = fill.starter, wants.contains(starter) { failedWants[starter] = error ?? refusal }
        let concerned = { (waiter: Waiter) in fill.position <= waiter.position && waiter.position < fill.limit }
        switch error?.code {
        case nil, .cancelled: break
        case .storage: keepFailure = error
        case .representationChanged:
            isSuperseded = true
            for (session, waiter) in waiters where concerned(waiter) { failures[session] = error }
        default:
            for (session, waiter) in waiters where concerned(waiter) { failures[session] = error }
        }
        return takeWaiters(where: concerned)
    }

    /// The end of a body of unknown length.
    mutating func learned(length: Int64) -> [@Sendable () -> Void] {
        head.length = length
        needsCommit = true
        return takeWaiters { _ in true }
    }

    /// Whether a reader waits for a byte of `range`.
    func isAwaited(_ range: Range<Int64>) -> Bool { waiters.values.contains { range.contains($0.position) } }

    mutating func takeWaiters(where isConcerned: (Waiter) -> Bool) -> [@Sendable () -> Void] {
        guard !waiters.isEmpty else { return [] }
        let taken = waiters.filter { isConcerned($0.value) }
        for session in taken.keys { waiters[session] = nil }
        return taken.values.map(\.wake)
    }
}
