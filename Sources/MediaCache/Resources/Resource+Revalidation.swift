import HTTPTypes
import Synchronization

extension CacheStore {
    /// Whether all of an open resource is here and may be used without asking: reading it would bring nothing.
    package func isHere(_ request: ReadRequest) -> Bool {
        let found = table[key(of: request)]?.readiness(request, now: engine.time.now)
        guard case (.ready(let representation), _)? = found
        else { return false }
        return representation.isComplete
    }
}

extension Resource {
    /// Asks the origin whether the current version is that still, while it's being used.
    func checkBeside(_ settings: TransferSettings?) {
        guard let representation = current else { return }
        let isFirst = state.withLock { state in
            defer { state.isChecking = true }
            return !state.isChecking
        }
        guard isFirst else { return }
        Task {
            try? await ask(about: representation, settings, .beside)
            state.withLock { $0.isChecking = false }
            useEnded()
        }
    }

    /// How long a read of bytes that may be served waits for the origin's word on them.
    private static let patience = Duration.seconds(2)

    /// Asks the origin whether `representation` is still current, once for all who want to know.
    ///
    /// - Parameter mayBeServed: whether the version may be served without the answer: then the wait is short, and the
    ///   request goes on beside the read.
    /// - Returns: whether it was asked; if not, what is current has changed in between.
    func check(
        _ representation: Representation, _ settings: TransferSettings?, _ revalidation: Revalidation,
        mayBeServed: Bool
    ) async throws -> Bool {
        let opening = state.withLock { state -> SharedRequest<PassingResponse?>? in
            guard !state.isRetired, state.current === representation else { return nil }
            if let opening = state.opening { return opening }
            let opening = SharedRequest<PassingResponse?> {
                defer { self.state.withLock { $0.opening = nil } }
                try await self.ask(about: representation, settings, revalidation)
                return nil
            }
            state.opening = opening
            state.openingBegan = engine.time.monotonic
            if mayBeServed {
                Task {
                    _ = try? await opening.wait()
                    useEnded()
                }
            }
            return opening
        }
        do {
            guard mayBeServed, let opening else { return try await opening?.waitOrSeeEnd() != nil }
            return try await isAnswered(opening)
        } catch let error as CacheError where error.code != .cancelled && !revalidation.isSince {
            // The request was one of somebody who uses nothing that isn't confirmed.
            return true
        }
    }

    /// Waits for a request until its readers' patience ends. Returns false if it was given up before that.
    private func isAnswered(_ opening: SharedRequest<PassingResponse?>) async throws -> Bool {
        let time = engine.time
        let left = state.withLock { $0.openingBegan } + Self.patience - time.monotonic
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { try await opening.wait() != nil }
            group.addTask {
                try await time.sleep(for: left)
                return true
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    private func ask(
        about representation: Representation, _ settings: TransferSettings?, _ revalidation: Revalidation
    ) async throws {
        let head = representation.head
        var conditions: HTTPFields = [.range: "bytes=0-0"]
        conditions.setUnless(head.validator)
        let exchange = OriginExchange(context: engine.originContext(settings), locator: locator)
        let began = engine.time.monotonic
        do {
            let (answer, url) = try await exchange.send(conditions)
            let response = try await answer.refusingPage(
                from: url, as: representation.content.kind, context: exchange.context)
            response.body.cancel()
            if response.status == 304 || (response.status == 416 && head.length == 0) {
                return confirmed(representation, by: response.headerFields, since: began)
            }
            let verdict = ResponseCheck.judge(
                status: response.status, headerFields: response.headerFields, asked: .from(0, to: 1),
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
                if isSame { return confirmed(representation, freshness, since: began) }
            case .changed(let other):
                let isUntold = other?.validator == Validator() && !revalidation.isSince
                guard isUntold || exchange.context.settings.alternatingEntityTags == .compareBytes, let other,
                    other.completeLength == head.length, try await representation.isSameAtOrigin(settings)
                else { break }
                if !isUntold { engine.events.send(.entityTagAlternates(key: key)) }
                return confirmed(representation, freshness, since: began)
            case .refuse(let error): throw error
            }
            changed(representation)
            engine.events.send(.representationChanged(key: key))
        } catch {
            let failure = CacheError.wrap(error, as: .unreachable, "\(locator.url) can't be asked")
            if failure.code == .cancelled { throw failure }
            state.withLock { $0.lastCheck = engine.time.now }
            representation.revalidated(nil, isStale: true)
            if revalidation.isSince { throw failure }
            engine.events.send(.servedStale(key: key, error: failure))
        }
    }

    /// Whether the answer to a request that `known` was a condition of says that it's the current version.
    func isCurrent(
        _ known: Representation, by reader: OriginReader, since began: Duration
    ) async -> Bool {
        if let unmodified = await reader.unmodified {
            confirmed(known, by: unmodified, since: began)
        } else {
            // Not every origin looks at conditions.
            guard let answer = await reader.answer, answer.validator != Validator(),
                known.head.validator != Validator(), known.head.validator.agrees(with: answer.validator),
                answer.completeLength == known.head.length
            else { return false }
            confirmed(known, Freshness(answer.headerFields, now: engine.time.now), since: began)
        }
        return true
    }

    /// Notes that a 304 has confirmed a version.
    private func confirmed(_ representation: Representation, by fields: HTTPFields, since began: Duration) {
        let freshness = Freshness(
            fields, confirming: representation.freshness, from: representation.head.validatedAt, now: engine.time.now)
        confirmed(representation, freshness, since: began)
    }

    private func confirmed(_ representation: Representation, _ freshness: Freshness, since began: Duration) {
        state.withLock { state in
            state.lastCheck = engine.time.now
            if state.current === representation { state.confirmed = began }
        }
        // What must be asked about each time has just been; the readers that waited for it may go on.
        representation.revalidated(freshness, isStale: false)
    }
}
