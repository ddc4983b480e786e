import HTTPTypes

extension Resource {
    /// Opens a session over cached bytes, or after a request. Returns nil if this object has been retired.
    func read(_ request: ReadRequest) async throws -> ReadSession? {
        locator.update(url: request.url)
        let isTransformedWhole = engine.transform(for: request.kind)?.applied.isWhole == true
        var hasRequested = false
        while true {
            if Task.isCancelled {
                // A request that completed just before the cancellation may have started a fill.
                await endUnneededFills()
                throw CancellationError()
            }
            switch readiness(request, now: engine.time.now) {
            case .retired: return nil
            case .ready(let representation, let revalidates):
                if revalidates { revalidateInBackground(request) }
                return try session(request, over: representation)
            case .revalidateFirst(let representation, let mayBeServed):
                if request.revalidation.isSince, !isTransformedWhole {
                    // The shared request may have started before the requested moment. The loop then sends another one.
                    if let session = try await find(request, insteadOf: representation).unstored { return session }
                } else if hasRequested, !request.revalidation.isSince {
                    return try session(request, over: representation)
                } else {
                    hasRequested = try await revalidate(representation, for: request, mayBeServed: mayBeServed)
                }
            case .unknown where !(request.settings ?? engine.transfers).allowsOriginRequests:
                throw CacheError.notCached(request.url)
            case .unknown:
                guard !isTransformedWhole else {
                    throw CacheError(
                        .invalidSetting,
                        "\(request.url) can't be read in parts: kind \(request.kind) has a whole-body transform; "
                            + "read the whole body first")
                }
                if let session = joinUnstored(request) { return session }
                do {
                    let found = try await find(request, insteadOf: nil)
                    if let session = found.unstored { return session }
                    hasRequested = found.hasRequested
                } catch let error as CacheError {
                    guard let pinned = pinned(request, after: error), let session = try session(request, over: pinned)
                    else { throw error }
                    return session
                }
            }
        }
    }

    // MARK: - First request

    /// Finds the origin's current version with one request, shared by all callers.
    ///
    /// If the response is late and the pinned version can be read instead, the request continues without the reader.
    ///
    /// - Parameter known: The current version, which the response confirms or replaces.
    /// - Returns: Whether a request has been answered or is late, so that the caller doesn't revalidate again. If the
    ///   response isn't stored, also a session over it.
    private func find(
        _ request: ReadRequest, insteadOf known: Representation?
    ) async throws -> (hasRequested: Bool, unstored: ReadSession?) {
        let (opening, isOwn) = opening(request, insteadOf: known)
        guard let opening else { return (false, nil) }
        do {
            let hasFallback = fallback(for: request) != nil
            switch try await result(of: opening, isOwn: isOwn, for: request, isLimited: hasFallback) {
            case .completed(.unstored(let version, let hold))
            where version.content.transform == engine.transform(for: request.kind)?.applied:
                return (true, try withExtendedLifetime(hold) { try unstoredSession(request, of: version) })
            // Another reader's request, meant only to confirm a version, has failed.
            case .completed(.unconfirmed): return (false, nil)
            // Includes an unstored response with another transform, if another reader's request was of another kind.
            case .completed(let response): return (response != nil, nil)
            case .late:
                Task {
                    _ = try? await opening.wait()
                    await endUnneededFills()
                }
                return (true, nil)
            }
        } catch let error as CacheError where error.status == 416 && !isOwn {
            // The status refers to another reader's range.
            if let length = error.completeLength, request.range.resolved(in: length) == nil { throw error }
            return (false, nil)
        }
    }

    /// Ends fills as ``Representation/endUnneededFills()`` does, for all representations.
    func endUnneededFills() async {
        for representation in representations { await representation.endUnneededFills() }
    }

