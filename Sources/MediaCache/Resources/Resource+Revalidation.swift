extension CacheStore {
    /// Returns whether a resource is open and complete, and may be used without waiting for the origin.
    package func isAvailableWithoutOrigin(_ request: ReadRequest) -> Bool {
        let found = table[key(of: request)]?.readiness(request, now: engine.time.now)
        guard case .ready(let representation, _)? = found else { return false }
        return representation.isComplete
    }
}

extension Resource {
    /// Starts a request that revalidates the current version, unless a shared request is already running. The new
    /// request continues without waiting callers.
    func revalidateInBackground(_ request: ReadRequest) {
        guard let current else { return }
        let (opening, isOwn) = opening(request.confirming(current.content.kind), insteadOf: current)
        if isOwn { opening?.outliveWaiters() }
    }

    /// The maximum time that a read waits for the origin if cached bytes may be served without a response.
    private static let patience = Duration.seconds(2)

    /// Revalidates `representation` with one request, shared by all callers.
    ///
    /// - Parameter mayBeServed: Whether the version may be served without a response. If so, the wait is limited, and
    ///   the request continues in the background.
    /// - Returns: Whether a request has ended or is late, so that the caller doesn't revalidate again. False if the
    ///   current version has changed in the meantime, or another reader's request isn't sufficient.
    func revalidate(_ representation: Representation, for request: ReadRequest, mayBeServed: Bool) async throws -> Bool
    {
        let (opening, isOwn) = opening(request.confirming(representation.content.kind), insteadOf: representation)
        guard let opening else { return false }
        do {
            switch try await result(of: opening, isOwn: isOwn, for: request, isLimited: mayBeServed) {
            case .completed(nil): return false
            case .completed(.unconfirmed(let failure)) where request.revalidation.isSince:
                // The request of another reader may have had a narrower scope or begun too early.
                guard isOwn else { return false }
                throw failure
            case .completed, .late: return true
            }
        } catch let error as CacheError where error.code != .cancelled && !request.revalidation.isSince {
            // The request was started by a caller that requires confirmation. This caller doesn't.
            return true
        }
    }

    /// The outcome of waiting for a shared request.
    enum TimedResult<Value: Sendable>: Sendable {
        /// The request's result; nil if it was cancelled because its other waiters left, or failed because of another
        /// reader's narrower scope.
        case completed(Value?)
        /// No result within ``patience``. The request continues.
        case late
    }

    /// Waits for a shared request.
    ///
    /// - Parameters:
    ///   - isOwn: Whether this reader started the request.
    ///   - isLimited: Whether to wait for at most ``patience`` since the start of the request.
    func result<Value>(
        of shared: SharedRequest<Value>, isOwn: Bool, for request: ReadRequest, isLimited: Bool
    ) async throws -> TimedResult<Value> {
        do {
            if isLimited { return try await limitedResult(of: shared, for: request) }
            return .completed(try await shared.waitOrSeeEnd(request.transferClass) { await endUnneededFills() })
        } catch let error as CacheError where error.code == .forbiddenAddress && !isOwn {
            // The request was sent with another reader's narrower scope.
            guard (request.settings ?? engine.transfers).scope == .any else { throw error }
            return .completed(nil)
        }
    }

    private func limitedResult<Value>(
        of shared: SharedRequest<Value>, for request: ReadRequest
    ) async throws -> TimedResult<Value> {
        let time = engine.time
        let left = state.withLock { $0.openingBegan } + Self.patience - time.monotonic
        return try await withThrowingTaskGroup(of: TimedResult<Value>.self) { group in
            group.addTask { .completed(try await shared.wait(request.transferClass)) }
            group.addTask {
                try await time.sleep(for: left)
                return .late
            }
            defer { group.cancelAll() }
            let result = try await group.next() ?? .late
            guard case .late = result else { return result }
            shared.outliveWaiters()
            let message = "\(locator.url) didn't respond within \(Self.patience.seconds) s"
            pinned(request, after: CacheError(.timedOut, message))
            return result
        }
    }

    /// Records a failed revalidation. If the origin has failed, the known version counts as stale afterwards.
    func revalidationFailed(of known: Representation, _ request: ReadRequest, _ failure: CacheError) {
        // These errors concern the request rather than the origin.
        guard ![.cancelled, .closed, .forbiddenAddress, .rangeNotSatisfiable].contains(failure.code) else { return }
        state.withLock { state in
            state.lastCheck = engine.time.now
            state.originFailure = engine.time.monotonic
        }
        known.revalidated(nil, isStale: true)
        if !request.revalidation.isSince { engine.events.send(.servedStale(key: key, error: failure)) }
    }

    /// Returns whether a response to a conditional request confirms the known version, and records the confirmation.
    ///
    /// Without a validator, or with another one if entity tags may alternate, cached bytes are compared, unless the
    /// request requires a confirmation since a moment.
    func isCurrent(
        _ known: Representation, by reader: OriginReader, _ request: ReadRequest, since began: Duration,
        _ scope: AddressScope
    ) async throws -> Bool {
        let head = known.head
        guard reader.confirming != nil, mayConfirm(head, from: await reader.peer, for: scope) else { return false }
        if let unmodified = await reader.unmodified {
            let freshness = Freshness(
                unmodified, confirming: known.freshness, from: known.head.validatedAt, now: engine.time.now)
            confirmed(known, freshness, since: began, scope)
            return true
        }
        guard let responseHead = await reader.responseHead else { return false }
        let (received, hasChanged) = (responseHead.validator, await reader.hasChanged)
        let hasValidators = received != Validator() && head.validator != Validator()
        if hasChanged || !hasValidators {
            let settings = request.settings ?? engine.transfers
            guard !request.revalidation.isSince,
                !hasChanged || responseHead.completeLength == head.length,
                !hasValidators || settings.alternatingEntityTags == .compareBytes
            else { return false }
            // Some origins permit only one connection.
            await reader.close()
            guard try await known.isSameAtOrigin(request.settings) else { return false }
            if hasChanged, hasValidators { engine.events.send(.entityTagAlternates(key: key)) }
        }
        confirmed(known, Freshness(responseHead.headerFields, now: engine.time.now), since: began, scope)
        return true
    }

    /// Returns whether a response may confirm a version for a request with a scope.
    ///
    /// In the scope `publicOnly`, bytes from a local address can be confirmed by a local address only. Otherwise, a
    /// host name that now resolves to a public address could gain access to them by repeating the entity tag.
    ///
    /// - Parameter peer: The kind of address that responded.
    func mayConfirm(_ head: ResourceHead, from peer: AddressKind, for scope: AddressScope) -> Bool {
        scope == .any || head.addressKind(at: locator.url) != .local
            || (peer == .unknown ? locator.url.hostKind : peer) == .local
    }

    private func confirmed(
        _ representation: Representation, _ freshness: Freshness, since began: Duration, _ scope: AddressScope
    ) {
        state.withLock { state in
            state.lastCheck = engine.time.now
            state.originFailure = nil
            if state.current === representation { state.confirmed.record(began, scope) }
        }
        representation.revalidated(freshness, isStale: false)
    }
}
