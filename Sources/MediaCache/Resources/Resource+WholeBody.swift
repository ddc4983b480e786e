extension CacheStore {
    /// Returns the whole content of a resource: the cached content, revalidated as requested, or the response to a
    /// request without a range. Concurrent callers share one request.
    ///
    /// - Throws: ``CacheError``: the failure of the origin request if no cached version may be used,
    ///   ``CacheError/Code/badResponse`` if the body is longer than ``WholeBodyRequest/maximumLength``,
    ///   ``CacheError/Code/notFound`` if the content isn't completely cached and requests are disabled
    ///   (``TransferSettings/allowsOriginRequests``), ``CacheError/Code/cancelled`` or ``CacheError/Code/closed``. If
    ///   ``WholeBodyRequest/keeps`` throws an error of another type, it's the cause of a ``CacheError/Code/storage``
    ///   error.
    public func wholeBody(_ request: WholeBodyRequest) async throws -> WholeBody {
        var request = request
        if !(request.settings?.allowsOriginRequests ?? transfers.allowsOriginRequests) { request.revalidation = .never }
        let shortage = Shortage(engine.traffic, of: request.transferClass, request.settings, host: request.url.origin)
        shortage?.begin()
        defer { shortage?.end() }
        var opening = ReadRequest(url: request.url, settings: request.settings)
        opening.name = request.name
        return try await CacheError.wrapping("\(request.url) can't be read") {
            while true {
                try checkOpen()
                let resource = try await resource(key: key(of: opening), url: opening.url)
                if let body = try await resource.wholeBody(request) { return body }
                table.remove(resource)
            }
        }
    }
}

extension Resource {
    /// Returns the whole body; nil if this object has been retired.
    func wholeBody(_ request: WholeBodyRequest) async throws -> WholeBody? {
        locator.update(url: request.url)
        var hasRequested = false
        var wasCached = false
        func result(_ body: WholeBody) -> WholeBody {
            var body = body
            body.replacesAnother = wasCached && !body.isCached
            return body
        }
        while true {
            try Task.checkCancellation()
            let read = ReadRequest(
                url: request.url, transferClass: request.transferClass, settings: request.settings,
                revalidation: request.revalidation, kind: request.kind, group: request.group)
            // The response to a running request is newer than the cached content.
            if let body = try await sharedBody(request, read, starts: false) { return result(body) }
            switch readiness(read, now: engine.time.now) {
            case .retired: return nil
            case .ready(let representation, _):
                if let body = try await cachedBody(of: representation, request) { return body }
            case .revalidateFirst(let representation, _) where hasRequested && !request.revalidation.isSince:
                if let body = try await cachedBody(of: representation, request) { return body }
            case .revalidateFirst(let representation, let mayBeServed):
                wasCached = true
                hasRequested = try await revalidate(representation, for: read, mayBeServed: mayBeServed)
            case .unknown where !(request.settings ?? engine.transfers).allowsOriginRequests:
                throw CacheError.notCached(request.url)
            case .unknown:
                do {
                    if let body = try await sharedBody(request, read, starts: true) { return result(body) }
                } catch let error as CacheError {
                    guard let pinned = pinned(read, after: error), let body = try await cachedBody(of: pinned, request)
                    else { throw error }
                    return body
                }
            }
        }
    }

    // MARK: - Cached content

    /// Reads the whole representation. Returns nil if the origin has replaced it, or this object has been retired.
    private func cachedBody(of representation: Representation, _ request: WholeBodyRequest) async throws -> WholeBody? {
        var read = ReadRequest(
            url: request.url, transferClass: request.transferClass, settings: request.settings, kind: request.kind,
            group: request.group)
        read.countsAsUse = request.countsAsUse
        guard let session = try session(read, over: representation) else { return nil }
        defer { session.cancel() }
        var bytes: [UInt8] = []
        // Reallocation would temporarily need twice the memory.
        bytes.reserveCapacity(Int(min(representation.head.length ?? 0, request.maximumLength)))
        do {
            for try await buffer in session.buffers {
                try checkLength(Int64(bytes.count + buffer.count), request)
                bytes += buffer
            }
        } catch let error as CacheError where error.code == .representationChanged {
            return nil
        }
        var body = WholeBody(head: representation.head, bytes: bytes, isCached: true)
        // A reader of an incomplete version would request the missing bytes again.
        if representation.isComplete { body.version = representation.id }
        return body
    }

    private func checkLength(_ length: Int64, _ request: WholeBodyRequest) throws {
        guard length > request.maximumLength else { return }
        throw CacheError(
            .badResponse, "\(request.url) is longer than the limit of \(request.maximumLength) bytes")
    }

    // MARK: - Requested content

    /// Waits for the running request, or starts one if `starts` is true. Returns nil if there is none, if this reader
    /// can't use its result, or if it's late or likely to fail and the pinned version can be read instead.
    private func sharedBody(
        _ request: WholeBodyRequest, _ read: ReadRequest, starts: Bool
    ) async throws -> WholeBody? {
        let hasFallback = fallback(for: read) != nil
        if hasFallback, state.withLock({ $0.isOriginFailing(at: engine.time.monotonic) }) { return nil }
        var isOwn = false
        let shared = state.withLock { state -> SharedRequest<WholeBody>? in
            if let running = state.bodyRequest { return running }
            guard starts, !state.isRetired, state.current == nil else { return nil }
            isOwn = true
            let ticket = engine.scheduler.ticket(
                for: locator.url, transferClass: request.transferClass, group: request.group)
            let shared = SharedRequest(ticket: ticket) { try await self.fetchBody(request, ticket: ticket) }
            state.bodyRequest = shared
            state.openingBegan = engine.time.monotonic
            return shared
        }
        guard let shared,
            case .completed(let body) = try await result(of: shared, isOwn: isOwn, for: read, isLimited: hasFallback)
        else { return nil }
        return isOwn ? body : permitted(body, request)
    }

