extension CacheStore {
    /// Brings every byte of a request's range that isn't here; returns when all of them are written, which is before
    /// they are committed. What lies outside the range isn't asked for.
    ///
    /// Cancelling the task ends at once what nobody else reads or wants: when this returns, no byte more comes of it.
    /// What came is kept.
    ///
    /// - Throws: ``CacheError``: what the origin answered, ``CacheError/Code/rangeNotSatisfiable`` if the range lies
    ///   outside, ``CacheError/Code/storage`` if the resource can't be kept.
    public func fill(_ request: ReadRequest) async throws -> ResourceInfo {
        // Each has a file open until then.
        if engine.committer.dirtyCount >= Self.mostUncommitted { await engine.committer.commit() }
        let representation = try await filled(request)
        return info(of: representation.resource.stored, representation: representation)
    }

    /// So many representations at most wait to be committed while more are filled.
    private static let mostUncommitted = 2000

    /// Fills the whole resource; returns when every byte is here and committed. Cancelling the task stops the fill as
    /// in ``fill(_:)``, and keeps what came.
    ///
    /// - Throws: as ``fill(_:)``.
    public func complete(_ request: ReadRequest) async throws -> ResourceInfo {
        var request = request
        request.range = .all
        let representation: Representation
        do {
            representation = try await filled(request)
        } catch {
            // What came is to last, whatever became of the rest.
            if Task.isCancelled { engine.committer.commitSoon() } else { await engine.committer.commit() }
            throw error
        }
        try await commit()
        return info(of: representation.resource.stored, representation: representation)
    }

    /// Makes durable all that was written before the call.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage``: what keeps bytes from being durable. With
    ///   ``CacheError/Code/cancelled`` when the task is cancelled; the commit goes on by itself.
    package func commit() async throws {
        do {
            try await engine.committer.commitIfNotCancelled()
        } catch {
            throw CacheError.wrap(error, as: .storage, "the cache can't be committed")
        }
    }

    private func filled(_ request: ReadRequest) async throws -> Representation {
        var request = request
        request.policy = .whole
        request.isExact = true
        let session = try await open(request)
        defer { session.cancel() }
        guard let representation = session.currentRepresentation else {
            let refusal = table[key(of: request)]?.refusal
            if let refusal, refusal.code == .notMedia { throw refusal }
            var error = CacheError(
                .storage, "\(request.url) can't be kept: \(refusal?.message ?? "it was removed meanwhile")")
            error.isByRule = refusal?.isByRule ?? false
            throw error
        }
        let length = Int64(clamping: session.range.count)
        if representation.head.length != nil, let limit = engine.configuration.limits.maximumBytes, length > limit {
            throw CacheError(
                .storage, "\(request.url) has \(length) bytes, and the cache may keep \(limit) in all; raise the limit")
        }
        if request.pins, let length = representation.head.length {
            try await requireRoom(for: min(length, session.range.upperBound) - representation.spans.byteCount, request)
        }
        try await fill(session.range, of: representation, request)
        if request.pins { try await movePin(to: representation, request) }
        return representation
    }

    private func fill(_ range: Range<Int64>, of representation: Representation, _ request: ReadRequest) async throws {
        let want = representation.newWant(of: range, request.transferClass)
        do {
            try await representation.fill(
                range, from: range.lowerBound, for: want, settings: request.settings,
                transferClass: request.transferClass, group: request.group)
        } catch {
            await representation.endWant(want)
            throw CacheError.wrap(error, as: .unreachable, "\(request.url) can't be completed")
        }
        await representation.endWant(want)
    }

    /// Moves a resource's pin to the version that was filled just now, if another one has it. A pin names one version, so
    /// the pinned bytes of the other are filled in this one first. The caller reads the version, so that it isn't evicted
    /// meanwhile.
    ///
    /// - Throws: ``CacheError``: what kept the pinned bytes from being filled, with
    ///   ``CacheError/Code/representationChanged`` if the origin has another version by now. The pin then stays.
    private func movePin(to representation: Representation, _ request: ReadRequest) async throws {
        let resource = representation.resource
        guard let pinned = resource.pinnedVersion, pinned !== representation else { return }
        let length = representation.head.length ?? .max
        let spans = pinned.spans
        // A shorter version doesn't have all of these bytes. It replaces the other one if it's complete.
        for span in spans.upperBound > length ? [0..<length] : Array(spans.spans) {
            try await fill(span, of: representation, request)
        }
        try await commit()
        resource.allowPinMove()
        try await movePin(of: resource)
        if let pinned = resource.pinnedVersion, pinned !== representation {
            throw CacheError(
                .representationChanged, "\(request.url) can't be pinned: its origin has another version by now")
        }
    }

    /// What is to stay and can't fit is refused before its bytes come. What is small is found out when it's written.
    private func requireRoom(for missing: Int64, _ request: ReadRequest) async throws {
        guard missing >= Self.leastRoomAsked else { return }
        let engine = engine
        let totals = try await engine.catalog.byteTotals()
        let free = try await engine.pool.run { try engine.freeBytes }
        let most = free + totals.all - totals.pinned - engine.configuration.limits.minimumFreeBytes
        guard missing > most else { return }
        throw CacheError(
            .storage, "\(request.url) needs \(missing) bytes more, and the disk has \(max(0, most)) to spare")
    }

    private static let leastRoomAsked: Int64 = 8 << 20

    /// The fill of a reader that wants the whole goes on beside its reading.
    func fillRest(_ representation: Representation?, _ request: ReadRequest) {
        guard let representation, !representation.isComplete else { return }
        // Before the reader can leave.
        let want = representation.newWant(of: 0..<Int64.max, request.transferClass)
        Task {
            try? await representation.fill(
                0..<Int64.max, from: request.range.knownStart ?? 0, for: want, settings: request.settings,
                transferClass: request.transferClass, group: request.group)
            await representation.endWant(want)
        }
    }
}
