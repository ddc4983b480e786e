import HTTPTypes

/// Reads a range of a resource from its origin in order: checks every response, retries what may pass, and goes on at
/// the first missing byte.
package actor OriginReader {
    /// How many bytes a resumed read asks for again where only bytes can tell whether the version is the same.
    package static let overlap: Int64 = 64 << 10

    /// How many bytes before an offset can be compared with what is here. At most ``overlap`` counts.
    package typealias ComparableBytes = @Sendable (Int64) -> Int64

    private let context: OriginContext
    private let exchange: OriginExchange
    private let unless: Validator?
    private let takesWhole: Bool
    private let sendsRange: Bool
    private let takesCodings: Bool
    private let startsOver: Bool
    nonisolated let tap: ContentTap?
    private var comparable: ComparableBytes
    private let asked: AskedRange
    private var known: KnownRepresentation?
    private var acceptsOtherTag = false
    /// A complete length that the origin gave under the tag of another.
    private var otherLength: Int64?
    private var head: CheckedHead?
    /// Whether the response allows keeping its bytes.
    private var mayBeKept = true
    private var body: (any OriginBody)?
    /// Where the next byte of `body` lies.
    private var bodyPosition: Int64 = 0
    /// The first byte not yet handed over.
    private var position: Int64 = 0
    /// One past the last byte that will come; nil if only the body's end tells.
    package private(set) var end: Int64?
    private var budget: RetryBudget
    private var watch: StallWatch?
    /// The first byte handed over of the current body: before ``position`` where bytes are to be compared.
    private var compareFrom: Int64 = 0
    /// Where ``position`` was when the current body began.
    private var bodyFirst: Int64 = 0
    /// The most to overlap by: less than what the origin gives at a time.
    private var overlapLimit = OriginReader.overlap
    /// What is left of the last buffer.
    private var rest: (buffer: any OriginBuffer, part: Range<Int>)?
    /// Whether bytes of an earlier request lie right before ``position``.
    private var isResuming = false
    /// Whether any byte has been handed over.
    private var hasGiven = false
    /// What ``peek(_:)`` has taken and ``next()`` hasn't given yet.
    private var peeked: [OriginPiece] = []
    private var isReceiving = false
    /// A buffer that was waited for longer than its reader wanted to.
    private var pending: Task<(any OriginBuffer)?, any Error>?
    private var wasLetGo = false
    /// Whether a further request is wanted.
    private var mayAsk: @Sendable () -> Bool = { true }

    /// - Parameters:
    ///   - asked: the bytes wanted.
    ///   - known: the representation they must be of, or nil to take what comes.
    ///   - unless: the version that nothing is to be sent of: ``unmodified`` says that it's current.
    ///   - takesWhole: whether to take all that comes where the origin answers a range with the whole; else it's cut.
    ///   - sendsRange: whether to ask with `Range`. An empty resource satisfies none, and is asked for without.
    ///   - takesCodings: whether a whole body may come in a content coding, though identity is asked for.
    ///   - startsOver: whether a response that breaks off is lost: ``next()`` throws ``BodyLost``, and ``open(overlapping:)``
    ///     asks for all of it again.
    ///   - tap: what the bytes pass before they are given out. Not those that ``peek(_:)`` shows.
    ///   - comparable: how many bytes before an offset are here, for a resumed read without a strong validator.
    package init(
        context: OriginContext,
        locator: ResourceLocator,
        asked: AskedRange,
        known: KnownRepresentation?,
        unless: Validator? = nil,
        takesWhole: Bool = false,
        sendsRange: Bool = true,
        takesCodings: Bool = false,
        startsOver: Bool = false,
        tap: ContentTap? = nil,
        comparable: @escaping ComparableBytes = { _ in 0 }
    ) {
        self.unless = unless
        self.takesWhole = takesWhole
        self.sendsRange = sendsRange
        self.takesCodings = takesCodings
        self.startsOver = startsOver
        self.tap = tap
        self.context = context
        budget = RetryBudget(context.settings.retries)
        self.exchange = OriginExchange(context: context, locator: locator)
        self.asked = asked
        self.known = known
        self.comparable = comparable
        if case .from(let start, let end) = asked {
            position = start
            self.end = end
        }
    }

    deinit {
        body?.cancel()
        watch?.stop()
    }

    /// Asks, with retries, until a response may be used.
    ///
    /// - Parameter overlapping: whether the bytes before the first are to be compared, if nothing stronger tells
    ///   versions apart.
    /// - Throws: ``CacheError``; ``CacheError/Code/representationChanged`` if the origin has another version now.
    package func open(overlapping: Bool = false) async throws -> CheckedHead {
        isResuming = overlapping
        return try await reopen()
    }

    /// The next bytes in order, or nil at the end of what was asked for.
    package func next() async throws -> OriginPiece? {
        let piece = peeked.isEmpty ? try await receiveNext() : peeked.removeFirst()
        guard let piece, let tap else { return piece }
        return try tap.pass(piece)
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
                    _ = try await ask()
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
                if wasLetGo {
                    wasLetGo = false
                    throw ConnectionLetGo()
                }
                try await recover(from: error)
            }
        }
        forget()
        throw BodyLost()
    }

    /// Says that a response broke off and its bytes are lost.
    package struct BodyLost: Error {}

    /// Goes back to the state before the first response.
    private func forget() {
        head = nil
        known = nil
        end = nil
        (position, bodyFirst, compareFrom) = (0, 0, 0)
        peeked = []
        (isResuming, hasGiven) = (false, false)
    }

    /// The next bytes, at least `count` of them if so many come, and of more that are here as many as `most` in each
    /// piece; ``next()`` gives them again.
    ///
    /// - Parameter patience: how long bytes that are here wait for those that are missing.
    package func peek(_ count: Int, most: Int = 0, patience: Duration? = nil) async throws -> [UInt8] {
        while true {
            let here = peeked.reduce(0) { $0 + $1.part.count }
            guard here < count else { break }
            if here > 0, let patience, await !receives(within: patience) { break }
            guard let piece = try await receiveNext() else { break }
            peeked.append(piece)
            // What comes after a break must be of the version that these bytes are of.
            if known == nil, let head {
                known = KnownRepresentation(validator: head.validator, length: head.completeLength)
            }
        }
        return peeked.flatMap { piece in piece.withUnsafeBytes { Array($0.prefix(max(count, most))) } }
    }

    /// Sets whether the reader may send further requests. Where it may not, ``next()`` throws ``CacheError`` with
    /// ``CacheError/Code/cancelled``.
    package func setMayAsk(_ mayAsk: @escaping @Sendable () -> Bool) { self.mayAsk = mayAsk }

    /// Takes back a piece that ``next()`` gave last, to be given again.
    package func takeBack(_ piece: OriginPiece) { peeked.insert(piece, at: 0) }

    /// Lets the connection go; ``next()`` opens another and goes on at the first missing byte.
    package func close() {
        body?.cancel()
        body = nil
        pending = nil
        rest = nil
        watch?.stop()
        watch = nil
    }

    /// The same while ``next()`` may be waiting for bytes: that throws ``ConnectionLetGo`` then, and may be called again.
    package func letGo() {
        guard body != nil else { return }
        wasLetGo = isReceiving
        isResuming = true
        close()
    }

    /// Says that the connection was let go while bytes were waited for.
    package struct ConnectionLetGo: Error {}

    /// The representation is known now: what comes later must be of it.
    package func expect(_ known: KnownRepresentation, comparable: ComparableBytes? = nil) {
        self.known = known
        if let comparable { self.comparable = comparable }
    }

    /// The bytes have been compared by other means: another tag doesn't mean another version.
    package func acceptOtherTag() { acceptsOtherTag = true }

    /// The response that bytes come from now, or came from last.
    package var answer: CheckedHead? { head }

    /// The first byte that ``next()`` will give.
    package var start: Int64 { peeked.first?.offset ?? position }

    /// What the origin said of the version that nothing was to be sent of, if that is current (RFC 9110 §15.4.5).
    private(set) var unmodified: HTTPFields?

    /// Where redirects led to, if away from the URL asked for.
    package private(set) var location: ResourceURL?

    /// What kind of address answered.
    package private(set) var peer = AddressKind.unknown

    /// The complete length, once a body of unknown length has ended.
    package private(set) var learnedLength: Int64?

    // MARK: - Asking

    private func reopen() async throws -> CheckedHead {
        while true {
            do {
                return try await ask()
            } catch {
                try await recover(from: error)
            }
        }
    }

    private func ask() async throws -> CheckedHead {
        close()
        guard mayAsk() else { throw CacheError(.cancelled, "\(exchange.locator.url) is no longer wanted") }
        budget.began(at: context.time.monotonic)
        let overlap = overlapForNextRequest()
        let range: AskedRange = head == nil && asked.isSuffix ? asked : .from(position - overlap, to: end)
        var conditions: HTTPFields = [:]
        if sendsRange {
            conditions[.range] = range.fieldValue
            if let known, !acceptsOtherTag {
                conditions[.ifRange] = known.validator.strongEntityTag ?? known.validator.lastModified
            }
        }
        if let unless, head == nil { conditions.setUnless(unless) }
        var (response, url) = try await exchange.send(conditions)
        if let unless, head == nil, response.status == 304 {
            response.body.cancel()
            unmodified = response.headerFields
            end = position
            return CheckedHead(
                start: position, end: position, validator: unless, ignoredRange: false,
                headerFields: response.headerFields)
        }
        if known != nil { response = try await response.refusingPage(from: url, context: context) }
        let verdict = ResponseCheck.judge(
            status: response.status, headerFields: response.headerFields, asked: sendsRange ? range : nil,
            known: expected, takesCodings: takesCodings, url: url, now: context.time.now)
        switch verdict {
        case .use(let checked):
            location = url == exchange.locator.url ? nil : url.withoutUserInfo
            peer = response.peer
            begin(checked, body: response.body, overlap: overlap)
            return checked
        case .changed(let other):
            response.body.cancel()
            if context.settings.alternatingEntityTags == .compareBytes, !acceptsOtherTag, comparable(position) > 0,
                let other, let length = known?.length, other.completeLength == length
            {
                acceptsOtherTag = true
                return try await ask()
            }
            throw CacheError(.representationChanged, "\(url) has another version now")
        case .refuse(let error):
            response.body.cancel()
            if let end = try endFound(by: error) { return end }
            if error.code == .badResponse, let length = error.completeLength {
                // Said once it's a slip; said again it's what was said first that was wrong.
                if length == otherLength { throw CacheError(.representationChanged, "\(url) has \(length) bytes now") }
                otherLength = length
            }
            throw error
        }
    }

    /// A version whose length nobody told ends where nothing more can be asked for.
    private func endFound(by error: CacheError) throws -> CheckedHead? {
        guard error.status == 416, let known, known.length == nil, hasGiven || comparable(position) > 0 else {
            return nil
        }
        if let length = error.completeLength, length < position {
            throw CacheError(.representationChanged, "\(exchange.locator.url) has become shorter")
        }
        learnedLength = position
        end = position
        return CheckedHead(
            start: position, end: position, completeLength: position, validator: known.validator,
            ignoredRange: false, headerFields: [:])
    }

    /// What a response has to agree with; with alternating tags, everything but the tag.
    private var expected: KnownRepresentation? {
        guard acceptsOtherTag, let known else { return known }
        return KnownRepresentation(
            validator: Validator(lastModified: known.validator.lastModified), length: known.length)
    }

    private func overlapForNextRequest() -> Int64 {
        guard let known, acceptsOtherTag || (known.validator.strongEntityTag == nil && isResuming) else { return 0 }
        return min(overlapLimit, comparable(position), position)
    }

    private func begin(_ checked: CheckedHead, body: any OriginBody, overlap: Int64) {
        if head == nil, asked.isSuffix {
            // Only now is it known where the last bytes begin.
            if case .suffix(let count) = asked, checked.start == 0, let length = checked.completeLength {
                position = max(0, length - count)
            } else {
                position = checked.start
            }
        }
        if checked.ignoredRange, takesWhole, head == nil {
            position = 0
            end = checked.completeLength
        }
        compareFrom = min(position, max(checked.start, position - overlap))
        head = checked
        mayBeKept = ResponseCheck.refusal(checked.headerFields, context.settings) == nil
        bodyFirst = position
        self.body = body
        bodyPosition = checked.start
        if let length = checked.completeLength ?? known?.length { end = min(end ?? length, length) }
        let watch = StallWatch(body: body, limit: context.settings.limits.stall, time: context.time)
        watch.start()
        self.watch = watch
    }

    // MARK: - Receiving

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
                    .timedOut, "\(exchange.locator.url) sent nothing for \(context.settings.limits.stall.seconds) s")
            }
            throw error
        }
    }

    private func nextBuffer(of body: any OriginBody) async throws -> (any OriginBuffer)? {
        guard let pending else { return try await body.next() }
        self.pending = nil
        return try await withTaskCancellationHandler {
            try await pending.value
        } onCancel: {
            body.cancel()
        }
    }

    /// Returns whether the next buffer, or the end, comes within a time. It's kept for ``receive()``.
    private func receives(within patience: Duration) async -> Bool {
        guard let body, rest == nil, end.map({ position < $0 }) ?? true else { return true }
        let next = pending ?? Task { try await body.next() }
        pending = next
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        let time = context.time
        let timer = Task {
            guard (try? await time.sleep(for: patience)) != nil else { return }
            answer.yield(false)
        }
        Task {
            _ = await next.result
            answer.yield(true)
        }
        watch?.isAwaited(true)
        defer {
            timer.cancel()
            answer.finish()
        }
        var first = answers.makeAsyncIterator()
        let isReceived = await first.next() ?? true
        watch?.isAwaited(false)
        return isReceived
    }

    /// The next part of a buffer that is wanted, if any: bytes to compare and bytes to write come apart.
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
            // Bytes that may be lost again don't make up for a failure.
            if !startsOver { budget.received(upper - position) }
            position = upper
            hasGiven = true
            isResuming = false
        }
        return OriginPiece(
            buffer: received.buffer, part: first + Int(lower - offset)..<first + Int(upper - offset), offset: lower,
            isOverlap: isOverlap, validator: head?.validator ?? Validator(), mayBeKept: mayBeKept,
            hasOtherTag: acceptsOtherTag)
    }

    /// Whether the body that ended was the last one needed.
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
        // A range may be answered in part, and without a length: the rest is asked for anew, until there is none.
        let isLast = end.map { position >= $0 } ?? (head.completeLength != nil)
        if !isLast, position == bodyFirst {
            // Nothing but what was to be compared; the same request would bring the same again.
            let less = max(1, (bodyEnd - head.start) / 2)
            guard less < overlapLimit else {
                throw CacheError(.badResponse, "\(exchange.locator.url) sent none of the bytes that were asked for")
            }
            overlapLimit = less
        }
        return isLast
    }

    // MARK: - Failing

    /// Waits as the retry policy says, or throws what can't be helped.
    private func recover(from error: any Error) async throws {
        close()
        isResuming = true
        let failure = CacheError.wrap(error, as: .unreachable, "\(exchange.locator.url) can't be read")
        if failure.code == .cancelled || Task.isCancelled { throw CacheError(.cancelled, "cancelled") }
        if failure.code == .originStatus, let status = failure.status, [401, 403, 410].contains(status) {
            guard try await refresh() else { throw failure }
            return
        }
        context.counters.add(\.originFailures)
        let delay = try budget.delay(after: failure, at: context.time.monotonic, random: context.random())
        do {
            try await context.time.sleep(for: delay)
        } catch {
            throw CacheError(.cancelled, "cancelled")
        }
    }

    /// Asks the caller for a fresh URL: at most twice without a byte in between.
    private func refresh() async throws -> Bool {
        guard budget.mayRefresh, let fresh = try await context.settings.refreshed(exchange.locator.url) else {
            return false
        }
        budget.refreshed()
        exchange.locator.update(url: fresh.url, scope: fresh.scope)
        return true
    }
}