    /// Returns the shared request that finds or confirms a version, and whether this call started it. Returns nil if
    /// this object has been retired, or the current version isn't `known`.
    func opening(
        _ request: ReadRequest, insteadOf known: Representation?
    ) -> (request: SharedRequest<OpeningResult>?, isOwn: Bool) {
        state.withLock { state in
            guard !state.isRetired, state.current === known else { return (nil, false) }
            if let opening = state.opening { return (opening, false) }
            let ticket = engine.scheduler.ticket(
                for: locator.url, transferClass: request.transferClass, group: request.group)
            let opening = SharedRequest(ticket: ticket) {
                try await self.find(request, insteadOf: known, ticket: ticket)
            }
            state.opening = opening
            state.openingBegan = engine.time.monotonic
            return (opening, true)
        }
    }

    /// Requests the first bytes. The response continues as a fill of a new version, unless it confirms the known
    /// version, or the request is only for confirmation.
    private func find(
        _ request: ReadRequest, insteadOf known: Representation?, ticket: TransferScheduler.Ticket
    ) async throws -> OpeningResult {
        defer {
            state.withLock { $0.opening = nil }
            useEnded()
        }
        var reader: OriginReader?
        do {
            // A one-byte request isn't queued, because that would delay the reader.
            if !request.confirmsOnly { try await Transfer.admit(ticket, engine) }
            var context = engine.originContext(request.settings)
            // Not retried, because the known version is read until the next revalidation.
            if request.confirmsOnly { context.settings.retries.budget = 0 }
            let began = engine.time.monotonic
            let scope = context.settings.scope
            var first = try await firstReader(request, confirming: known, context: context)
            reader = first
            if let known {
                if await first.unmodified != nil, !mayConfirm(known.head, from: await first.peer, for: scope) {
                    await first.close()
                    first = try await firstReader(request, confirming: nil, context: context)
                    reader = first
                }
                let isCurrent = try await isCurrent(known, by: first, request, since: began, scope)
                if isCurrent || request.confirmsOnly {
                    await first.close()
                    ticket.release()
                    if !isCurrent { replaced(known) }
                    return .stored
                }
            }
            return try await adopt(
                first, insteadOf: known, request: request, context: context, ticket: ticket, began: began)
        } catch {
            await reader?.close()
            ticket.release()
            let failure = CacheError.wrap(error, as: .unreachable, "\(locator.url) can't be read")
            guard let known, failure.code != .cancelled else { throw failure }
            if failure.code == .representationChanged {
                replaced(known)
                return .stored
            }
            revalidationFailed(of: known, request, failure)
            guard request.confirmsOnly else { throw failure }
            return .unconfirmed(failure)
        }
    }

    /// Returns a reader that has received its first response head.
    private func firstReader(
        _ request: ReadRequest, confirming known: Representation?, context: OriginContext
    ) async throws -> OriginReader {
        let confirming = known.map { KnownRepresentation(validator: $0.head.validator, length: $0.head.length) }
        func reader(_ requested: RequestedRange, sendsRange: Bool = true) -> OriginReader {
            OriginReader(
                context: context, locator: locator, requested: requested, known: nil,
                confirming: confirming, adopts: !request.confirmsOnly, acceptsWholeBody: true, sendsRange: sendsRange,
                pipeline: engine.pipeline(for: request.url, request.kind))
        }
        let requested = firstRange(request, readAhead: context.settings.readAhead)
        let first = reader(requested)
        do {
            _ = try await first.open()
            return first
        } catch let error as CacheError where error.code == .badResponse && requested.isSuffix {
            // Some origins reject suffix ranges. A request for the first bytes returns the length, too.
            let second = reader(.from(0, to: context.settings.readAhead.initial))
            _ = try await second.open()
            return second
        } catch let error as CacheError where error.code == .rangeNotSatisfiable && error.completeLength == 0 {
            // An empty resource satisfies no range. A request without a range succeeds.
            let second = reader(.from(0, to: nil), sendsRange: false)
            _ = try await second.open()
            return second
        }
    }

    /// The maximum time to wait for enough bytes to identify the type, once some have been received.
    private static let sniffPatience = Duration.milliseconds(250)

