import Logging

/// One origin request that writes into one hole. Readers of the hole share it.
struct Fill: Sendable {
    let plan: RepresentationState.FillPlan
    let representation: Representation
    let settings: TransferSettings?
    let group: TransferGroup?
    /// A reader whose response head has been received, if the fill continues the request that found the representation.
    let reader: OriginReader?
    /// The scheduler ticket of the request that `reader` has sent; nil without one.
    let ticket: TransferScheduler.Ticket?

    /// The number of bytes per measurement of the origin's rate.
    private static let sampleSize: Int64 = 256 << 10

    private var engine: Engine { representation.engine }
    private var key: String { representation.resource.key }
    private var url: ResourceURL { representation.resource.locator.url }

    /// Fills until the range is written, the fill is cancelled, or an error ends it.
    func run() async {
        engine.counters.add(\.runningFills)
        engine.events.send(.fillStarted(key: key, range: plan.range))
        var written: Int64 = 0
        var failure: CacheError?
        var refusal: CacheError?
        do {
            refusal = try await transfer(&written)
        } catch {
            failure = CacheError.wrap(error, as: .unreachable, "\(url) can't be filled")
        }
        let isDurable = representation.isDurable
        let woken = representation.withState { state in
            // The next commit after the fill updates the sidecar of a pinned representation.
            if isDurable { state.needsCommit = true }
            return state.fillEnded(plan.id, error: failure, refusal: refusal)
        }
        engine.counters.add(\.runningFills, -1)
        if let failure { report(failure) }
        let reported = failure?.code == .cancelled ? nil : failure ?? refusal
        engine.events.send(.fillEnded(key: key, bytes: written, error: reported))
        for wake in woken { wake() }
        representation.workEnded.send()
        representation.resource.useEnded()
    }

    /// Runs the transfer. Unless it's handed over, its connection and ticket are released before the end is reported,
    /// because callers that cancel a fill rely on this. Returns the reason not to store the rest of the range; nil if
    /// the whole range is written.
    private func transfer(_ written: inout Int64) async throws -> CacheError? {
        let ticket = makeTicket()
        let transfer: Transfer
        do {
            transfer = Transfer(engine: engine, reader: try await opened(ticket: ticket), ticket: ticket)
        } catch {
            await reader?.close()
            ticket.release()
            throw error
        }
        var isHandedOver = false
        let end: Result<CacheError?, any Error>
        do {
            try await receive(transfer, &isHandedOver, &written)
            end = .success(nil)
        } catch let refusal as Refusal {
            end = .success(refusal.reason)
        } catch {
            end = .failure(error)
        }
        if !isHandedOver { await transfer.end() }
        return try end.get()
    }

    /// Returns a scheduler ticket that follows the fill's transfer class.
    private func makeTicket() -> TransferScheduler.Ticket {
        let ticket =
            ticket
            ?? engine.scheduler.ticket(
                for: url, transferClass: representation.transferClass(of: plan.id), group: group)
        let (representation, id) = (representation, plan.id)
        // Weak, because the state releases this closure under its lock, and releasing a ticket acquires the scheduler's
        // lock.
        let priorityChanged: @Sendable () -> Void = { [weak ticket, weak representation] in
            ticket?.classChanged()
            representation?.watchAbandoned(id)
        }
        representation.withState { $0.fills[id]?.priorityChanged = priorityChanged }
        ticket.follow({ representation.transferClass(of: id) }, preempt: { representation.preempt(id) })
        representation.watchAbandoned(id)
        return ticket
    }

    /// The error for bytes that must not be stored.
    private struct Refusal: Error {
        var reason: CacheError
    }