    /// Returns the body of a shared request; nil if this reader's scope, unlike that of the reader that started the
    /// request, forbids the body's address. This reader then sends a request of its own.
    private func permitted(_ body: WholeBody?, _ request: WholeBodyRequest) -> WholeBody? {
        guard let body, body.scope == .any, body.head.addressKind(at: request.url) == .local,
            (request.settings ?? engine.transfers).scope == .publicOnly
        else { return body }
        return nil
    }

    private func fetchBody(_ request: WholeBodyRequest, ticket: TransferScheduler.Ticket) async throws -> WholeBody {
        defer {
            ticket.release()
            state.withLock { $0.bodyRequest = nil }
            useEnded()
        }
        try await Transfer.admit(ticket, engine)
        let context = engine.originContext(request.settings)
        let began = engine.time.monotonic
        let reader = OriginReader(
            context: context, locator: locator, requested: .from(0, to: nil), known: nil, sendsRange: false,
            acceptsContentCodings: true, startsOver: true,
            pipeline: engine.pipeline(for: request.url, request.kind, transforms: false)
        )
        defer { Task { await reader.close() } }
        while true {
            do {
                return try await fetchBody(request, from: reader, context: context, ticket: ticket, began: began)
            } catch is OriginReader.ResponseDiscarded {}
        }
    }

    /// Reads one response. Throws ``OriginReader/ResponseDiscarded`` if the connection was lost. Parts of two responses
    /// aren't combined, because they may belong to different versions despite equal validators.
    private func fetchBody(
        _ request: WholeBodyRequest, from reader: OriginReader, context: OriginContext,
        ticket: TransferScheduler.Ticket, began: Duration
    ) async throws -> WholeBody {
        _ = try await reader.open()
        guard let (head, responseHead) = try await head(of: reader, kind: request.kind, context: context) else {
            throw CacheError(.badResponse, "the response for \(request.url) is empty")
        }
        if let length = head.length { try checkLength(length, request) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(head.length ?? 0))
        try await Transfer(engine: engine, reader: reader, ticket: ticket).receive { piece in
            try checkLength(Int64(bytes.count + piece.part.count), request)
            piece.withUnsafeBytes { bytes += $0 }
            return true
        }
        let coding = ResponseCheck.contentCoding(responseHead.headerFields)
        var body = WholeBody(head: head, contentCoding: coding, bytes: bytes)
        body.scope = context.settings.scope
        let mayStore = try request.keeps(&body)
        let transform = body.contentCoding == nil ? engine.transform(for: request.kind) : nil
        if let transform {
            body.bytes = try transform.body(body.bytes)
            body.head.entityTag = "\"mc-\(BlobFolder.newName())\""
        }
        // The content decoded by `keeps`, or the transform's result, may be longer than the received body.
        try checkLength(Int64(body.bytes.count), request)
        body.head.length = Int64(body.bytes.count)
        let read = ReadRequest(url: request.url, settings: request.settings)
        let isTransient = try? storesUntilClosed(
            responseHead, head: body.head, request: read, settings: context.settings)
        if mayStore, body.contentCoding == nil, let isTransient {
            let state = RepresentationState(
                head: body.head, freshness: Freshness(responseHead.headerFields, now: engine.time.now),
                transform: transform?.applied, kind: request.kind)
            let representation = newRepresentation(state)
            let isCurrent = await keep(
                body, as: representation, began: began, context.settings.scope, isTransient: isTransient)
            if isCurrent, representation.isComplete { body.version = representation.id }
        }
        return body
    }

    /// Makes a received body the current version and writes it to its blob.
    ///
    /// - Parameter isTransient: Whether the admission policy removes it when its last reader leaves.
    /// - Returns: Whether it became the current version. If not, nothing of it is stored.
    private func keep(
        _ body: WholeBody, as representation: Representation, began: Duration, _ scope: AddressScope, isTransient: Bool
    ) async -> Bool {
        let isPlaced = state.withLock { state in
            guard !state.isRetired, state.current == nil else { return false }
            state.setCurrent(representation, since: began, scope, now: engine.time.now)
            state.isRemovedWhenClosed = isTransient
            return true
        }
        guard isPlaced else { return false }
        guard !body.bytes.isEmpty else {
            // Nothing is written that would schedule the commit.
            representation.withState { $0.needsCommit = true }
            return true
        }
        do {
            try await engine.space.reserve(Int64(body.bytes.count)) {
                let woken = try await engine.pool.run {
                    try body.bytes.withUnsafeBytes { bytes in
                        let range = 0..<Int64(bytes.count)
                        return try representation.write(bytes, at: range, into: [range])
                    }
                }
                for wake in woken { wake() }
            }
        } catch {
            // Waiting callers receive the body from memory. Later readers find a hole.
            engine.health.failed(CacheError.wrap(error, as: .storage, "\(representation.path) can't be written"))
        }
        return true
    }
}
