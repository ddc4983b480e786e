/// What a representation knows while it's open, and every decision about it: which bytes may be served, who waits for
/// which, what is to be filled next. Pure: it does no I/O and takes no lock; what is to be done comes back as a value.
package struct RepresentationState: Sendable {
    package typealias SessionID = Int
    package typealias FillID = Int

    /// A reader that waits for the byte at `position`.
    struct Waiter {
        var position: Int64
        var wake: @Sendable () -> Void
    }

    /// A fill under way: it writes `position..<limit`, in order.
    struct RunningFill {
        var position: Int64
        var limit: Int64
        var readers: Set<SessionID>
        /// Whether it goes on without readers.
        var isWanted: Bool
        var cancel: (@Sendable () -> Void)?
        /// Tells the scheduler how urgent it has become.
        var raise: (@Sendable (TransferClass) -> Void)?
    }

    /// A fill to be started.
    package struct FillPlan: Sendable, Hashable {
        package var id: FillID
        package var range: Range<Int64>
        /// Whether the bytes before it came in an earlier opening, so that a weak validator has to be helped out by
        /// comparing them.
        package var resumes: Bool
        /// Whether no validator tells versions apart and nothing lies before it to be compared, so that some bytes
        /// that are here have to be asked for again first.
        package var probes: Bool
    }

    /// What a reader gets.
    enum Answer {
        /// Bytes up to `until` may be read; ask again when the reader is at `planAt`, or at `until`.
        case available(until: Int64, planAt: Int64)
        case wait
        /// Bytes are here that haven't been verified since opening.
        case verify(Range<Int64>)
        case end
        /// The hole can't be filled into the blob: read up to `until` past it.
        case passThrough(until: Int64)
        case failed(CacheError)
    }

    /// If a fill is this near, waiting for it is always quicker than asking anew.
    static let nearDistance: Int64 = 256 << 10
    /// A fill that nobody reads any more may still finish this many bytes: they are in the pipe already.
    static let finishDistance: Int64 = 1 << 20
    /// So may what the origin sends in this time: most of it is on its way, and would be sent again.
    static let finishTime = Duration.milliseconds(500)
    /// How far a reader goes past the blob before it's asked whether bytes can be kept again.
    static let passDistance: Int64 = 8 << 20

    package var head: ResourceHead
    package var freshness: Freshness
    package var ignoresRanges: Bool
    package var isSuperseded = false
    /// Why bytes can't be written, if they can't.
    package var keepFailure: CacheError?
    package private(set) var written: SpanMap
    /// The part of ``written`` that came in this opening or was compared with its checksums since.
    package private(set) var verified = SpanMap()
    /// The part of ``written`` that came in this opening.
    private var arrived = SpanMap()
    private var checksums: BlockChecksums
    package private(set) var uncommittedBytes: Int64 = 0
    private(set) var needsCommit = false
    /// Spans that the catalog knew and whose bytes weren't in the blob at opening.
    var lostAtOpening: [Range<Int64>] = []

    private var nextID = 0
    private var sessions: Set<SessionID> = []
    private var waiters: [SessionID: Waiter] = [:]
    private var failures: [SessionID: CacheError] = [:]
    private(set) var fills: [FillID: RunningFill] = [:]
    private var rate = TransferRate()
    /// Where sessions ended a moment ago and how far they read ahead: a player that reads in small ranges goes on there.
    private var recentEnds: [(position: Int64, window: Int64)] = []

    package init(
        head: ResourceHead, freshness: Freshness, ignoresRanges: Bool = false, written: SpanMap = SpanMap(),
        checksums: BlockChecksums = BlockChecksums()
    ) {
        self.head = head
        self.freshness = freshness
        self.ignoresRanges = ignoresRanges
        self.written = written
        self.checksums = checksums
    }

    package var isComplete: Bool { head.length.map { written.byteCount == $0 } ?? false }

    /// Whether nothing but bytes tells this version from another of the same length.
    private var isUntold: Bool { head.validator.strongEntityTag == nil && head.validator.lastModified == nil }

    package var isInUse: Bool { !sessions.isEmpty || !fills.isEmpty }

    package var length: Int64 { head.length ?? .max }

    // MARK: - Readers

    mutating func attach(at position: Int64, readAhead: ReadAhead) -> (id: SessionID, window: Int64) {
        nextID += 1
        // The disk may have room again.
        if sessions.isEmpty { keepFailure = nil }
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
        // The fill that found the representation has no reader of its own. It may finish a read-ahead, since players
        // that read in small ranges come back at once, but not a whole film.
        return left
            + fills.values.filter { isOver($0, distance: Self.finishDistance) }.compactMap(\.cancel)
    }

    /// The reader goes elsewhere. Returns the fills that nobody reads any more.
    mutating func leaveFills(_ session: SessionID) -> [@Sendable () -> Void] {
        waiters[session] = nil
        return fills.keys.compactMap { id in
            guard var fill = fills[id], fill.readers.remove(session) != nil else { return nil }
            fills[id] = fill
            return isOver(fill, distance: Self.finishDistance) ? fill.cancel : nil
        }
    }

    private func isOver(_ fill: RunningFill, distance: Int64) -> Bool {
        guard fill.readers.isEmpty, !fill.isWanted else { return false }
        let left = fill.limit - fill.position
        return left > distance && rate.time(for: left).map { $0 > Self.finishTime } ?? true
    }

    /// Somebody wants all of it: what is on its way goes on without readers.
    mutating func wantRunningFills() {
        for id in fills.keys { fills[id]?.isWanted = true }
    }

    /// How the fill that `session` waits for is told that it has become more urgent.
    func raise(ofFillFor session: SessionID) -> (@Sendable (TransferClass) -> Void)? {
        guard let position = waiters[session]?.position else { return nil }
        return fills.values.first { $0.position <= position && position < $0.limit }?.raise
    }

    mutating func setRaise(_ raise: @escaping @Sendable (TransferClass) -> Void, of fill: FillID) {
        fills[fill]?.raise = raise
    }

    /// What there is for the reader at `position`, whose range ends at `end`.
    ///
    /// - Parameters:
    ///   - window: how far this reader reads ahead; grows when it reads in order.
    ///   - wake: kept if the answer is to wait or to verify.
    ///   - plans: gets the fills that are to be started.
    mutating func advance(
        _ session: SessionID, position: Int64, end: Int64, window: inout Int64, readAhead: ReadAhead,
        plans: inout [FillPlan], wake: @escaping @Sendable () -> Void
    ) -> Answer {
        if let failure = failures.removeValue(forKey: session) { return .failed(failure) }
        let end = min(end, length)
        guard position < end else { return .end }
        if let span = verified.span(at: position) {
            let until = min(span.upperBound, end)
            let planAt = planAhead(
                session, position: position, end: end, window: &window, readAhead: readAhead, plans: &plans)
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
        if keepFailure != nil {
            return .passThrough(until: min(hole.upperBound, end, position + Self.passDistance))
        }
        if let id = fill(worthWaitingForAt: position) {
            fills[id]?.readers.insert(session)
        } else {
            plans.append(start(at: position, end: end, window: window, readAhead: readAhead, reader: session))
        }
        waiters[session] = Waiter(position: position, wake: wake)
        return .wait
    }

    /// Asks for the next bytes before the reader gets there. Returns where to look again.
    private mutating func planAhead(
        _ session: SessionID, position: Int64, end: Int64, window: inout Int64, readAhead: ReadAhead,
        plans: inout [FillPlan]
    ) -> Int64 {
        let covered = coverage(from: position)
        // What is on its way for another reader is on its way for this one too, should the other leave.
        for (id, fill) in fills where fill.position < position.clampedSum(window) && position < fill.limit {
            fills[id]?.readers.insert(session)
        }
        guard covered < end, !isSuperseded, keepFailure == nil else { return .max }
        let isNear = covered - position < window / 2
        // Where only bytes tell versions apart, those before the next fill have to be here when it's compared.
        let isTold = !isUntold || written.span(at: covered - 1) != nil
        guard isNear, isTold else { return max(position + 1, covered - window / 2) }
        window = min(window * 2, readAhead.maximum)
        plans.append(start(at: covered, end: end, window: window, readAhead: readAhead, reader: session))
        return max(position + 1, coverage(from: position) - window / 2)
    }

    /// The end of what is here or on its way, from `position` on.
    private func coverage(from position: Int64) -> Int64 {
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

    // MARK: - Fills

    /// The fill that will reach `position` sooner than a new request would.
    private func fill(worthWaitingForAt position: Int64) -> FillID? {
        let candidates = fills.filter { $0.value.position <= position && position < $0.value.limit }
        guard let (id, fill) = candidates.max(by: { $0.value.position < $1.value.position }) else { return nil }
        let distance = position - fill.position
        let isNear = distance <= Self.nearDistance || rate.time(for: distance).map { $0 <= rate.latency } ?? false
        return isNear || ignoresRanges ? id : nil
    }

    private mutating func start(
        at position: Int64, end: Int64, window: Int64, readAhead: ReadAhead, reader: SessionID
    ) -> FillPlan {
        let hole = written.hole(at: position, limit: length) ?? position..<length
        // No further than the reader will go, but for one read-ahead.
        var limit = min(hole.upperBound, max(end, position.clampedSum(readAhead.initial)))
        if window < limit - position { limit = position + window }
        if ignoresRanges || head.length == nil { limit = hole.upperBound }
        return begin(position..<limit, readers: [reader], isWanted: false)
    }

    /// Starts a fill of the first hole in `range` that no fill is on, if there is one.
    mutating func startWanted(in range: Range<Int64>) -> FillPlan? {
        var position = range.lowerBound
        while position < min(range.upperBound, length) {
            position = coverage(from: position)
            guard position < min(range.upperBound, length) else { return nil }
            if let hole = written.hole(at: position, limit: min(range.upperBound, length)) {
                let next = fills.values.map(\.position).filter { $0 > position }.min() ?? .max
                return begin(position..<min(hole.upperBound, next), readers: [], isWanted: true)
            }
        }
        return nil
    }

    /// Notes a fill whose response is here already.
    mutating func begin(_ range: Range<Int64>, readers: Set<SessionID>, isWanted: Bool) -> FillPlan {
        nextID += 1
        var range = range
        // Each byte has one fill: who was to come here stops here.
        for id in fills.keys {
            guard let fill = fills[id] else { continue }
            if fill.position < range.lowerBound, range.lowerBound < fill.limit {
                fills[id]?.limit = range.lowerBound
            } else if range.lowerBound <= fill.position, fill.position < range.upperBound, fill.position < fill.limit {
                range = range.lowerBound..<max(range.lowerBound, fill.position)
            }
        }
        let id = nextID
        fills[id] = RunningFill(
            position: range.lowerBound, limit: range.upperBound, readers: readers, isWanted: isWanted)
        let before = range.lowerBound - 1
        let isBeforeHere = before >= 0 && written.span(at: before) != nil
        let resumes = isBeforeHere && (isUntold || arrived.span(at: before) == nil)
        let probes = isUntold && !isBeforeHere && !written.isEmpty
        return FillPlan(id: id, range: range, resumes: resumes, probes: probes)
    }

    /// The origin sends the whole to every request: this fill may as well write all of it that is missing.
    mutating func ignoreRanges(of fill: FillID) {
        ignoresRanges = true
        fills[fill]?.position = 0
        let end = length
        fills[fill]?.limit = end
    }

    mutating func setCancel(_ cancel: @escaping @Sendable () -> Void, of fill: FillID) {
        fills[fill]?.cancel = cancel
    }

    /// Up to where a fill may write now.
    func limit(of fill: FillID) -> Int64 { fills[fill]?.limit ?? 0 }

    /// Whether a fill has written all that it was to write.
    func isFull(_ fill: FillID) -> Bool {
        fills[fill].map { $0.position >= min($0.limit, length) } ?? true
    }

    /// The parts of `range` that aren't here.
    func missing(in range: Range<Int64>) -> [Range<Int64>] {
        var missing: [Range<Int64>] = []
        var position = range.lowerBound
        while let hole = written.firstHole(in: position..<max(position, range.upperBound)) {
            missing.append(hole)
            position = hole.upperBound
        }
        return missing
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
            verified.insert(record.range)
            arrived.insert(record.range)
        }
        uncommittedBytes += written.byteCount - before
        needsCommit = true
        fills[fill]?.position = range.upperBound
        return takeWaiters { range.contains($0.position) }
    }

    mutating func measured(bytes: Int64, in duration: Duration) { rate.add(bytes: bytes, in: duration) }
    mutating func measured(latency: Duration) { rate.add(latency: latency) }
    package var bytesPerSecond: Double { rate.bytesPerSecond }

    /// A fill has ended. Returns whom to wake: they plan anew, or learn of the failure.
    mutating func fillEnded(_ id: FillID, error: CacheError?) -> [@Sendable () -> Void] {
        guard let fill = fills.removeValue(forKey: id) else { return [] }
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

    private mutating func takeWaiters(where isConcerned: (Waiter) -> Bool) -> [@Sendable () -> Void] {
        guard !waiters.isEmpty else { return [] }
        let taken = waiters.filter { isConcerned($0.value) }
        for session in taken.keys { waiters[session] = nil }
        return taken.values.map(\.wake)
    }

    // MARK: - Checksums

    /// The checksum records to compare before bytes of `range` may be served.
    mutating func recordsToVerify(in range: Range<Int64>) -> [BlockChecksums.Record] {
        checksums.records(in: range).filter { !verified.contains($0.range) }
    }

    /// Nothing counts as verified any more.
    mutating func distrust() { verified = SpanMap() }

    /// What the comparison found. Bytes without a record, or with one that doesn't match, become a hole.
    ///
    /// - Returns: what was lost, and whom to wake.
    mutating func didVerify(
        _ range: Range<Int64>, good: [Range<Int64>]
    ) -> (damaged: [Range<Int64>], woken: [@Sendable () -> Void]) {
        for span in good where written.contains(span) { verified.insert(span) }
        let damaged = written.spans(in: range).flatMap { span in
            var rest = SpanMap(CollectionOfOne(span))
            for good in verified.spans(in: span) { rest.remove(good) }
            return Array(rest.spans)
        }
        for span in damaged { forget(span) }
        return (damaged, takeWaiters { _ in true })
    }

    /// Bytes are given up, or can't be read: a hole from now on.
    package mutating func forget(_ range: Range<Int64>) {
        let lost = checksums.remove(range)
        for span in lost + [range] {
            written.remove(span)
            verified.remove(span)
            arrived.remove(span)
        }
        needsCommit = true
    }

    // MARK: - Commit

    package mutating func takeDirtyPages() -> [Int64: [UInt8]] {
        needsCommit = false
        return checksums.takeDirtyPages()
    }

    package mutating func didCommit(bytes: Int64) { uncommittedBytes -= bytes }

    package mutating func commitFailed(pages: some Sequence<Int64>) {
        needsCommit = true
        checksums.markDirty(pages: pages)
    }

    package mutating func setNeedsCommit() { needsCommit = true }

    package mutating func allChecksumPages() -> [Int64: [UInt8]] { checksums.allPages() }
}

/// How fast an origin is, as running estimates.
struct TransferRate: Sendable {
    private(set) var bytesPerSecond = 0.0
    /// From the request to the first byte.
    private(set) var latency = Duration.milliseconds(100)

    mutating func add(bytes: Int64, in duration: Duration) {
        guard duration > .zero else { return }
        let sample = Double(bytes) / duration.seconds
        bytesPerSecond = bytesPerSecond == 0 ? sample : bytesPerSecond * 0.8 + sample * 0.2
    }

    mutating func add(latency sample: Duration) {
        latency = latency * 0.7 + sample * 0.3
    }

    func time(for bytes: Int64) -> Duration? {
        bytesPerSecond > 0 ? .seconds(Double(bytes) / bytesPerSecond) : nil
    }
}
