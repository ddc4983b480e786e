extension CacheStore {
    /// Fetches the missing bytes of a request's range, without read-ahead. Returns when they are written, which may be
    /// before they are committed.
    ///
    /// Cancelling the task ends the fills that nothing else needs, before this function returns. Their bytes stay cached.
    ///
    /// - Throws: ``CacheError``: the errors of ``read(_:)``, the failure of a later origin request, or
    ///   ``CacheError/Code/storage`` if the resource can't be stored.
    public func fill(_ request: ReadRequest) async throws -> ResourceInfo {
        // Limits the number of open files, because uncommitted representations have one each.
        if engine.committer.dirtyCount >= Self.maximumUncommitted { await engine.committer.commit() }
        let representation = try await filled(request)
        return info(of: representation.resource.stored, representation: representation)
    }

    /// The number of uncommitted representations at which a new fill waits for a commit first.
    private static let maximumUncommitted = 2000

    /// Fetches the whole resource. Returns when all bytes are committed. Cancelling the task ends the fills as in
    /// ``fill(_:)``; received bytes stay cached.
    ///
    /// - Throws: The same errors as ``fill(_:)``.
    public func complete(_ request: ReadRequest) async throws -> ResourceInfo {
        var request = request
        request.range = .all
        let representation: Representation
        do {
            representation = try await filled(request)
        } catch {
            // Received bytes must be durable despite the failure.
            if Task.isCancelled { engine.committer.scheduleCommit() } else { await engine.committer.commit() }
            throw error
        }
        try await commit()
        return info(of: representation.resource.stored, representation: representation)
    }

    /// Commits all bytes written before the call. The commit continues if the task is cancelled.
    package func commit() async throws {
        try await CacheError.wrapping("received bytes can't be committed to the cache") {
            let request = SharedRequest { [engine] in await engine.committer.commit() }
            if let failure = try await request.wait() ?? nil { throw failure }
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
                .storage, "\(request.url) can't be stored: \(refusal?.message ?? "it was removed in the meantime")")
            error.isByRule = refusal?.isByRule ?? false
            throw error
        }
        let length = Int64(clamping: session.range.count)
        if representation.head.length != nil, let limit = engine.limits.maximumBytes, length > limit {
            throw CacheError(
                .storage,
                "\(request.url) has \(ByteCount(length)), which exceeds the cache limit of \(ByteCount(limit)); raise the limit"
            )
        }
        if request.pins, let length = representation.head.length {
            try await requireSpace(for: min(length, session.range.upperBound) - representation.spans.byteCount, request)
        }
        try await fill(session.range, of: representation, request)
        if request.pins { try await movePin(to: representation, request) }
        return representation
    }

    private func fill(_ range: Range<Int64>, of representation: Representation, _ request: ReadRequest) async throws {
        let demand = representation.newDemand(of: range, request.transferClass)
        do {
            try await representation.fill(range, from: range.lowerBound, for: demand, request)
        } catch {
            await representation.endDemand(demand)
            throw CacheError.wrap(error, as: .unreachable, "\(request.url) can't be completed")
        }
        await representation.endDemand(demand)
    }

    /// Moves a resource's pin to a version that has just been filled, if another version is pinned. Only one version
    /// can be pinned, so the spans of the other one are fetched first. The caller's session protects the new version
    /// from eviction. After an error, the old version stays pinned.
    private func movePin(to representation: Representation, _ request: ReadRequest) async throws {
        let resource = representation.resource
        guard let pinned = resource.pinnedVersion, pinned !== representation else { return }
        let length = representation.head.length ?? .max
        let spans = pinned.spans
        // A shorter version can't have all of these spans, but replaces the pinned one if it's complete.
        for span in spans.upperBound > length ? [0..<length] : Array(spans.spans) {
            try await fill(span, of: representation, request)
        }
        try await commit()
        resource.state.withLock { $0.pinFailure = nil }
        try await movePin(of: resource)
        if let pinned = resource.pinnedVersion, pinned !== representation {
            throw CacheError(
                .representationChanged, "\(request.url) can't be pinned: it has changed at the origin; try again")
        }
    }

    /// Throws an error if content to be pinned doesn't fit on the disk. Small content isn't checked in advance.
    private func requireSpace(for missing: Int64, _ request: ReadRequest) async throws {
        guard missing >= Self.minimumCheckedSpace else { return }
        let (totals, free) = try await CacheError.wrapping("the free space for \(request.url) can't be determined") {
            (try await engine.catalog.byteTotals(), try await engine.run { try $0.freeBytes })
        }
        let most = free + totals.all - totals.pinned - engine.limits.minimumFreeBytes
        guard missing > most else { return }
        throw CacheError(
            .storage,
            "\(request.url) needs \(ByteCount(missing)) more, but only \(ByteCount(max(0, most))) are available on the disk; "
                + "free some space")
    }

    private static let minimumCheckedSpace: Int64 = 8 << 20

    /// Fills the rest of a resource in the background, for a read with ``FillPolicy/whole``.
    func fillRemainder(_ representation: Representation?, _ request: ReadRequest) {
        guard let representation, !representation.isComplete else { return }
        // Registered before the reader can leave.
        let demand = representation.newDemand(of: 0..<Int64.max, request.transferClass)
        Task {
            try? await representation.fill(
                0..<Int64.max, from: request.range.knownStart ?? 0, for: demand, request)
            await representation.endDemand(demand)
        }
    }
}
