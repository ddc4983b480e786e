extension RepresentationState {
    /// Registers a reader, and returns its session and its read-ahead window in bytes.
    mutating func attach(at position: Int64, readAhead: ReadAhead) -> (id: SessionID, window: Int64) {
        nextID += 1
        if sessions.isEmpty {
            // Storing may be possible again, and the origin may now permit it.
            storingFailure = refusal
            forbidden = SpanMap()
        }
        sessions.insert(nextID)
        let window = recentEnds.last { abs($0.position - position) <= 64 << 10 }?.window ?? readAhead.initial
        return (nextID, window)
    }

    /// Unregisters a reader. Returns the calls to make without the lock: the reader's wake function if it's waiting,
    /// and calls that lower the priority of its fills or end them.
    mutating func detach(_ session: SessionID, at position: Int64, window: Int64) -> [@Sendable () -> Void] {
        sessions.remove(session)
        failures[session] = nil
        let wake = waiters.removeValue(forKey: session).map { [$0.wake] } ?? []
        recentEnds.removeAll { $0.position == position }
        recentEnds.append((position, window))
        if recentEnds.count > 8 { recentEnds.removeFirst() }
        let left = wake + leaveFills(session)
        guard sessions.isEmpty else { return left }
        // The fill that continues the first response may never have had a reader.
        return left + Array(fills.keys).flatMap { demote($0) { $0.abandonIfUnread() } }
    }

    /// Removes a reader from its fills and from the waiters, without waking it. Returns the calls to make without the
    /// lock, which release its wake function and lower the priority of the fills or end them.
    mutating func leaveFills(_ session: SessionID) -> [@Sendable () -> Void] {
        let forgotten = waiters.removeValue(forKey: session).map { [Self.release($0.wake)] } ?? []
        let joined = fills.filter { $0.value.users[session] != nil }.keys
        return forgotten + joined.flatMap { demote($0) { $0.leave(session) } }
    }

    /// Lowers the priority of a fill. If it's abandoned before its first request, it ends. If it's about to finish, it
    /// keeps its class, but yields its connection if another transfer needs it.
    private mutating func demote(
        _ id: FillID, _ change: (inout RunningFill) -> (@Sendable () -> Void)?
    ) -> [@Sendable () -> Void] {
        guard var fill = fills[id] else { return [] }
        let transferClass = fill.transferClass
        var calls = [change(&fill)]
        if fill.isAbandoned {
            if !fill.hasRequested { calls.append(fill.end()) }
            if isSlow(fill) == false { fill.transferClass = transferClass }
        }
        fills[id] = fill
        return calls.compactMap(\.self)
    }

    /// Ends an abandoned fill. Returns the call to make without the lock, which cancels it; nil if a user needs it.
    mutating func preempt(_ id: FillID) -> (@Sendable () -> Void)? {
        guard fills[id]?.isAbandoned == true else { return nil }
        return fills[id]?.end()
    }

    /// Starts the grace period of a fill. Returns false if it isn't abandoned, or the period has already started.
    mutating func watchAbandoned(_ id: FillID) -> Bool {
        guard let fill = fills[id], fill.isAbandoned, !fill.isEnded, fill.watch == nil else { return false }
        fills[id]?.watch = (fill.abandonments, fill.position)
        return true
    }

    /// Ends the grace period of a fill. Returns whether another starts, and the call to make without the lock.
    mutating func graceEnded(_ id: FillID) -> (goesOn: Bool, end: (@Sendable () -> Void)?) {
        guard var fill = fills[id], fill.isAbandoned, !fill.isEnded, let watch = fill.watch else {
            fills[id]?.watch = nil
            return (false, nil)
        }
        let isStuck = fill.position == watch.position
        fill.watch = (fill.abandonments, fill.position)
        defer { fills[id] = fill }
        let isFar = fill.limit - fill.position > Self.finishDistance
        // A fill that was rejoined and abandoned again has a new grace period. One that is about to finish continues.
        guard fill.abandonments == watch.abandonment, isStuck || isFar || isSlow(fill) ?? true else {
            return (true, nil)
        }
        return (false, fill.end())
    }

    /// Returns whether the rest of a fill takes longer than ``finishTime``; nil if the rate is unknown.
    private func isSlow(_ fill: RunningFill) -> Bool? {
        rate.time(for: fill.limit - fill.position).map { $0 > Self.finishTime }
    }

    /// Returns whether a fill pauses for playback. An abandoned one that is about to finish doesn't.
    func holdsBack(_ id: FillID) -> Bool {
        guard let fill = fills[id], fill.isAbandoned else { return true }
        return isSlow(fill) ?? false
    }

    /// Returns a call that releases a wake function outside the lock, since that may acquire other locks.
    static func release(_ wake: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        { withExtendedLifetime(wake) {} }
    }

    func transferClass(of fill: FillID) -> TransferClass { fills[fill]?.transferClass ?? .background }

    /// Returns the next step of the reader at `position`, whose range ends at `end`.
    ///
    /// - Parameters:
    ///   - window: The reader's read-ahead in bytes, which grows while it reads sequentially.
    ///   - wake: Called when the reader should advance again, after ``AdvanceResult/wait`` and
    ///     ``AdvanceResult/verify(_:)``.
    ///   - work: Receives the fills to start and the calls to make.
    mutating func advance(
        _ session: SessionID, position: Int64, end: Int64, window: inout Int64, readAhead: ReadAhead,
        transferClass: TransferClass, work: inout Work, wake: @escaping @Sendable () -> Void
    ) -> AdvanceResult {
        if let stale = waiters.removeValue(forKey: session) { work.calls.append(Self.release(stale.wake)) }
        if let failure = failures.removeValue(forKey: session) { return .failed(failure) }
        let end = min(end, length)
        guard position < end else { return .end }
        if let span = verified.span(at: position) {
            let until = min(span.upperBound, end)
            let planAt = planAhead(
                session, position: position, end: end, window: &window, readAhead: readAhead,
                transferClass: transferClass, work: &work)
            return .available(until: until, planAt: planAt)
        }
        if let span = written.span(at: position) {
            waiters[session] = Waiter(position: position, wake: wake)
            return .verify(position..<min(span.upperBound, position + (1 << 20)))
        }
        let hole = written.hole(at: position, limit: length) ?? position..<length
        if let refillFailure { return .failed(refillFailure) }
        if refusal != nil { return .passThrough(until: min(hole.upperBound, end)) }
        if storingFailure != nil {
            return .passThrough(until: min(hole.upperBound, end, position.clampedSum(Self.passDistance)))
        }
        if let span = forbidden.span(at: position) {
            return .passThrough(until: min(hole.upperBound, end, span.upperBound))
        }
        if let id = fill(worthWaitingForAt: position) {
            work.calls += [fills[id]?.join(session, transferClass)].compactMap(\.self)
        } else {
            start(at: position, end: end, window: window, readAhead, for: session, transferClass, work: &work)
        }
        waiters[session] = Waiter(position: position, wake: wake)
        return .wait
    }

    /// Starts a fill ahead of a reader near the end of the covered bytes. Returns the position at which to plan
    /// again.
    mutating func planAhead(
        _ session: SessionID, position: Int64, end: Int64, window: inout Int64, readAhead: ReadAhead,
        transferClass: TransferClass, work: inout Work
    ) -> Int64 {
        let covered = coverage(from: position)
        // Join fills within the window, so that they continue if their other readers leave.
        for (id, fill) in fills where fill.position < position.clampedSum(window) && position < fill.limit {
            work.calls += [fills[id]?.join(session, transferClass)].compactMap(\.self)
        }
        guard covered < end, refillFailure == nil, storingFailure == nil, forbidden.span(at: covered) == nil else {
            return .max
        }
        let isNear = covered - position < window / 2
        // Without a validator, the bytes before a fill must be cached to compare versions.
        let canCompare = head.validator.isPresent || written.span(at: covered - 1) != nil
        guard isNear, canCompare else { return max(position + 1, covered - window / 2) }
        window = min(window * 2, readAhead.maximum)
        start(at: covered, end: end, window: window, readAhead, for: session, transferClass, work: &work)
        return max(position + 1, coverage(from: position) - window / 2)
    }

    /// Returns the end of the bytes that are cached or being filled, from `position` on.
    func coverage(from position: Int64) -> Int64 {
        var covered = position
        while covered < length {
            if let span = written.span(at: covered) {
                covered = span.upperBound
            } else if let fill = fills.values.first(where: { $0.position <= covered && covered < $0.limit }) {
                covered = fill.limit
            } else {
                return covered
            }
        }
        return covered
    }
}
