import Synchronization

extension Resource.State {
    /// The version that the pin names, by ``PinRank``. Nil while nothing is pinned.
    var pinnedVersion: Representation? {
        guard stored.isPinned else { return nil }
        return representations.max { pinRank(of: $0) < pinRank(of: $1) }
    }

    private func pinRank(of representation: Representation) -> PinRank {
        let length = representation.head.length
        let (isKept, committed) = representation.file.withLock { ($0.isKept, $0.committed.byteCount) }
        return PinRank(
            isKept: isKept, isComplete: committed == length && representation.isComplete,
            isCurrent: representation === current,
            id: representation.id)
    }

    /// A pinned version that the origin has replaced, and that has all of a range of which the current one lacks bytes.
    func olderPinned(covering range: RequestedRange, madeBy transform: AppliedTransform?) -> Representation? {
        guard let pinned = pinnedVersion, pinned !== current, pinned.content.transform == transform,
            pinned.covers(range), current?.covers(range) != true
        else { return nil }
        return pinned
    }

    /// Whether the origin has failed to give a newer version than the pinned one less than a minute ago.
    func isOriginFailing(at now: Duration) -> Bool { originFailure.map { now - $0 < .seconds(60) } ?? false }
}

extension Resource {
    /// How long a pin stays where it is after it couldn't be moved.
    private static let pinRetryInterval = Duration.seconds(60)

    /// The version that the pin names; nil while nothing is pinned.
    var pinnedVersion: Representation? { state.withLock(\.pinnedVersion) }

    /// The version that the store lists: the current one if it's complete, otherwise the pinned one, if there is one.
    var listed: Representation? {
        state.withLock { state in
            if let current = state.current, current.isComplete { return current }
            return state.pinnedVersion ?? state.current
        }
    }

    /// The version whose blob is to be moved because of the pin: the one that the pin names, where it hasn't been moved
    /// yet, or the current one, where it replaces that.
    var pinTarget: Representation? { state.withLock { pinTarget(in: $0) } }

    func pinTarget(in state: State) -> Representation? {
        guard engine.blobs.isWritable, let pinned = state.pinnedVersion else { return nil }
        if let failure = state.pinFailure, engine.time.monotonic - failure < Self.pinRetryInterval { return nil }
        guard pinned.isKept else { return pinned }
        guard let current = state.current, !current.isKept else { return nil }
        return current.replaces(pinned) ? current : nil
    }

    /// Lets the pin move at once, whether it couldn't be moved before or not.
    func allowPinMove() {
        state.withLock { $0.pinFailure = nil }
    }

    /// Notes that the pin couldn't be moved.
    func pinStayed() {
        state.withLock { $0.pinFailure = engine.time.monotonic }
    }

    /// A session over the pinned version where the origin doesn't give a newer one; nil if there is none to be used.
    func pinnedSession(_ request: ReadRequest, after failure: CacheError) throws -> ReadSession? {
        try pinned(request, after: failure).flatMap { try session(request, over: $0) }
    }

    /// The pinned version that may be read if the origin doesn't give a newer one; nil if there is none.
    func fallback(for request: ReadRequest) -> Representation? {
        guard request.acceptsOlderVersion else { return nil }
        let transform = engine.transform(for: request.kind)?.applied
        return state.withLock { $0.olderPinned(covering: request.range, madeBy: transform) }
    }

    /// The pinned version, where it may be read because the origin doesn't give a newer one. The failure is remembered:
    /// other readers don't wait for the origin again for a minute.
    @discardableResult
    func pinned(_ request: ReadRequest, after failure: CacheError) -> Representation? {
        let isOfOrigin = ![.cancelled, .closed, .rangeNotSatisfiable].contains(failure.code)
        guard isOfOrigin, let pinned = fallback(for: request) else { return nil }
        // An address that this reader may not reach is no failure of the origin.
        if failure.code != .forbiddenAddress {
            state.withLock { $0.originFailure = engine.time.monotonic }
        }
        pinned.revalidated(nil, isStale: true)
        engine.events.send(.servedStale(key: key, error: failure))
        return pinned
    }

    /// Makes the pinned version current again, if it's the one that the origin has sent.
    ///
    /// - Parameter began: when the request began.
    /// - Returns: whether it is.
    func reinstatePinned(
        _ head: ResourceHead, _ freshness: Freshness, madeBy transform: AppliedTransform?, began: Duration
    ) -> Bool {
        let reinstated = state.withLock { state -> Representation? in
            guard let pinned = state.pinnedVersion, pinned !== state.current, pinned.content.transform == transform,
                let tag = pinned.head.validator.strongEntityTag, tag == head.validator.strongEntityTag,
                pinned.head.length == head.length
            else { return nil }
            replaceCurrent(in: &state)
            state.superseded.removeAll { $0 === pinned }
            state.current = pinned
            state.refusal = nil
            state.passing = nil
            state.lastCheck = engine.time.now
            state.confirmed = began
            state.originFailure = nil
            return pinned
        }
        guard let reinstated else { return false }
        reinstated.reinstate()
        reinstated.revalidated(freshness, isStale: false)
        useEnded()
        return true
    }
}

extension Representation {
    /// Whether every byte of a range is here.
    func covers(_ range: RequestedRange) -> Bool {
        state.withLock { state in
            if let length = state.head.length {
                return range.resolved(in: length).map { state.written.contains($0) } ?? false
            }
            guard case .closed(let first, let last) = range, first <= last else { return false }
            return state.written.contains(first..<last.clampedSum(1))
        }
    }

    /// Whether this version may take the place of a pinned one: it's committed, and complete or has at least the same
    /// bytes. An empty one replaces nothing.
    func replaces(_ pinned: Representation) -> Bool {
        let (committed, written) = (file.withLock { $0.committed }, self.spans)
        let spans = pinned.spans
        if spans.isEmpty { return true }
        guard !committed.isEmpty else { return false }
        // Committed bytes that were found to be damaged since are a hole.
        return (head.length == committed.byteCount && isComplete)
            || spans.spans.allSatisfy { committed.contains($0) && written.contains($0) }
    }

    /// The origin has this version again.
    func reinstate() {
        state.withLock { state in
            state.isSuperseded = false
            state.isReplaced = false
            state.setNeedsCommit()
        }
    }
}
