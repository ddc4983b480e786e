/// A reader's sequential pass over a range of a representation, which reads cached bytes and fills missing ones.
///
/// A session never mixes versions. If the resource changes at the origin, the session still returns cached bytes of its
/// version, and fails at the next hole with ``CacheError/Code/representationChanged``.
public final class ReadSession: Sendable {
    /// The head of the representation when the session was opened.
    public let head: ResourceHead
    /// The session's byte range. If the length was unknown when the session was opened, an open-ended range ends at
    /// `Int64.max`.
    public let range: Range<Int64>

    private struct State {
        var position: Int64
        /// The end of the bytes that can be read without querying the representation, unless it has lost bytes since.
        var available: Int64
        /// The representation's count of losses when ``available`` was set.
        var losses = 0
        /// The position at which to plan the read-ahead again.
        var planAt: Int64
        var window: Int64
        /// The session's reader in a fill whose bytes aren't stored.
        var memoryReader: MemoryFill.Reader?
        var isCancelled = false
        var failedReads = 0
    }

    private let representation: Representation
    private let sessionID: Int
    let engine: Engine
    private let request: ReadRequest
    /// The cached spans when the session was opened.
    private let cached: SpanMap
    private let state: OrderedMutex<State>

    /// - Parameters:
    ///   - attached: The result of ``Representation/attach(at:)``.
    ///   - memoryReader: The session's reader in a running fill whose bytes aren't stored, if there is one.
    init(
        representation: Representation, attached: (id: Int, window: Int64), head: ResourceHead, range: Range<Int64>,
        request: ReadRequest, memoryReader: MemoryFill.Reader? = nil
    ) {
        self.representation = representation
        self.head = head
        self.range = range
        sessionID = attached.id
        engine = representation.engine
        self.request = request
        cached = representation.spans
        state = OrderedMutex(
            .session,
            State(
                position: range.lowerBound, available: range.lowerBound, planAt: .max, window: attached.window,
                memoryReader: memoryReader))
        let isHit = representation.isStored && cached.contains(range)
        engine.counters.opened(isHit: isHit)
        let key = representation.resource.key
        engine.events.send(isHit ? .hit(key: key) : .miss(key: key))
    }

    deinit { cancel() }

    /// The representation; nil if its bytes aren't stored.
    var currentRepresentation: Representation? { representation.isStored ? representation : nil }

    /// The catalog number of the session's version; nil if its bytes aren't stored.
    package var version: Int64? { currentRepresentation?.id }

    /// Returns how many bytes of a range were cached when the session was opened.
    package func bytesCached(in range: Range<Int64>) -> Int64 { cached.bytes(in: range) }

    /// Returns whether a byte is currently cached.
    package func isCached(at offset: Int64) -> Bool { representation.spans.span(at: offset) != nil }

    /// The offset of the next byte.
    public var position: Int64 { state.withLock { $0.position } }

