/// The result of a request that finds or confirms a version.
enum OpeningResult: Sendable {
    /// A stored version has been found, confirmed or replaced.
    case stored
    /// The response isn't stored. `hold` preserves its first bytes until the waiting readers have joined.
    case unstored(Representation, hold: MemoryFill.Reader)
    /// The request failed. Its only purpose was to confirm a version.
    case unconfirmed(CacheError)
}

extension Resource {
    /// Returns a session that shares a running fill near the requested range; nil if there is none.
    func joinUnstored(_ request: ReadRequest) -> ReadSession? {
        guard request.policy == .onDemand, let version = state.withLock({ $0.refusal != nil ? $0.unstored : nil }),
            version.content.transform == engine.transform(for: request.kind)?.applied,
            let range = try? range(of: request, head: version.head)
        else { return nil }
        let reader = version.memoryFills.joinRunning(range, request, engine.pipeline(for: request.url, request.kind))
        return reader.map { unstoredSession(request, of: version, range: range, reader: $0) }
    }

    /// Returns a session that reads a version through a running fill near the range, or through a new one.
    func unstoredSession(_ request: ReadRequest, of version: Representation) throws -> ReadSession {
        let range = try range(of: request, head: version.head)
        let reader = range.isEmpty ? nil : version.memoryReader(range, request)
        return unstoredSession(request, of: version, range: range, reader: reader)
    }

    private func unstoredSession(
        _ request: ReadRequest, of version: Representation, range: Range<Int64>, reader: MemoryFill.Reader?
    ) -> ReadSession {
        ReadSession(
            representation: version, attached: version.attach(at: range.lowerBound), head: version.head, range: range,
            request: request, memoryReader: reader)
    }

    /// Passes the bytes of a received response to readers without storing them.
    func pass(
        _ transfer: Transfer, head: ResourceHead, because refusal: CacheError, settings: TransferSettings?
    ) async -> OpeningResult {
        await transfer.reader.expect(KnownRepresentation(validator: head.validator, length: head.length))
        let version = version(head, because: refusal, madeBy: transfer.reader.pipeline?.transform?.applied)
        return .unstored(version, hold: await version.memoryFills.adopt(transfer, settings: settings))
    }

    /// Returns the version being read if a strong entity tag proves that it's the same; otherwise a new one.
    private func version(
        _ head: ResourceHead, because refusal: CacheError, madeBy transform: AppliedTransform?
    ) -> Representation {
        var fresh = RepresentationState(head: head, freshness: Freshness(), transform: transform)
        fresh.refusal = refusal
        let version = newRepresentation(fresh, isStored: false)
        return state.withLock { state in
            state.refusal = refusal
            if let current = state.unstored, current.head.length == head.length,
                current.head.validator == head.validator, head.validator.strongEntityTag != nil,
                MediaType.isPlaylist(current.head.contentType) == MediaType.isPlaylist(head.contentType),
                current.content.transform == transform
            {
                return current
            }
            state.unstored = version
            return version
        }
    }
}
