import Synchronization

/// A response that isn't stored, returned to the readers waiting for it.
struct PassingResponse: Sendable {
    var version: Representation
    /// A reader that preserves the response's first bytes until the waiting readers have joined.
    var hold: PassThrough
}

extension Resource {
    /// Returns a session that shares a running fill near the requested range; nil if there is none.
    func joinPassing(_ request: ReadRequest) -> ReadSession? {
        guard request.policy == .onDemand, let version = state.withLock({ $0.refusal != nil ? $0.passing : nil }),
            version.content.transform == engine.transform(for: request.kind)?.applied,
            let range = try? range(of: request, head: version.head)
        else { return nil }
        let passThrough = version.passing.joinRunning(
            range, settings: request.settings, transferClass: request.transferClass,
            pipeline: engine.pipeline(for: request.url, request.kind))
        return passThrough.map { passingSession(request, of: version, range: range, passThrough: $0) }
    }

    /// Returns a session that reads a version through a running fill near the range, or through a new one.
    func passingSession(_ request: ReadRequest, of version: Representation) throws -> ReadSession {
        let range = try range(of: request, head: version.head)
        let passThrough =
            range.isEmpty
            ? nil
            : version.passThrough(
                range, settings: request.settings, transferClass: request.transferClass, group: request.group,
                kind: request.kind)
        return passingSession(request, of: version, range: range, passThrough: passThrough)
    }

    private func passingSession(
        _ request: ReadRequest, of version: Representation, range: Range<Int64>, passThrough: PassThrough?
    ) -> ReadSession {
        ReadSession(
            representation: version, attached: version.attach(at: range.lowerBound), head: version.head, range: range,
            request: request, passThrough: passThrough)
    }

    /// Passes the bytes of a received response to readers without storing them.
    func pass(
        _ transfer: Transfer, head: ResourceHead, because refusal: CacheError, settings: TransferSettings?
    ) async -> PassingResponse {
        await transfer.reader.expect(KnownRepresentation(validator: head.validator, length: head.length))
        let version = version(head, because: refusal, madeBy: transfer.reader.pipeline?.transform?.applied)
        let hold = await version.passing.adopt(transfer, settings: settings)
        return PassingResponse(version: version, hold: hold)
    }

    /// Returns the version that is already being read if a strong validator proves that it's the same; otherwise a new
    /// one, which replaces it.
    private func version(
        _ head: ResourceHead, because refusal: CacheError, madeBy transform: AppliedTransform?
    ) -> Representation {
        var fresh = RepresentationState(head: head, freshness: Freshness(), transform: transform)
        fresh.refusal = refusal
        let version = newRepresentation(fresh, isStored: false)
        return state.withLock { state in
            state.refusal = refusal
            if let passing = state.passing, passing.head.length == head.length,
                passing.head.validator == head.validator, head.validator.strongEntityTag != nil,
                MediaType.isPlaylist(passing.head.contentType) == MediaType.isPlaylist(head.contentType),
                passing.content.transform == transform
            {
                return passing
            }
            state.passing = version
            return version
        }
    }
}
