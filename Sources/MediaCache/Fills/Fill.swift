import Logging

/// One origin request writing into one hole. Readers of that hole share it.
struct Fill: Sendable {
    let plan: RepresentationState.FillPlan
    let representation: Representation
    let settings: TransferSettings?
    /// Whose transfer it is.
    let group: TransferGroup?
    /// A reader whose response is here already, when the fill began as the request that found the representation.
    let reader: OriginReader?
    /// That request's place in the scheduler.
    let ticket: TransferScheduler.Ticket?

    /// The origin's rate is measured over so many bytes.
    private static let sampleSize: Int64 = 256 << 10

    private var engine: Engine { representation.engine }
    private var key: String { representation.resource.key }
    private var url: ResourceURL { representation.resource.locator.url }

    /// Fills until the hole is full, nobody wants more, or nothing helps.
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
        let isKept = representation.isKept
        let woken = representation.withState { state in
            // The sidecar of what is pinned lists the new bytes with the next commit after the fill.
            if isKept { state.setNeedsCommit() }
            return state.fillEnded(plan.id, error: failure, refusal: refusal)
        }
        engine.counters.add(\.runningFills, -1)
        if let failure { report(failure) }
        let told = failure?.code == .cancelled ? nil : failure ?? refusal
        engine.events.send(.fillEnded(key: key, bytes: written, error: told))
        for wake in woken { wake() }
        representation.wakeFillWaiters()
        representation.resource.useEnded()
    }

    /// - Returns: why the rest isn't kept, if the origin forbids it: no failure of this fill, whose readers go on.
    private func transfer(_ written: inout Int64) async throws -> CacheError? {
        let ticket = place()
        var course = Course()
        let end: Result<CacheError?, any Error>
        do {
            end = .success(try await receive(&course, ticket, &written))
        } catch {
            end = .failure(error)
        }
        // Before anybody learns that it's over: who ended it may count on it.
        if let entry = course.entry { engine.traffic.leave(entry) }
        if !course.isHandedOn {
            await course.reader?.close()
            ticket.release()
        }
        return try end.get()
    }

    /// What is to be closed at the end.
    private struct Course {
        var reader: OriginReader?
        /// Its place in the traffic.
        var entry: Int?
        /// Whether both reader and ticket are somebody else's now.
        var isHandedOn = false
    }

    /// Its place in the scheduler, which follows its class.
    private func place() -> TransferScheduler.Ticket {
        let ticket =
            ticket
            ?? engine.scheduler.ticket(
                for: representation.resource.locator.url, transferClass: representation.transferClass(of: plan.id),
                group: group)
        let (representation, id) = (representation, plan.id)
        // Weak: the state lets go of this call under its lock, and the last reference to a ticket takes the scheduler's.
        let standingChanged: @Sendable () -> Void = { [weak ticket, weak representation] in
            ticket?.classChanged()
            representation?.watchAbandoned(id)
        }
        representation.withState { $0.setStandingChanged(standingChanged, of: id) }
        ticket.follow({ representation.transferClass(of: id) }, preempt: { representation.preempt(id) })
        representation.watchAbandoned(id)
        return ticket
    }

    private func receive(
        _ course: inout Course, _ ticket: TransferScheduler.Ticket, _ written: inout Int64
    ) async throws -> CacheError? {
        course.reader = reader
        let reader = try await opened(ticket: ticket)
        course.reader = reader
        // Not the fill itself, which may hold the reader.
        let (representation, id) = (representation, plan.id)
        await reader.setMayAsk { representation.withState { $0.asks(id) } }
        representation.withState { $0.didGetHead(of: plan.id) }
        course.entry = engine.traffic.enter(of: ticket, reader, ifWanted: isWanted)
        if let length = await reader.answer?.completeLength { representation.learn(length) }
        var isNewsOfTags = true
        var sample = (since: engine.time.monotonic, bytes: Int64(0))
        while let piece = try await engine.traffic.next(
            of: reader, by: ticket, ifWanted: isWanted, holdsBack: holdsBack)
        {
            try await compare(piece)
            if piece.hasOtherTag, isNewsOfTags {
                isNewsOfTags = false
                engine.events.send(.entityTagAlternates(key: key))
            }
            if piece.isOverlap { continue }
            engine.counters.add(\.bytesFromOrigin, Int64(piece.part.count))
            let limit = representation.withState { $0.limit(of: plan.id) }
            guard piece.offset < limit else { break }
            guard piece.mayBeKept else {
                representation.withState { $0.forbid(from: piece.offset, to: plan.id) }
                course.isHandedOn = await handOn(piece, of: reader, ticket: ticket)
                return CacheError(notKept: "\(url) can't be kept: its origin forbids it")
            }
            do {
                try await representation.waitForRoom()
                try await write(piece, limit: limit)
            } catch let error as CacheError where error.code == .storage {
                course.isHandedOn = await handOn(piece, of: reader, ticket: ticket)
                throw error
            }
            written += Int64(piece.part.count)
            sample.bytes += Int64(piece.part.count)
            if sample.bytes >= Self.sampleSize {
                let now = engine.time.monotonic
                representation.withState { $0.measured(bytes: sample.bytes, in: now - sample.since) }
                sample = (now, 0)
            }
            progress()
            try await engine.traffic.pay(piece.part.count, by: ticket)
            if piece.range.upperBound >= limit { break }
        }
        if let length = await reader.learnedLength { representation.learn(length) }
        // Its readers would ask again, and again.
        guard representation.withState({ $0.isFull(plan.id) }) else {
            throw CacheError(
                .badResponse, "\(representation.resource.locator.url) ended before the bytes that were asked for")
        }
        return nil
    }

    private func holdsBack() -> Bool { representation.withState { $0.holdsBack(plan.id) } }

    private func isWanted() -> Bool { representation.withState { $0.fills[plan.id]?.isAbandoned == false } }

    /// Readers who wait for bytes that aren't kept go on with this response. Returns whether there are any.
    private func handOn(
        _ piece: OriginPiece, of reader: OriginReader, ticket: TransferScheduler.Ticket
    ) async -> Bool {
        guard !engine.isStopped, representation.withState({ $0.isAwaited(piece.range) }) else { return false }
        await reader.takeBack(piece)
        await reader.setMayAsk { true }
        _ = await representation.passing.adopt(reader, ticket: ticket, settings: settings)
        return true
    }

    private func opened(ticket: TransferScheduler.Ticket) async throws -> OriginReader {
        // A response that is here already has been admitted by the fact that it is here.
        if let reader { return reader }
        try await ticket.admission()
        try await engine.traffic.turn(of: ticket)
        guard representation.withState({ $0.asks(plan.id) }) else {
            throw CacheError(.cancelled, "the transfer was abandoned")
        }
        let head = representation.head
        if plan.probes {
            guard try await representation.isSameAtOrigin(settings) else { throw changed(at: plan.range.lowerBound) }
        }
        let isUnbounded = plan.range.upperBound == .max
        let reader = OriginReader(
            context: engine.originContext(settings),
            locator: representation.resource.locator,
            asked: .from(plan.range.lowerBound, to: isUnbounded ? nil : plan.range.upperBound),
            known: KnownRepresentation(validator: head.validator, length: head.length),
            takesWhole: true,
            tap: engine.tap(representation),
            comparable: { [representation] in representation.comparableBytes(before: $0) })
        let asked = engine.time.monotonic
        let checked = try await firstAnswer(of: reader)
        let latency = engine.time.monotonic - asked
        let isNews = representation.withState { state in
            state.measured(latency: latency)
            defer { if checked.ignoredRange { state.ignoreRanges(of: plan.id) } }
            return checked.ignoredRange && !state.ignoresRanges
        }
        if isNews { engine.events.send(.rangesIgnored(key: key)) }
        return reader
    }

    /// The head of the first response. Where tags may alternate and nothing before the hole can be compared, other
    /// bytes are.
    private func firstAnswer(of reader: OriginReader) async throws -> CheckedHead {
        do {
            return try await reader.open(overlapping: plan.resumes)
        } catch let error as CacheError where error.code == .representationChanged {
            let policy = engine.originContext(settings).settings.alternatingEntityTags
            guard policy == .compareBytes, try await representation.isSameAtOrigin(settings) else { throw error }
            await reader.acceptOtherTag()
            return try await reader.open(overlapping: plan.resumes)
        }
    }

    /// Writes what isn't here yet, then lets readers have it.
    private func write(_ piece: OriginPiece, limit: Int64) async throws {
        let range = piece.offset..<min(piece.range.upperBound, limit)
        let missing = representation.withState { $0.written.holes(in: range) }
        let (representation, id) = (representation, plan.id)
        let woken = try await engine.room.take(missing.reduce(0) { $0 + Int64($1.count) }) {
            do {
                return try await engine.pool.run {
                    try piece.withUnsafeBytes { bytes in
                        let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<range.count])
                        return try representation.write(bytes, at: range, into: missing, by: id)
                    }
                }
            } catch {
                throw CacheError(
                    .storage, "\(representation.path) can't be written; playing on without keeping", cause: error)
            }
        }
        for wake in woken { wake() }
    }

    /// Bytes that were here before must be what came now, or it's another version. A strong tag says so without
    /// looking.
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
            .representationChanged,
            "\(representation.resource.locator.url) has other bytes than before, seen when asked for \(offset)")
    }

    private func progress() {
        let (kept, length, isComplete) = representation.withState {
            ($0.written.byteCount, $0.head.length, $0.isComplete)
        }
        engine.events.sendProgress(key: key, now: engine.time.monotonic, isFinal: isComplete) {
            let statistics = engine.counters.snapshot
            return .progress(
                CacheEvent.Progress(
                    key: key, kept: kept, length: length, fromOrigin: statistics.bytesFromOrigin,
                    fromCache: statistics.bytesFromCache, rate: representation.withState { $0.bytesPerSecond }))
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
