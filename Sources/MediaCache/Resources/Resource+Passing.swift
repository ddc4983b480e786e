import Synchronization

/// A version that is read without being stored.
struct PassingVersion: Sendable {
    var head: ResourceHead
    var fills: PassingFills
    /// The transform of the origin's bytes; nil without one.
    var transform: AppliedTransform?
}

/// A response that isn't stored, returned to the readers waiting for it.
struct PassingResponse: Sendable {
    var version: PassingVersion
    /// A reader that preserves the response's first bytes until the waiting readers have joined.
    var hold: PassThrough
}

extension Resource {
    /// Returns a session that shares a running fill near the requested range; nil if there is none.
    func joinPassing(_ request: ReadRequest) -> ReadSession? {
        guard request.policy == .onDemand, let version = state.withLock({ $0.refusal != nil ? $0.passing : nil }),
            version.transform == engine.transform(for: request.kind)?.applied,
            let range = try? range(of: request, head: version.head)
        else { return nil }
        let passThrough = version.fills.joinRunning(
            range, settings: request.settings, transferClass: request.transferClass,
            pipeline: engine.pipeline(for: request.url, request.kind))
        return passThrough.map { passingSession(request, of: version, range: range, passThrough: $0) }
    }

    /// Returns a session that reads a version through a running fill near the range, or through a new one.
    func passingSession(_ request: ReadRequest, of version: PassingVersion) throws -> ReadSession {
        let range = try range(of: request, head: version.head)
        let passThrough =
            range.isEmpty
            ? nil
            : version.fills.join(
                range, of: version.head, settings: request.settings, transferClass: request.transferClass,
                group: request.group, pipeline: engine.pipeline(for: request.url, request.kind))
        return passingSession(request, of: version, range: range, passThrough: passThrough)
    }

    private func passingSession(
        _ request: ReadRequest, of version: PassingVersion, range: Range<Int64>, passThrough: PassThrough?
    ) -> ReadSession {
        ReadSession(
            passing: version, passThrough: passThrough, range: range, request: request, key: key, engine: engine)
    }

    /// Passes the bytes of a received response to readers without storing them.
    func pass(
        _ reader: OriginReader, head: ResourceHead, because refusal: CacheError, settings: TransferSettings?,
        ticket: TransferScheduler.Ticket
    ) async -> PassingResponse {
        await reader.expect(KnownRepresentation(validator: head.validator, length: head.length))
        let version = version(head, because: refusal, madeBy: reader.pipeline?.transform?.applied)
        let hold = await version.fills.adopt(reader, ticket: ticket, settings: settings)
        return PassingResponse(version: version, hold: hold)
    }

    /// Returns the version that is already being read if a strong validator proves that it's the same; otherwise a new
    /// one, which replaces it.
    private func version(
        _ head: ResourceHead, because refusal: CacheError, madeBy transform: AppliedTransform?
    ) -> PassingVersion {
        let fresh = PassingVersion(
            head: head, fills: PassingFills(engine: engine, locator: locator), transform: transform)
        return state.withLock { state in
            state.refusal = refusal
            if let passing = state.passing, passing.head.length == head.length,
                passing.head.validator == head.validator, head.validator.strongEntityTag != nil,
                MediaType.isPlaylist(passing.head.contentType) == MediaType.isPlaylist(head.contentType),
                passing.transform == transform
            {
                return passing
            }
            state.passing = fresh
            return fresh
        }
    }
}
