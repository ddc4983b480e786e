import HTTPTypes
import Synchronization

extension CacheStore {
    /// Returns whether a resource is open and complete, and may be used without a request to the origin.
    package func isAvailableWithoutOrigin(_ request: ReadRequest) -> Bool {
        let found = table[key(of: request)]?.readiness(request, now: engine.time.now)
        guard case (.ready(let representation), _)? = found
        else { return false }
        return representation.isComplete
    }
}

extension Resource {
    /// Revalidates the current version in the background.
    func revalidateInBackground(_ settings: TransferSettings?) {
        guard let representation = current else { return }
        let isFirst = state.withLock { state in
            defer { state.isChecking = true }
            return !state.isChecking
        }
        guard isFirst else { return }
        Task {
            try? await sendRevalidation(of: representation, settings, .inBackground)
            state.withLock { $0.isChecking = false }
            useEnded()
        }
    }

    /// The time that a read waits for the origin if cached bytes may be served without a response.
    private static let patience = Duration.seconds(2)

    /// Revalidates `representation` with one request, shared by all callers.
    ///
    /// - Parameter mayBeServed: Whether the version may be served without a response. If so, the wait is limited, and
    ///   the request continues in the background.
    /// - Returns: Whether a request was sent. If not, the current version has changed in the meantime.
    func revalidate(_ representation: Representation, for request: ReadRequest, mayBeServed: Bool) async throws -> Bool
    {
        let (settings, revalidation) = (request.settings, request.revalidation)
        let opening = state.withLock { state -> SharedRequest<UnstoredResponse?>? in
            guard !state.isRetired, state.current === representation else { return nil }
            if let opening = state.opening { return opening }
            let opening = SharedRequest<UnstoredResponse?> {
                defer {
                    self.state.withLock { $0.opening = nil }
                    self.useEnded()
                }
                try await self.sendRevalidation(of: representation, settings, revalidation)
                return nil
            }
            state.opening = opening
            state.openingBegan = engine.time.monotonic
            return opening
        }
        do {
            guard mayBeServed, let opening else { return try await opening?.waitOrSeeEnd() != nil }
            if case .completed(let head) = try await result(of: opening) { return head != nil }
            pinned(request, after: lateResponseError)
            return true
        } catch let error as CacheError where error.code != .cancelled && !revalidation.isSince {
            // The request was started by a caller that requires confirmation. This caller doesn't.
            return true
        }
    }

    /// The outcome of a wait with a time limit.
    enum TimedResult<Value: Sendable>: Sendable {
        /// The request's result; nil if it was cancelled because its other waiters left.
        case completed(Value?)
        /// No result within the limit. The request continues.
        case late
    }

    /// Waits for a request that finds or confirms a version, for at most ``patience`` since its start.
    func result<Value>(
        of request: SharedRequest<Value>, _ transferClass: TransferClass = .background
    ) async throws -> TimedResult<Value> {
        let time = engine.time
        let left = state.withLock { $0.openingBegan } + Self.patience - time.monotonic
        return try await withThrowingTaskGroup(of: TimedResult<Value>.self) { group in
            group.addTask { .completed(try await request.wait(transferClass)) }
            group.addTask {
                try await time.sleep(for: left)
                return .late
            }
            defer { group.cancelAll() }
            let result = try await group.next() ?? .late
            if case .late = result { request.outliveWaiters() }
            return result
        }
    }

    /// The error for an origin that doesn't respond within the time limit.
    var lateResponseError: CacheError {
        CacheError(.timedOut, "\(locator.url) didn't respond within \(Self.patience.seconds) s")
    }

