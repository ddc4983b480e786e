extension RepresentationState {
    mutating func attach(at position: Int64, readAhead: ReadAhead) -> (id: SessionID, window: Int64) {
        nextID += 1
        if sessions.isEmpty {
            // The disk may have room again, and the origin may say something else.
            keepFailure = folderFailure
            forbidden = SpanMap()
        }
        sessions.insert(nextID)
        let window = recentEnds.last { abs($0.position - position) <= 64 << 10 }?.window ?? readAhead.initial
        return (nextID, window)
    }

    /// The reader goes. Returns what is to be called: its own wake, if it waits in another task, and the ends of the
    /// fills that nobody reads any more.
    mutating func detach(_ session: SessionID, at position: Int64, window: Int64) -> [@Sendable () -> Void] {
        sessions.remove(session)
        failures[session] = nil
        let wake = waiters.removeValue(forKey: session).map { [$0.wake] } ?? []
        recentEnds.removeAll { $0.position == position }
        recentEnds.append((position, window))
        if recentEnds.count > 8 { recentEnds.removeFirst() }
        let left = wake + leaveFills(session)
        guard sessions.isEmpty else { return left }
        // The fill that found the representation has no reader of its own.
        return left + Array(fills.keys).flatMap { demote($0) { $0.abandonIfUnread() } }
    }

    /// Takes a reader out of its fills. Returns the calls to make without the lock: the fills become less urgent.
    mutating func leaveFills(_ session: SessionID) -> [@Sendable () -> Void] {
        let forgotten = waiters.removeValue(forKey: session).map { [Self.release($0.wake)] } ?? []
        let joined = fills.filter { $0.value.readers[session] != nil }.keys
        return forgotten + joined.flatMap { demote($0) { $0.leave(session) } }
    }

    /// Makes a fill less urgent. One that is abandoned before its first request ends: no byte is on its way. One whose rest
    /// arrives soon keeps its class, and yields its place if another transfer needs it.
    private mutating func demote(
        _ id: FillID, _ change: (inout RunningFill) -> (@Sendable () -> Void)?
    ) -> [@Sendable () -> Void] {
        guard var fill = fills[id] else { return [] }
        let transferClass = fill.transferClass
        var calls = [change(&fill)]
        if fill.isAbandoned {
            if !fill.hasAsked { calls.append(fill.end()) }
            if isSlow(fill) == false { fill.transferClass = transferClass }
        }
        fills[id] = fill
        return calls.compactMap(\.self)
    }

    /// Ends a fill if it's abandoned, since another transfer needs its connection.
    ///
    /// - Returns: the call to make without the lock; nil if a reader or a want needs the fill.
    mutating func preempt(_ id: FillID) -> (@Sendable () -> Void)? {
        guard fills[id]?.isAbandoned == true else { return nil }
        return fills[id]?.end()
    }

    /// Begins the grace period of an abandoned fill. Returns false if the fill isn't abandoned or the period has begun.
    mutating func watchAbandoned(_ id: FillID) -> Bool {
        guard let fill = fills[id], fill.isAbandoned, !fill.isEnded, fill.watch == nil else { return false }
        fills[id]?.watch = (fill.abandonments, fill.position)
        return true
    }

    /// The grace period of an abandoned fill has passed.
    ///
    /// - Returns: whether another one begins, and the call to make without the lock, which ends the fill.
    mutating func graceEnded(_ id: FillID) -> (goesOn: Bool, end: (@Sendable () -> Void)?) {
        guard var fill = fills[id], fill.isAbandoned, !fill.isEnded, let watch = fill.watch else {
            fills[id]?.watch = nil
            return (false, nil)
        }
        let isStuck = fill.position == watch.position
        fill.watch = (fill.abandonments, fill.position)
        defer { fills[id] = fill }
        // Abandoned again meanwhile: its grace period has only begun.
        let isFar = fill.limit - fill.position > Self.finishDistance
        guard fill.abandonments == watch.abandonment, isStuck || isFar || isSlow(fill) ?? true else {
            return (true, nil)
        }
        return (false, fill.end())
    }

    /// Whether the rest of a fill takes long; nil if nothing tells.
    private func isSlow(_ fill: RunningFill) -> Bool? {
        rate.time(for: fill.limit - fill.position).map { $0 > Self.finishTime }
    }

    /// Whether a fill holds back for playback: not while it's abandoned, unless its rest takes long. The bytes that are on
    /// their way would be requested again.
    func holdsBack(_ id: FillID) -> Bool {
        guard let fill = fills[id], fill.isAbandoned else { return true }
        return isSlow(fill) ?? false
    }

    /// A call that only lets go of a wake. A wake may own what takes another lock when it's let go, so no lock is held
    /// then.
    static func release(_ wake: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        { withExtendedLifetime(wake) {} }
    }

    /// How urgent a fill is now.
    func transferClass(of fill: FillID) -> TransferClass { fills[fill]?.transferClass ?? .background }

    mutating func setStandingChanged(_ standingChanged: @escaping @Sendable () -> Void, of fill: FillID) {
        fills[fill]?.standingChanged = standingChanged
    }

    /// What there is for the reader at `position`, whose range ends at `end`.
    ///
    /// - Parameters:
    ///   - window: how far this reader reads ahead; grows when it reads in order.
    ///   - wake: kept if the answer is to wait or to verify.
    ///   - work: gets the fills that are to be started, and what is to be called.
    mutating func advance(
        _ session: SessionID, position: Int64, end: Int64, window: inout Int64, readAhead: ReadAhead,
        transferClass: TransferClass, work: inout Work, wake: @escaping @Sendable () -> Void
    ) -> Answer {
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
        if isSuperseded {
            return .failed(
                CacheError(.representationChanged, "the origin has another version; this one's missing bytes are gone"))
        }
        if transform?.isWhole == true {
            return .failed(CacheError(.representationChanged, "a part is lost of what can be fetched only as a whole"))
        }
        if keepFailure != nil {
            return .passThrough(until: min(hole.upperBound, end, position.clampedSum(Self.passDistance)))
        }
        if let span = forbidden.span(at: position) {
            return .passThrough(until: min(hole.upperBound, end, span.upperBound))
        }
        if let id = fill(worthWaitingForAt: position) {
            work.calls += [fills[id]?.join(session, transferClass)].compactMap(\.self)
        } else {
            let reader = (session, transferClass)
            work.plans.append(
                start(
                    at: position, end: end, window: window, readAhead: readAhead, reader: reader, wakes: &work.wakes))
        }
        waiters[session] = Waiter(position: position, wake: wake)
        return .wait
    }

    /// Asks for the next bytes before the reader gets there. Returns where to look again.
    mutating func planAhead(
        _ session: SessionID, position: Int64, end: Int64, window: inout Int64, readAhead: ReadAhead,
        transferClass: TransferClass, work: inout Work
    ) -> Int64 {
        let covered = coverage(from: position)
        // What is on its way for another reader is on its way for this one too, should the other leave.
        for (id, fill) in fills where fill.position < position.clampedSum(window) && position < fill.limit {
            work.calls += [fills[id]?.join(session, transferClass)].compactMap(\.self)
        }
        guard covered < end, !isSuperseded, transform?.isWhole != true, keepFailure == nil,
            forbidden.span(at: covered) == nil
        else { return .max }
        let isNear = covered - position < window / 2
        // Where only bytes tell versions apart, those before the next fill have to be here when it's compared.
        let isTold = !isUntold || written.span(at: covered - 1) != nil
        guard isNear, isTold else { return max(position + 1, covered - window / 2) }
        window = min(window * 2, readAhead.maximum)
        let reader = (session, transferClass)
        work.plans.append(
            start(at: covered, end: end, window: window, readAhead: readAhead, reader: reader, wakes: &work.wakes))
        return max(position + 1, coverage(from: position) - window / 2)
    }

    /// The end of what is here or on its way, from `position` on.
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