    /// Returns the next step, with at most `maximum` bytes. Calls must not overlap. If the step is ``ReadStep/wait``,
    /// `onReady` is called once, on any thread, outside all locks; otherwise it isn't called.
    package func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        // Retained until the next fill has copied the ended fill's last bytes, to compare them with the origin's.
        var ended: MemoryFill.Reader?
        defer { withExtendedLifetime(ended) {} }
        return state.withLock { state in
            while true {
                if state.isCancelled { return .failed(CacheError(.cancelled, "the read session was cancelled")) }
                if let reader = state.memoryReader {
                    let shortage = shortage
                    let step = reader.poll(maximum: maximum, onReady: shortage.wrapping(onReady))
                    if case .wait = step { shortage?.begin() }
                    guard case .end = step else { return step }
                    ended = reader
                    state.memoryReader = nil
                    state.available = state.position
                    continue
                }
                if state.position < min(state.available, state.planAt), representation.losses == state.losses {
                    let count = min(Int64(maximum), state.available - state.position)
                    return bytes(at: state.position, count: Int(count))
                }
                if let step = advance(&state, onReady: onReady) { return step }
            }
        }
    }

    private func advance(_ state: inout State, onReady: @escaping @Sendable () -> Void) -> ReadStep? {
        let shortage = shortage
        state.losses = representation.losses
        let answer = representation.advance(
            sessionID, position: state.position, end: range.upperBound, window: &state.window, request,
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
            state.memoryReader = representation.memoryReader(state.position..<until, request)
            return nil
        }
    }

    private var shortage: Shortage? {
        Shortage(engine.traffic, of: request.transferClass, request.settings, host: request.url.origin)
    }

    private func bytes(at offset: Int64, count: Int) -> ReadStep {
        do {
            return .bytes(try representation.source(), offset: offset, count: count)
        } catch {
            return .failed(CacheError(.storage, "\(representation.path) can't be opened", cause: error))
        }
    }

    /// Advances past `count` bytes returned by ``poll(maximum:onReady:)``.
    package func consume(_ count: Int) {
        let (position, reader) = state.withLock { state in
            state.failedReads = 0
            defer { state.position += Int64(count) }
            return (state.position, state.memoryReader)
        }
        reader?.consume(count)
        engine.counters.read(
            bytes: Int64(count), fromCache: cached.bytes(in: position..<position + Int64(count)))
    }

    /// Reports that bytes returned by ``poll(maximum:onReady:)`` couldn't be read. After the first failure, the reader
    /// may try again. After the second, the bytes count as lost, and are fetched again.
    package func readFailed(count: Int, error: any Error) {
        let lost = state.withLock { state -> Range<Int64>? in
            state.failedReads += 1
            // Bytes that aren't stored may have left the memory of their fill, and are requested again.
            guard state.failedReads > 1, state.memoryReader == nil else { return nil }
            state.failedReads = 0
            state.available = state.position
            return state.position..<state.position + Int64(count)
        }
        if let lost { representation.readFailed(lost, error: error) }
    }

    /// Continues at `offset`. Fills without other readers are abandoned.
    ///
    /// - Precondition: `offset` is within ``range`` or at its end, and no bytes are being read or waited for.
    public func seek(to offset: Int64) {
        precondition(offset >= range.lowerBound && offset <= range.upperBound, "seek outside the session's range")
        let reader = state.withLock { state in
            state.position = offset
            state.available = offset
            state.planAt = .max
            state.window = (request.settings ?? engine.transfers).readAhead.initial
            return exchange(&state.memoryReader, with: nil)
        }
        reader?.cancel()
        representation.leaveFills(sessionID)
    }

    /// Ends the session and abandons fills without other readers. A waiting reader receives
    /// ``CacheError/Code/cancelled``. Further calls have no effect.
    public func cancel() {
        let ended = state.withLock { state -> State? in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            return state
        }
        guard let ended else { return }
        ended.memoryReader?.cancel()
        representation.detach(sessionID, at: ended.position, window: ended.window)
        engine.counters.add(\.openReads, -1)
    }
}

/// The next step of a reader.
package enum ReadStep: Sendable {
    /// `count` bytes are available at `offset` of `source`. The reader reads them, then calls
    /// ``ReadSession/consume(_:)`` or, after an error, ``ReadSession/readFailed(count:error:)``.
    case bytes(any BlobReader, offset: Int64, count: Int)
    /// No bytes are available yet. The callback passed to `poll` is called once, outside all locks, when the reader
    /// should poll again.
    case wait
    /// The range has been read.
    case end
    /// The session has failed.
    case failed(CacheError)
}

/// The source of a session's bytes: a blob, or memory.
package protocol BlobReader: Sendable {
    /// Reads exactly `buffer.count` bytes at `offset`; returns false if that might wait for a disk. Doesn't block.
    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool

    /// Reads exactly `buffer.count` bytes at `offset`. May block.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws

    /// Returns the descriptor of a file that contains these bytes at the same offset, for `sendfile`. Returns nil if
    /// there is no such file, or if sending might wait for a disk according to samples. The descriptor is valid while
    /// this object exists; the caller must not close it. Doesn't block.
    func descriptor(forSending range: Range<Int64>) -> Int32?
}

extension BlobReader {
    package func descriptor(forSending range: Range<Int64>) -> Int32? { nil }
}
