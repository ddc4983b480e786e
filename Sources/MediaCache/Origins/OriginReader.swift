import HTTPTypes

/// A sequential reader of a range of a resource from its origin. It checks each response. After a temporary failure, it
/// sends another request for the bytes that are still missing.
package actor OriginReader {
    /// The number of bytes that a resumed read requests again if only a comparison can confirm the version.
    package static let overlap: Int64 = 64 << 10

    /// A function that returns the number of bytes before an offset that can be compared. At most ``overlap`` bytes are
    /// used.
    package typealias ComparableBytes = @Sendable (Int64) -> Int64

    let context: OriginContext
    let exchange: OriginExchange
    let confirming: KnownRepresentation?
    let adopts: Bool
    let acceptsWholeBody: Bool
    let sendsRange: Bool
    let acceptsContentCodings: Bool
    private let startsOver: Bool
    nonisolated let pipeline: ContentPipeline?
    var comparable: ComparableBytes
    let requested: RequestedRange
    var known: KnownRepresentation?
    var acceptsDifferentTag = false
    /// A complete length that contradicts the known one despite the same entity tag.
    var conflictingLength: Int64?
    var head: CheckedHead?
    /// Whether the response permits storing its bytes.
    var mayBeStored = true
    var body: (any OriginBody)?
    /// The position of the next byte of `body`.
    var bodyPosition: Int64 = 0
    /// The position of the next byte to return.
    var position: Int64 = 0
    /// The end of the range; nil if only the end of the body determines it.
    package internal(set) var end: Int64?
    var budget: RetryBudget
    var watch: StallWatch?
    /// The first byte of the current body to return, before ``position`` if there is an overlap to compare.
    var compareFrom: Int64 = 0
    /// The value of ``position`` when the current body began.
    var bodyFirst: Int64 = 0
    /// The maximum overlap. It's reduced if the origin sends fewer bytes per response.
    var overlapLimit = OriginReader.overlap
    /// The rest of the last buffer.
    private var rest: (buffer: any OriginBuffer, part: Range<Int>)?
    /// Whether the next request includes bytes before ``position`` for comparison if there is no strong tag.
    var isResuming = false
    var hasReturnedBytes = false
    /// The pieces that ``next()`` returns first: those received by ``peek(_:most:patience:)`` or put back.
    private var peeked: [OriginPiece] = []
    private var isReceiving = false
    /// A running reception of a buffer that no caller waits for.
    private var pending: SharedRequest<(any OriginBuffer)?>?
    private var wasClosed = false
    var mayRequest: @Sendable () -> Bool = { true }

    /// - Parameters:
    ///   - known: The representation that the bytes must belong to; nil for any.
    ///   - confirming: A version to confirm or replace. If the origin confirms it without sending bytes, ``unmodified``
    ///     is set. If the response has another version, ``hasChanged`` is set.
    ///   - adopts: Whether a response that contradicts `confirming`, such as one with the same entity tag and another
    ///     length, is used as another version.
    ///   - acceptsWholeBody: Whether to return the whole content if the origin ignores the range. If not, only the
    ///     range is returned.
    ///   - sendsRange: Whether to send `Range`. An empty resource satisfies no range, so it needs a request without
    ///     one.
    ///   - acceptsContentCodings: Whether a whole body may have a content coding despite `Accept-Encoding: identity`.
    ///   - startsOver: Whether to discard an interrupted response. ``next()`` then throws ``ResponseDiscarded``, after
    ///     which ``open(overlapping:)`` requests everything again.
    ///   - pipeline: The pipeline for the bytes that ``next()`` returns. It doesn't apply to
    ///     ``peek(_:most:patience:)``.
    ///   - comparable: A function that returns the number of cached bytes before an offset, for a resumed read without
    ///     a strong entity tag.
    package init(
        context: OriginContext,
        locator: ResourceLocator,
        requested: RequestedRange,
        known: KnownRepresentation?,
        confirming: KnownRepresentation? = nil,
        adopts: Bool = true,
        acceptsWholeBody: Bool = false,
        sendsRange: Bool = true,
        acceptsContentCodings: Bool = false,
        startsOver: Bool = false,
        pipeline: ContentPipeline? = nil,
        comparable: @escaping ComparableBytes = { _ in 0 }
    ) {
        self.confirming = confirming
        self.adopts = adopts
        self.acceptsWholeBody = acceptsWholeBody
        self.sendsRange = sendsRange
        self.acceptsContentCodings = acceptsContentCodings
        self.startsOver = startsOver
        self.pipeline = pipeline
        self.context = context
        budget = RetryBudget(context.settings.retries)
        self.exchange = OriginExchange(context: context, locator: locator)
        self.requested = requested
        self.known = known
        self.comparable = comparable
        if let bounds = requested.bounds {
            position = bounds.start
            end = bounds.end
        }
    }

    deinit {
        body?.cancel()
        watch?.stop()
    }

    /// Sends requests until a response can be used.
    ///
    /// - Parameter overlapping: Whether to request the bytes before the range as well, for comparison, if no strong
    ///   entity tag confirms the version.
    package func open(overlapping: Bool = false) async throws -> CheckedHead {
        isResuming = overlapping
        return try await reopen()
    }

    /// Returns the next bytes; nil at the end of the range. Sends further requests as necessary.
    ///
    /// - Throws: ``CacheError``; the errors of ``TransferSettings/refreshed(_:)``; ``ConnectionClosed`` after
    ///   ``closeWhileReading()``; ``ResponseDiscarded`` if the reader starts over after an interruption.
    package func next() async throws -> OriginPiece? {
        let piece = peeked.isEmpty ? try await receiveNext() : peeked.removeFirst()
        guard let piece, let pipeline else { return piece }
        return try pipeline.pass(piece)
    }

    private func receiveNext() async throws -> OriginPiece? {
        while true {
            if let end, position >= end {
                close()
                return nil
            }
            do {
                if body == nil {
                    if startsOver, head != nil { break }
                    _ = try await sendRequest()
                    continue
                }
                if let rest {
                    if let piece = cut(rest) { return piece }
                } else if let buffer = try await receive() {
                    if let piece = cut((buffer, 0..<buffer.count)) { return piece }
                } else if try finishBody() {
                    return nil
                }
            } catch {
                if wasClosed {
                    wasClosed = false
                    throw ConnectionClosed()
                }
                try await recover(from: error)
            }
        }
        forget()
        throw ResponseDiscarded()
    }

    /// The error for an interrupted response that was discarded. The caller must discard its bytes, too.
    package struct ResponseDiscarded: Error {}

    /// Resets the reader to its state before the first response.
    private func forget() {
        head = nil
        known = nil
        end = nil
        (position, bodyFirst, compareFrom) = (0, 0, 0)
        peeked = []
        (isResuming, hasReturnedBytes) = (false, false)
    }

    /// Returns the next bytes without advancing; ``next()`` returns them again.
    ///
    /// - Parameters:
    ///   - count: The number of bytes to wait for. Fewer are returned if the body is shorter, or after `patience`.
    ///   - most: The maximum number of bytes to return of each received piece, if greater than `count`.
    ///   - patience: The maximum time to wait for more bytes once some have been received; nil for no limit.
    package func peek(_ count: Int, most: Int = 0, patience: Duration? = nil) async throws -> [UInt8] {
        while true {
            let here = peeked.reduce(0) { $0 + $1.part.count }
            guard here < count else { break }
            if here > 0, let patience, await !receives(within: patience) { break }
            guard let piece = try await receiveNext() else { break }
            peeked.append(piece)
            // After an interruption, further responses must have this version.
            if known == nil, let head {
                known = KnownRepresentation(validator: head.validator, length: head.completeLength)
            }
        }
        return peeked.flatMap { piece in piece.withUnsafeBytes { Array($0.prefix(max(count, most))) } }
    }

    /// Sets the function that permits further requests. If it returns false, ``next()`` throws a cancellation error.
    package func setMayRequest(_ mayRequest: @escaping @Sendable () -> Bool) { self.mayRequest = mayRequest }

    /// Puts back the last piece returned by ``next()``, which will return it again, marked as put back.
    package func putBack(_ piece: OriginPiece) {
        var piece = piece
        piece.wasPutBack = true
        peeked.insert(piece, at: 0)
    }

    /// Closes the connection. The next call of ``next()`` opens another one and continues at the first missing byte.
    package func close() {
        // The next response may have another version, which only a comparison detects if there is no strong entity tag.
        if hasReturnedBytes { isResuming = true }
        body?.cancel()
        body = nil
        pending = nil
        rest = nil
        watch?.stop()
        watch = nil
    }

    /// Closes the connection. A waiting call of ``next()`` throws ``ConnectionClosed`` and can be repeated.
    package func closeWhileReading() {
        guard body != nil else { return }
        wasClosed = isReceiving
        isResuming = true
        close()
    }

    /// The error for a connection closed by ``closeWhileReading()`` during a wait.
    package struct ConnectionClosed: Error {}

    /// Sets the representation that further bytes must belong to.
    package func expect(_ known: KnownRepresentation, comparable: ComparableBytes? = nil) {
        self.known = known
        if let comparable { self.comparable = comparable }
    }

    /// Sets the function that returns the number of bytes before an offset that the caller can compare. The next
    /// request includes such bytes if no strong entity tag confirms the version.
    package func resume(comparing comparable: @escaping ComparableBytes) {
        self.comparable = comparable
        isResuming = true
    }

    /// Accepts responses with another entity tag as the same version. The caller must have compared bytes.
    package func acceptDifferentTag() { acceptsDifferentTag = true }

    /// See ``OriginBody/executor``.
    var executor: (any TaskExecutor)? { body?.executor }

    /// The head of the current or last response.
    package var responseHead: CheckedHead? { head }

    /// The position of the next byte to be returned by ``next()``.
    package var start: Int64 { peeked.first?.offset ?? position }

    /// The fields of the response that confirmed the version passed as `confirming` (RFC 9110 §15.4.5).
    var unmodified: HTTPFields?

    /// Whether the first response has a version other than the one passed as `confirming`.
    var hasChanged = false

    /// The URL after redirects; nil if it's the requested one.
    package internal(set) var location: ResourceURL?

    /// The kind of address that responded.
    package internal(set) var peer = AddressKind.unknown

    /// The complete length, if it was learned at the end of a body of unknown length.
    package internal(set) var learnedLength: Int64?

    // MARK: - Reception

    private func receive() async throws -> (any OriginBuffer)? {
        guard let body, let watch else { return nil }
        watch.isAwaited(true)
        isReceiving = true
        defer {
            watch.isAwaited(false)
            isReceiving = false
        }
        do {
            let buffer = try await nextBuffer(of: body)
            if let buffer { watch.received(buffer.count) }
            return buffer
        } catch {
            if watch.hasFired {
                throw CacheError(
                    .timedOut,
                    "\(exchange.locator.url) sent less than 1 KiB in \(context.settings.limits.stall.seconds) s")
            }
            throw error
        }
    }

    private func nextBuffer(of body: any OriginBody) async throws -> (any OriginBuffer)? {
        guard let pending else { return try await body.next() }
        self.pending = nil
        return try await pending.wait() ?? nil
    }

    /// Returns whether a buffer, which ``receive()`` returns later, or the end is received within a time limit.
    private func receives(within patience: Duration) async -> Bool {
        guard let body, rest == nil, end.map({ position < $0 }) ?? true else { return true }
        let next = pending ?? SharedRequest { try await body.next() }
        next.outliveWaiters()
        pending = next
        let time = context.time
        watch?.isAwaited(true)
        defer { watch?.isAwaited(false) }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = try? await next.wait()
                return true
            }
            group.addTask { (try? await time.sleep(for: patience)) == nil }
            defer { group.cancelAll() }
            return await group.next() ?? true
        }
    }

    /// Returns the next needed part of a buffer, if any. Overlapping bytes are a separate piece.
    private func cut(_ received: (buffer: any OriginBuffer, part: Range<Int>)) -> OriginPiece? {
        rest = nil
        let offset = bodyPosition
        let bufferEnd = offset + Int64(received.part.count)
        let lower = max(offset, compareFrom)
        let isOverlap = lower < position
        let upper = min(bufferEnd, head?.end ?? .max, isOverlap ? position : end ?? .max)
        guard lower < upper else {
            bodyPosition = bufferEnd
            return nil
        }
        bodyPosition = isOverlap ? upper : bufferEnd
        let first = received.part.lowerBound
        if isOverlap, upper < bufferEnd {
            rest = (received.buffer, first + Int(upper - offset)..<received.part.upperBound)
        }
        if !isOverlap {
            // Bytes that may still be discarded don't reset the retry budget.
            if !startsOver { budget.received(upper - position) }
            position = upper
            hasReturnedBytes = true
            isResuming = false
        }
        return OriginPiece(
            buffer: received.buffer, part: first + Int(lower - offset)..<first + Int(upper - offset), offset: lower,
            isOverlap: isOverlap, validator: head?.validator ?? Validator(), mayBeStored: mayBeStored,
            hasDifferentTag: acceptsDifferentTag)
    }

    /// Handles the end of a body. Returns whether no further response is needed.
    private func finishBody() throws -> Bool {
        guard let head else { return true }
        close()
        let announced = head.end ?? known?.length
        guard let bodyEnd = announced else {
            learnedLength = bodyPosition
            end = bodyPosition
            return true
        }
        guard bodyPosition >= bodyEnd else {
            throw CacheError(
                .badResponse,
                "\(exchange.locator.url) sent \(bodyPosition - head.start) of \(bodyEnd - head.start) bytes")
        }
        // A response may contain only part of the range, and no complete length. The rest is requested until the range
        // is complete.
        let isLast = end.map { position >= $0 } ?? (head.completeLength != nil)
        if !isLast, position == bodyFirst {
            // The body contained only the overlap; the same request would return the same bytes.
            let less = max(1, (bodyEnd - head.start) / 2)
            guard less < overlapLimit else {
                throw CacheError(
                    .badResponse, "the response for \(exchange.locator.url) has none of the requested bytes")
            }
            overlapLimit = less
        }
        return isLast
    }

    // MARK: - Failures

    /// Waits before a retry or, after status 401, 403 or 410, obtains a fresh URL. Throws an error if it can't retry.
    func recover(from error: any Error) async throws {
        close()
        isResuming = true
        let failure = CacheError.wrap(error, as: .unreachable, "\(exchange.locator.url) can't be read")
        if failure.code == .cancelled || Task.isCancelled { throw cancelled }
        if failure.code == .originStatus, let status = failure.status, [401, 403, 410].contains(status) {
            guard try await refresh() else { throw failure }
            return
        }
        context.counters.add(\.originFailures)
        let delay = try budget.delay(after: failure, at: context.time.monotonic, random: context.random())
        do {
            try await context.time.sleep(for: delay)
        } catch {
            throw cancelled
        }
    }

    private var cancelled: CacheError {
        CacheError(.cancelled, "the request for \(exchange.locator.url) was cancelled")
    }

    /// Requests a fresh URL from the caller if the budget permits. Returns whether the URL was replaced.
    private func refresh() async throws -> Bool {
        guard budget.mayRefresh, let fresh = try await context.settings.refreshed(exchange.locator.url) else {
            return false
        }
        budget.refreshed()
        exchange.locator.update(url: fresh.url, scope: fresh.scope)
        return true
    }
}

/// Received bytes of a representation, with their position.
package struct OriginPiece: Sendable {
    package var buffer: any OriginBuffer
    /// The valid part of `buffer`.
    package var part: Range<Int>
    /// The position of the first byte in the representation.
    package var offset: Int64
    /// Whether the bytes were requested only for comparison with cached ones.
    package var isOverlap: Bool
    package var validator: Validator
    package var mayBeStored: Bool
    /// Whether the response's entity tag differed from that of the version, so that bytes were compared instead.
    package var hasDifferentTag: Bool

    /// Whether ``ContentPipeline`` has observed and transformed the bytes.
    package var hasPassed = false
    /// Whether ``OriginReader`` has returned the bytes before, so that they have been counted as received.
    package var wasPutBack = false

    package var range: Range<Int64> { offset..<offset + Int64(part.count) }

    /// Calls `body` with the bytes, which are valid only during the call.
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[part])) }
    }
}