    /// The time after which a body is refused if it still contains only whitespace or part of a playlist's signature.
    private static let blankPatience = Duration.seconds(10)

    private func firstRange(_ request: ReadRequest, readAhead: ReadAhead) -> RequestedRange {
        if case .suffix(let count) = request.range { return .suffix(count) }
        let start = request.range.knownStart ?? 0
        if refusal != nil || request.isExact {
            // Without storage, read-ahead is useless.
            guard case .closed(_, let last) = request.range else { return .from(start, to: nil) }
            return .from(start, to: max(start, last).clampedSum(1))
        }
        return .from(start, to: request.policy == .whole ? nil : start.clampedSum(readAhead.initial))
    }

    private func adopt(
        _ reader: OriginReader, insteadOf known: Representation?, request: ReadRequest, context: OriginContext,
        ticket: TransferScheduler.Ticket, began: Duration
    ) async throws -> OpeningResult {
        guard let (head, responseHead) = try await self.head(of: reader, kind: request.kind, context: context) else {
            return .stored
        }
        if let known {
            // An empty audio or video response doesn't replace a stored version.
            if head.length == 0, known.head.length != 0, MediaType.isAudioOrVideo(head.contentType) {
                throw CacheError(empty: locator.url, type: head.contentType)
            }
            replaced(known)
        }
        let freshness = Freshness(responseHead.headerFields, now: engine.time.now)
        if reinstatePinned(
            head, freshness, madeBy: reader.pipeline?.transform?.applied, began: began, context.settings.scope)
        {
            engine.events.send(.entityTagAlternates(key: key))
            await reader.close()
            ticket.release()
            return .stored
        }
        let isTransient: Bool
        do {
            isTransient = try storesUntilClosed(responseHead, head: head, request: request, settings: context.settings)
        } catch {
            return await pass(
                Transfer(engine: engine, reader: reader, ticket: ticket), head: head, because: error,
                settings: request.settings)
        }
        let representation = newRepresentation(
            RepresentationState(
                head: head, freshness: freshness, ignoresRanges: responseHead.ignoredRange,
                transform: reader.pipeline?.transform?.applied, kind: request.kind))
        await reader.expect(
            KnownRepresentation(validator: head.validator, length: head.length),
            comparable: { [representation] in representation.comparableBytes(before: $0) })
        let start = await reader.start
        var end = responseHead.end ?? head.length ?? .max
        if refusal != nil, request.policy == .onDemand, !responseHead.ignoredRange, head.length != nil {
            // Because the previous response wasn't stored, the request had no read-ahead limit. This response is
            // stored.
            end = min(end, start.clampedSum(context.settings.readAhead.initial))
        }
        let plan = representation.withState { state in
            state.needsCommit = true
            return state.beginFound(start..<max(start, end), transferClass: ticket.transferClass)
        }
        let alternates = state.withLock { state in
            // The result of another transform may have become current in the meantime.
            replaceCurrent(in: &state)
            state.setCurrent(representation, since: began, context.settings.scope, now: engine.time.now)
            state.isRemovedWhenClosed = isTransient
            return state.superseded.contains { older in
                older.isSuperseded && older.head.length == head.length && head.validator.entityTag != nil
                    && older.head.validator.entityTag == head.validator.entityTag
            }
        }
        if alternates { engine.events.send(.entityTagAlternates(key: key)) }
        if responseHead.ignoredRange { engine.events.send(.rangesIgnored(key: key)) }
        engine.committer.markDirty(representation, bytes: 0)
        representation.launch(plan, request, reader: reader, ticket: ticket)
        return .stored
    }