    private func sendRevalidation(
        of representation: Representation, _ settings: TransferSettings?, _ revalidation: Revalidation
    ) async throws {
        let head = representation.head
        var conditions: HTTPFields = [.range: "bytes=0-0"]
        conditions.setUnless(head.validator)
        let exchange = OriginExchange(context: engine.originContext(settings), locator: locator)
        let scope = exchange.context.settings.scope
        let began = engine.time.monotonic
        do {
            let (received, url) = try await exchange.send(conditions)
            let response = try await received.refusingPage(
                from: url, as: representation.content.kind, context: exchange.context)
            response.body.cancel()
            guard mayConfirm(head, from: received.peer, for: scope) || ![200, 206, 304, 416].contains(response.status)
            else {
                changed(representation)
                engine.events.send(.representationChanged(key: key))
                return
            }
            if response.status == 304 || (response.status == 416 && head.length == 0) {
                return confirmed(representation, by: response.headerFields, since: began, scope)
            }
            let verdict = ResponseCheck.judge(
                status: response.status, headerFields: response.headerFields, requested: .from(0, to: 1),
                known: KnownRepresentation(validator: head.validator, length: head.length), url: url,
                now: engine.time.now)
            let freshness = Freshness(response.headerFields, now: engine.time.now)
            switch verdict {
            case .use(let checked):
                let tells = checked.validator != Validator() && head.validator != Validator()
                let isSame =
                    if tells || revalidation.isSince { tells } else {
                        try await representation.isSameAtOrigin(settings)
                    }
                if isSame { return confirmed(representation, freshness, since: began, scope) }
            case .changed(let other):
                let lacksValidator = other?.validator == Validator() && !revalidation.isSince
                guard lacksValidator || exchange.context.settings.alternatingEntityTags == .compareBytes, let other,
                    other.completeLength == head.length, try await representation.isSameAtOrigin(settings)
                else { break }
                if !lacksValidator { engine.events.send(.entityTagAlternates(key: key)) }
                return confirmed(representation, freshness, since: began, scope)
            case .refuse(let error): throw error
            }
            changed(representation)
            engine.events.send(.representationChanged(key: key))
        } catch {
            let failure = CacheError.wrap(error, as: .unreachable, "\(locator.url) can't be revalidated")
            if failure.code == .cancelled { throw failure }
            state.withLock { state in
                state.lastCheck = engine.time.now
                state.originFailure = engine.time.monotonic
            }
            representation.revalidated(nil, isStale: true)
            if revalidation.isSince { throw failure }
            engine.events.send(.servedStale(key: key, error: failure))
        }
    }

    /// Returns whether a response to a conditional request confirms the known version, and records the confirmation.
    func isCurrent(
        _ known: Representation, by reader: OriginReader, since began: Duration, _ scope: AddressScope
    ) async -> Bool {
        guard mayConfirm(known.head, from: await reader.peer, for: scope) else { return false }
        if let unmodified = await reader.unmodified {
            confirmed(known, by: unmodified, since: began, scope)
        } else {
            // Some origins ignore conditions.
            guard let responseHead = await reader.responseHead, responseHead.validator != Validator(),
                known.head.validator != Validator(), known.head.validator.agrees(with: responseHead.validator),
                responseHead.completeLength == known.head.length
            else { return false }
            confirmed(known, Freshness(responseHead.headerFields, now: engine.time.now), since: began, scope)
        }
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

    /// Records the confirmation of a version by a 304 response.
    private func confirmed(
        _ representation: Representation, by fields: HTTPFields, since began: Duration, _ scope: AddressScope
    ) {
        let freshness = Freshness(
            fields, confirming: representation.freshness, from: representation.head.validatedAt, now: engine.time.now)
        confirmed(representation, freshness, since: began, scope)
    }

    private func confirmed(
        _ representation: Representation, _ freshness: Freshness, since began: Duration, _ scope: AddressScope
    ) {
        state.withLock { state in
            state.lastCheck = engine.time.now
            state.originFailure = nil
            if state.current === representation { state.confirmed.record(began, scope) }
        }
        // Readers that wait for this revalidation may continue, even if every use requires one.
        representation.revalidated(freshness, isStale: false)
    }
}
