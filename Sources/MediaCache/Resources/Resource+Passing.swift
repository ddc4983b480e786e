import Synchronization

/// A version whose bytes aren't kept, while it's being read.
struct PassingVersion: Sendable {
    var head: ResourceHead
    var fills: PassingFills
    /// What makes its bytes of the origin's.
    var transform: AppliedTransform?
}

/// What a request has found that readers wait for.
struct PassingResponse: Sendable {
    var version: PassingVersion
    /// Keeps the response's first bytes in the ring until those who wait have come for them.
    var hold: PassThrough
}

extension Resource {
    /// A session that shares what is on its way to others; nil if nothing near is.
    func joinPassing(_ request: ReadRequest) -> ReadSession? {
        guard request.policy == .onDemand, let version = state.withLock({ $0.refusal != nil ? $0.passing : nil }),
            version.transform == engine.transform(for: request.kind)?.applied,
            let range = try? range(of: request, head: version.head)
        else { return nil }
        let place = version.fills.joinRunning(
            range, settings: request.settings, transferClass: request.transferClass,
            tap: engine.tap(request.url, request.kind))
        return place.map { passingSession(request, of: version, range: range, place: $0) }
    }

    /// A session over a version that was found just now: in the fill that found it, or in one of its own.
    func passingSession(_ request: ReadRequest, of version: PassingVersion) throws -> ReadSession {
        let range = try range(of: request, head: version.head)
        let place =
            range.isEmpty
            ? nil
            : version.fills.join(
                range, of: version.head, settings: request.settings, transferClass: request.transferClass,
                group: request.group, tap: engine.tap(request.url, request.kind))
        return passingSession(request, of: version, range: range, place: place)
    }

    private func passingSession(
        _ request: ReadRequest, of version: PassingVersion, range: Range<Int64>, place: PassThrough?
    ) -> ReadSession {
        ReadSession(passing: version, place: place, range: range, request: request, key: key, engine: engine)
    }

    /// Readers get the bytes of a response that is here, unkept.
    func pass(
        _ reader: OriginReader, head: ResourceHead, because refusal: CacheError, settings: TransferSettings?,
        ticket: TransferScheduler.Ticket
    ) async -> PassingResponse {
        await reader.expect(KnownRepresentation(validator: head.validator, length: head.length))
        let version = version(head, because: refusal, madeBy: reader.tap?.transform?.applied)
        let hold = await version.fills.adopt(reader, ticket: ticket, settings: settings)
        return PassingResponse(version: version, hold: hold)
    }

    /// The version that is being read, if it is this one beyond doubt; else a new one takes its place.
    private func version(
        _ head: ResourceHead, because refusal: CacheError, madeBy transform: AppliedTransform?
    ) -> PassingVersion {
        let fresh = PassingVersion(
            head: head, fills: PassingFills(engine: engine, locator: locator), transform: transform)
        return state.withLock { state in
            state.refusal = refusal
            if let passing = state.passing, passing.head.length == head.length,
                passing.head.validator == head.validator, head.validator.strongEntityTag != nil,
                passing.transform == transform
            {
                return passing
            }
            state.passing = fresh
            return fresh
        }
    }
}