    /// Returns the head of a response with its media type according to the first bytes, and the checked response head;
    /// nil if the reader has none. Throws ``CacheError/Code/notMedia`` for a page.
    func head(
        of reader: OriginReader, kind: ResourceKind, context: OriginContext
    ) async throws -> (head: ResourceHead, responseHead: CheckedHead)? {
        let start = await reader.start
        // In the middle of a resource, one byte must suffice, so that readers of few bytes don't wait.
        let first =
            if start == 0 { try await self.front(of: reader) } else {
                try await reader.peek(1, most: MediaType.middleLength, patience: Self.sniffPatience)
            }
        guard let responseHead = await reader.responseHead else { return nil }
        let length =
            if responseHead.completeLength != nil { responseHead.completeLength } else { await reader.learnedLength }
        let declared = responseHead.headerFields[.contentType]
        var front = MediaType.Front.unknown
        // The requested range may end within a playlist's signature.
        let isCut =
            start == 0 && !first.isEmpty && (length.map { $0 > Int64(first.count) } ?? true)
            && first.withUnsafeBytes(MediaType.mayBecomePlaylist)
        if start == 0, !isCut {
            front = .body(first)
        } else if isCut
            || MediaType.isDocument(MediaType.essence(declared) ?? "", where: locator.url.pathExtension)
            || !first.withUnsafeBytes(MediaType.isBinaryInMiddle)
        {
            let reader = OriginReader(
                context: context, locator: locator, requested: .from(0, to: Int64(MediaType.sniffLength)), known: nil)
            front = .another(try await self.front(of: reader))
            await reader.close()
        }
        let type = try MediaType.checked(front, declared: declared, of: locator.url, as: kind, length: length)
        // The origin's tag identifies the original bytes rather than transformed ones.
        let tag = reader.pipeline?.transform == nil ? responseHead.validator.strongEntityTag : nil
        let head = ResourceHead(
            length: length, contentType: type, validator: responseHead.validator, validatedAt: engine.time.now,
            entityTag: tag ?? "\"mc-\(BlobFolder.newName())\"",
            location: await reader.location, peer: await reader.peer)
        return (head, responseHead)
    }

    /// Returns the first bytes of a body: those received within ``sniffPatience``, or more if they may be the beginning
    /// of a playlist. Throws ``CacheError/Code/notMedia`` for too much whitespace, or only whitespace for too long.
    private func front(of reader: OriginReader) async throws -> [UInt8] {
        let began = engine.time.monotonic
        var front = try await reader.peek(MediaType.sniffLength, patience: Self.sniffPatience)
        while front.withUnsafeBytes(MediaType.mayBecomePlaylist) {
            let count = front.count
            if let length = await reader.responseHead?.completeLength, length <= Int64(count) { break }
            guard await reader.learnedLength == nil else { break }
            guard count < MediaType.maximumFrontLength, engine.time.monotonic - began < Self.blankPatience else {
                throw CacheError(
                    .notMedia, "\(locator.url) isn't media: it begins with \(count) bytes of whitespace")
            }
            front = try await reader.peek(count + 1)
            guard front.count > count else { break }
            // Waits for many bytes at once, in case they arrive in small pieces.
            guard front.withUnsafeBytes(MediaType.mayBecomePlaylist) else { break }
            front = try await reader.peek(2 * front.count, patience: Self.sniffPatience)
        }
        return front
    }

    /// Returns whether a response is stored only until the last reader leaves. Throws the reason not to store it at
    /// all.
    func storesUntilClosed(
        _ responseHead: CheckedHead, head: ResourceHead, request: ReadRequest, settings: TransferSettings
    ) throws(CacheError) -> Bool {
        if let failure = engine.folderFailure { throw failure.writing }
        if engine.health.isFailing, let failure = engine.health.lastFailure { throw failure }
        if let refusal = ResponseCheck.refusal(responseHead.headerFields, settings) { throw refusal }
        if head.length == 0, MediaType.isAudioOrVideo(head.contentType) {
            throw CacheError(empty: locator.url, type: head.contentType)
        }
        if settings.passesThrough {
            throw CacheError(notStored: "the stream is longer than the admission policy permits")
        }
        switch engine.configuration.admission.admission(of: request.url, head: head) {
        case .keep: return false
        case .keepUntilClosed: return true
        case .passThrough: throw CacheError(notStored: "the admission policy excludes this resource")
        }
    }
}
