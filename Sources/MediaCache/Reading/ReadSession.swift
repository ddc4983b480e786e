import Synchronization

/// One reader's ordered walk over a range of one representation: what is here comes from its blob, what isn't through
/// fills.
///
/// A session stays with its representation to the end. If the origin changes in between, bytes that are here still
/// come; a hole ends the session with ``CacheError/Code/representationChanged``. Versions are never mixed.
public final class ReadSession: Sendable {
    /// What was known of the representation when the session was opened.
    public let head: ResourceHead
    /// The bytes this session reads; the upper bound is `Int64.max` while the length isn't known.
    public let range: Range<Int64>

    private struct State {
        var position: Int64
        /// Bytes up to here may be read without asking, unless the representation has given up bytes since.
        var available: Int64
        /// The representation's count of losses of that time.
        var losses = 0
        /// Where the read-ahead is to be looked after.
        var planAt: Int64
        var window: Int64
        var through: PassThrough?
        var isCancelled = false
        var failedReads = 0
    }

    private let representation: Representation?
    /// What is read instead where nothing is kept.
    private let passing: PassingVersion?
    private let sessionID: Int
    private let engine: Engine
    private let settings: TransferSettings?
    private let transferClass: TransferClass
    private let group: TransferGroup?
    private let url: ResourceURL
    private let kind: ResourceKind
    /// What was here when the session was opened.
    private let cached: SpanMap
    private let state: OrderedMutex<State>

    /// A session over a representation; `attached` comes from ``Representation/attach(at:)``.
    init(
        representation: Representation, attached: (id: Int, window: Int64), head: ResourceHead, range: Range<Int64>,
        request: ReadRequest
    ) {
        self.representation = representation
        passing = nil
        self.head = head
        self.range = range
        sessionID = attached.id
        engine = representation.engine
        settings = request.settings
        transferClass = request.transferClass
        group = request.group
        url = request.url
        kind = request.kind
        cached = representation.spans
        state = OrderedMutex(
            .session,
            State(position: range.lowerBound, available: range.lowerBound, planAt: .max, window: attached.window))
        let isHit = cached.contains(range)
        engine.counters.opened(isHit: isHit)
        let key = representation.resource.key
        engine.events.send(isHit ? .hit(key: key) : .miss(key: key))
    }

    /// A session over bytes that aren't kept; `place` is where it reads, if it has one already.
    init(
        passing: PassingVersion, place: PassThrough?, range: Range<Int64>, request: ReadRequest, key: String,
        engine: Engine
    ) {
        representation = nil
        self.passing = passing
        sessionID = 0
        self.engine = engine
        head = passing.head
        self.range = range
        settings = request.settings
        transferClass = request.transferClass
        group = request.group
        url = request.url
        kind = request.kind
        cached = SpanMap()
        state = OrderedMutex(
            .session,
            State(
                position: range.lowerBound, available: range.lowerBound, planAt: .max, window: 0, through: place))
        engine.counters.opened(isHit: false)
        engine.events.send(.miss(key: key))
    }

    deinit { cancel() }

    var blockingPool: BlockingPool { engine.pool }

    /// The representation this session reads, unless its bytes aren't kept.
    var currentRepresentation: Representation? { representation }

    /// How many bytes of a range were here when the session was opened.
    package func bytesCached(in range: Range<Int64>) -> Int64 { cached.bytes(in: range) }

    /// Whether a byte is kept at this moment.
    package func isKept(at offset: Int64) -> Bool { representation?.spans.span(at: offset) != nil }

    /// Where the next byte comes from.
    public var position: Int64 { state.withLock { $0.position } }