    /// - Parameter isHandedOver: Set to true if waiting readers continue the transfer without storing its bytes.
    /// - Throws: ``Refusal`` if the rest of the range must not be stored.
    private func receive(_ transfer: Transfer, _ isHandedOver: inout Bool, _ written: inout Int64) async throws {
        // The stored closures must not capture the fill, which may own the reader.
        let (representation, id) = (representation, plan.id)
        await transfer.reader.setMayRequest { representation.withState { $0.willRequest(id) } }
        representation.withState { $0.fills[id]?.hasHead = true }
        if let length = await transfer.reader.responseHead?.completeLength { representation.learn(length) }
        var mayReportTag = true
        var sample = (since: engine.time.monotonic, bytes: Int64(0))
        // The response that opened the version has been checked.
        var checksFront = reader == nil
        let learnedLength = try await transfer.receive(
            ifNeeded: { representation.withState { $0.fills[id]?.isAbandoned == false } },
            holdsBack: { representation.withState { $0.holdsBack(id) } }
        ) { piece in
            try await compare(piece)
            if piece.hasDifferentTag, mayReportTag {
                mayReportTag = false
                engine.events.send(.entityTagAlternates(key: key))
            }
            if piece.isOverlap { return true }
            // The limit may change while the fill runs.
            let limit = representation.withState { $0.fills[id]?.limit ?? 0 }
            guard piece.offset < limit else { return false }
            if checksFront { checksFront = try await checkFront(piece) }
            guard piece.mayBeStored else {
                representation.withState { $0.forbid(from: piece.offset, to: id) }
                isHandedOver = await handOver(transfer, piece)
                throw Refusal(reason: CacheError(notStored: "\(url) can't be stored: its origin forbids it"))
            }
            do {
                try await representation.waitForCommitter()
                try await write(piece, limit: limit)
            } catch let error as CacheError where error.code == .storage {
                isHandedOver = await handOver(transfer, piece)
                throw error
            }
            written += Int64(piece.part.count)
            sample.bytes += Int64(piece.part.count)
            if sample.bytes >= Self.sampleSize {
                let now = engine.time.monotonic
                representation.withState { $0.rate.add(bytes: sample.bytes, in: now - sample.since) }
                sample = (now, 0)
            }
            progress()
            return piece.range.upperBound < limit
        }
        if let learnedLength { representation.learn(learnedLength) }
        // Without this error, readers would request the same bytes endlessly.
        guard representation.withState({ $0.isFull(plan.id) }) else {
            throw CacheError(.badResponse, "\(url) ended before the end of the requested range")
        }
    }

    /// Throws ``CacheError/Code/representationChanged`` if the version begins with a playlist or manifest despite its
    /// media type. Returns whether to check later pieces, too.
    private func checkFront(_ piece: OriginPiece) async throws -> Bool {
        let (start, end, maximum) = (piece.offset, piece.range.upperBound, Int64(MediaType.maximumFrontLength))
        let (isContinued, cachedEnd) = representation.withState { state in
            (state.written.contains(0..<start), state.written.span(at: end)?.upperBound ?? end)
        }
        var check = FrontCheck(of: representation.head)
        guard check.isPending, isContinued, start < maximum else { return false }
        var front = try await cached(0..<start)
        piece.withUnsafeBytes { front += $0.prefix(Int(maximum)) }
        front += try await cached(end..<max(end, min(cachedEnd, maximum)))
        guard front.withUnsafeBytes({ check.permits($0, at: 0) }) else { throw changed(at: start) }
        return check.isPending
    }

    private func cached(_ range: Range<Int64>) async throws -> [UInt8] {
        guard !range.isEmpty else { return [] }
        return try await engine.pool.run { [representation] in
            var bytes = [UInt8](repeating: 0, count: range.count)
            try bytes.withUnsafeMutableBytes { try representation.source().read(into: $0, at: range.lowerBound) }
            return bytes
        }
    }

    /// Hands a transfer over to readers that wait for bytes that can't be stored. Returns whether there are any.
    private func handOver(_ transfer: Transfer, _ piece: OriginPiece) async -> Bool {
        guard !engine.isStopped, representation.withState({ $0.isAwaited(piece.range) }) else { return false }
        await transfer.reader.putBack(piece)
        await transfer.reader.setMayRequest { true }
        _ = await representation.memoryFills.adopt(transfer, settings: settings)
        return true
    }

    /// Returns a reader that has received its first response head.
    private func opened(ticket: TransferScheduler.Ticket) async throws -> OriginReader {
        // The request for this response has already been admitted.
        if let reader { return reader }
        try await Transfer.admit(ticket, engine)
        guard representation.withState({ $0.willRequest(plan.id) }) else {
            throw CacheError(.cancelled, "the transfer was cancelled: no reader needs it")
        }
        let head = representation.head
        if plan.probes {
            guard try await representation.isSameAtOrigin(settings, ticket: ticket) else {
                throw changed(at: plan.range.lowerBound)
            }
        }
        let isUnbounded = plan.range.upperBound == .max
        let reader = OriginReader(
            context: engine.originContext(settings),
            locator: representation.resource.locator,
            requested: .from(plan.range.lowerBound, to: isUnbounded ? nil : plan.range.upperBound),
            known: KnownRepresentation(validator: head.validator, length: head.length),
            acceptsWholeBody: true,
            pipeline: engine.pipeline(for: representation),
            comparable: { [representation] in representation.comparableBytes(before: $0) })
        let requestTime = engine.time.monotonic
        let checked = try await firstResponse(of: reader, ticket: ticket)
        let latency = engine.time.monotonic - requestTime
        let isFirstReport = representation.withState { state in
            state.rate.add(latency: latency)
            defer { if checked.ignoredRange { state.ignoreRanges(of: plan.id) } }
            return checked.ignoredRange && !state.ignoresRanges
        }
        if isFirstReport { engine.events.send(.rangesIgnored(key: key)) }
        return reader
    }