    /// What there is to read now: at most `maximum` bytes. One reader polls; `onReady` is kept only when the answer
    /// is `.wait`, and is then called once, on any thread, outside every lock.
    package func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        state.withLock { state in
            while true {
                if state.isCancelled { return .failed(CacheError(.cancelled, "the read session was cancelled")) }
                if let through = state.through {
                    let shortage = Shortage(engine.traffic, of: transferClass, settings, host: url.origin)
                    let step = through.poll(maximum: maximum, onReady: shortage.wrapping(onReady))
                    if case .wait = step { shortage?.begin() }
                    guard case .end = step else { return step }
                    state.through = nil
                    state.available = state.position
                    continue
                }
                if state.position < min(state.available, state.planAt), representation?.losses == state.losses {
                    let count = min(Int64(maximum), state.available - state.position)
                    return bytes(at: state.position, count: Int(count))
                }
                if let step = advance(&state, onReady: onReady) { return step }
            }
        }
    }

    private func advance(_ state: inout State, onReady: @escaping @Sendable () -> Void) -> ReadStep? {
        guard let representation else { return passOn(&state) }
        let shortage = Shortage(engine.traffic, of: transferClass, settings, host: url.origin)
        state.losses = representation.losses
        let answer = representation.advance(
            sessionID, position: state.position, end: range.upperBound, window: &state.window, settings: settings,
            transferClass: transferClass, group: group,
            wake: shortage.wrapping(onReady))
        switch answer {
        case .available(let until, let planAt):
            state.available = until
            state.planAt = planAt
            return nil
        case .wait:
            shortage?.begin()
            return .wait
        case .verify: return .wait
        case .end: return .end
        case .failed(let error): return .failed(error)
        case .passThrough(let until):
            state.through = representation.passThrough(
                state.position..<until, settings: settings, transferClass: transferClass, group: group)
            return nil
        }
    }

    /// Goes on where nothing is kept: with others who are near, or alone.
    private func passOn(_ state: inout State) -> ReadStep? {
        guard let passing, state.position < min(range.upperBound, passing.fills.length ?? .max) else { return .end }
        guard !engine.isStopped else {
            return .failed(CacheError(.closed, "the store is closed or suspended; nothing of this is kept"))
        }
        let known = KnownRepresentation(validator: head.validator, length: head.length)
        state.through = passing.fills.join(
            state.position..<range.upperBound, known: known, settings: settings, transferClass: transferClass,
            group: group,
            tap: engine.tap(url, kind))
        return nil
    }

    private func bytes(at offset: Int64, count: Int) -> ReadStep {
        guard let representation else { return .end }
        do {
            return .bytes(try representation.source(), offset: offset, count: count)
        } catch {
            return .failed(CacheError(.storage, "\(representation.path) can't be opened", cause: error))
        }
    }

    /// The reader has taken `count` bytes of what `poll` gave.
    package func consume(_ count: Int) {
        let (position, through) = state.withLock { state in
            state.failedReads = 0
            defer { state.position += Int64(count) }
            return (state.position, state.through)
        }
        through?.consume(count)
        engine.counters.read(
            bytes: Int64(count), fromCache: cached.bytes(in: position..<position + Int64(count)))
    }

    /// The reader couldn't read what `poll` gave: the first time it may try again, then the bytes count as lost and
    /// are fetched again.
    package func readFailed(count: Int, error: any Error) {
        let lost = state.withLock { state -> Range<Int64>? in
            state.failedReads += 1
            // What passes through may have gone by, and comes again.
            guard state.failedReads > 1, state.through == nil else { return nil }
            state.failedReads = 0
            state.available = state.position
            return state.position..<state.position + Int64(count)
        }
        if let lost { representation?.readFailed(lost, error: error) }
    }

    /// Goes on at `offset`, at once: fills that nobody else reads stop.
    ///
    /// - Precondition: `offset` lies within ``range`` or at its end, and no poll is under way.
    public func seek(to offset: Int64) {
        precondition(offset >= range.lowerBound && offset <= range.upperBound, "a seek outside the session's range")
        let through = state.withLock { state in
            state.position = offset
            state.available = offset
            state.planAt = .max
            state.window = (settings ?? engine.configuration.transfers).readAhead.initial
            defer { state.through = nil }
            return state.through
        }
        through?.cancel()
        representation?.leaveFills(sessionID)
    }

    /// Ends the session. Fills that nobody else reads stop. May be called more than once.
    public func cancel() {
        let ended = state.withLock { state -> State? in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            return state
        }
        guard let ended else { return }
        ended.through?.cancel()
        representation?.detach(sessionID, at: ended.position, window: ended.window)
        engine.counters.add(\.openReads, -1)
    }
}