    /// Returns the head of the first response. If it contradicts the cached version, but tags may alternate, compares
    /// cached bytes with the origin's, and repeats the request if they are equal.
    private func firstResponse(
        of reader: OriginReader, ticket: TransferScheduler.Ticket
    ) async throws -> CheckedHead {
        do {
            return try await reader.open(overlapping: plan.resumes)
        } catch let error as CacheError where error.code == .representationChanged {
            let policy = engine.originContext(settings).settings.alternatingEntityTags
            guard policy == .compareBytes, try await representation.isSameAtOrigin(settings, ticket: ticket) else {
                throw error
            }
            await reader.acceptDifferentTag()
            return try await reader.open(overlapping: plan.resumes)
        }
    }

    /// Writes the missing bytes of a piece, then wakes readers.
    private func write(_ piece: OriginPiece, limit: Int64) async throws {
        let range = piece.offset..<min(piece.range.upperBound, limit)
        var piece = piece
        piece.part = piece.part.prefix(range.count)
        let missing = representation.withState { $0.written.holes(in: range) }
        let (representation, id) = (representation, plan.id)
        let woken = try await engine.space.reserve(missing.reduce(0) { $0 + Int64($1.count) }) {
            do {
                // The current thread may serve other transfers, too, so it doesn't wait while the blob is copied.
                return try await engine.pool.run {
                    try piece.withUnsafeBytes { try representation.writeAtOnce($0, at: range, into: missing, by: id) }
                } otherwise: { [piece] in
                    try piece.withUnsafeBytes { try representation.write($0, at: range, into: missing, by: id) }
                }
            } catch {
                throw CacheError(
                    .storage, "\(representation.path) can't be written; reading continues without the cache",
                    cause: error)
            }
        }
        for wake in woken { wake() }
    }

    /// Throws ``CacheError/Code/representationChanged`` if received bytes differ from cached ones. A strong tag that
    /// proves the same version makes the comparison unnecessary.
    private func compare(_ piece: OriginPiece) async throws {
        let tag = piece.validator.strongEntityTag
        let here = representation.withState { state in
            piece.isOverlap || tag == nil || tag != state.head.validator.strongEntityTag
                ? state.written.spans(in: piece.range) : []
        }
        guard !here.isEmpty else { return }
        guard try await representation.agrees(with: piece, in: here) else { throw changed(at: piece.offset) }
    }

    private func changed(at offset: Int64) -> CacheError {
        CacheError(
            .representationChanged, "\(url) has changed: the bytes at \(offset) don't belong to the cached version")
    }

    private func progress() {
        let (bytesCached, length, isComplete) = representation.withState {
            ($0.written.byteCount, $0.head.length, $0.isComplete)
        }
        engine.events.sendProgress(key: key, now: engine.time.monotonic, isFinal: isComplete) {
            let statistics = engine.counters.snapshot
            return .progress(
                CacheEvent.Progress(
                    key: key, bytesCached: bytesCached, length: length, fromOrigin: statistics.bytesFromOrigin,
                    fromCache: statistics.bytesFromCache, rate: representation.withState { $0.rate.bytesPerSecond }))
        }
    }

    private func report(_ failure: CacheError) {
        switch failure.code {
        case .cancelled: break
        case .storage where (failure.cause as? SystemError)?.isFileTooLarge == true:
            engine.logger.warning("resource too large", metadata: ["url": "\(url)", "error": "\(failure)"])
        case .storage:
            engine.health.failed(failure)
        case .representationChanged:
            representation.resource.changed(representation)
            engine.events.send(.representationChanged(key: key))
        default:
            engine.logger.info("fill failed", metadata: ["url": "\(url)", "error": "\(failure)"])
        }
    }
}
