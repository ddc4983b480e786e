extension Resource.State {
    /// The pinned version according to ``PinRank``; nil if the resource isn't pinned.
    var pinnedVersion: Representation? {
        guard stored.isPinned else { return nil }
        return representations.max { pinRank(of: $0) < pinRank(of: $1) }
    }

    private func pinRank(of representation: Representation) -> PinRank {
        let length = representation.head.length
        let (isDurable, committed) = representation.file.withLock { ($0.isDurable, $0.committed.byteCount) }
        return PinRank(
            isDurable: isDurable, isComplete: committed == length && representation.isComplete,
            isCurrent: representation === current,
            id: representation.id)
    }

    /// Returns the pinned version if it, unlike the current one, has all bytes of a range.
    func olderPinned(covering range: RequestedRange, madeBy transform: AppliedTransform?) -> Representation? {
        guard let pinned = pinnedVersion, pinned !== current, pinned.content.transform == transform,
            pinned.covers(range), current?.covers(range) != true
        else { return nil }
        return pinned
    }

    /// Returns whether ``originFailure`` is less than a minute ago.
    func isOriginFailing(at now: Duration) -> Bool { originFailure.map { now - $0 < .seconds(60) } ?? false }
}

extension Resource {
    /// The minimum time between a failed attempt to move a pin to a newer version and the next attempt.
    private static let pinRetryInterval = Duration.seconds(60)

    /// The pinned version; nil if the resource isn't pinned.
    var pinnedVersion: Representation? { state.withLock(\.pinnedVersion) }

    /// The listed version: the current one if it's complete or none is pinned; otherwise the pinned one.
    var listed: Representation? {
        state.withLock { state in
            if let current = state.current, current.isComplete { return current }
            return state.pinnedVersion ?? state.current
        }
    }

    /// The version whose blob must be moved to the pinned folder: the pinned version if it isn't there yet, or the
    /// current version if it may replace the pinned one. Nil if there is none, if the folder isn't writable, or until
    /// ``pinRetryInterval`` after a failure.
    var pinTarget: Representation? { state.withLock { pinTarget(in: $0) } }

    func pinTarget(in state: State) -> Representation? {
        guard engine.blobs.isWritable, let pinned = state.pinnedVersion else { return nil }
        if let failure = state.pinFailure, engine.time.monotonic - failure < Self.pinRetryInterval { return nil }
        guard pinned.isDurable else { return pinned }
        guard let current = state.current, !current.isDurable else { return nil }
        return current.replaces(pinned) ? current : nil
    }

    /// Returns the pinned version that may be read if the origin doesn't provide a newer one; nil if there is none.
    func fallback(for request: ReadRequest) -> Representation? {
        guard request.acceptsOlderVersion else { return nil }
        let transform = engine.transform(for: request.kind)?.applied
        return state.withLock { $0.olderPinned(covering: request.range, madeBy: transform) }
    }

    /// Returns the pinned version if it may be read after a failure, which is recorded for other readers.
    @discardableResult
    func pinned(_ request: ReadRequest, after failure: CacheError) -> Representation? {
        let isOfOrigin = ![.cancelled, .closed, .rangeNotSatisfiable].contains(failure.code)
        guard isOfOrigin, let pinned = fallback(for: request) else { return nil }
        // A reader's address restriction isn't a failure of the origin.
        if failure.code != .forbiddenAddress {
            state.withLock { $0.originFailure = engine.time.monotonic }
        }
        pinned.revalidated(nil, isStale: true)
        engine.events.send(.servedStale(key: key, error: failure))
        return pinned
    }

    /// Makes the pinned version current again if the response to a request started at `began` has that version. Returns
    /// whether it was made current.
    func reinstatePinned(
        _ head: ResourceHead, _ freshness: Freshness, madeBy transform: AppliedTransform?, began: Duration,
        _ scope: AddressScope
    ) -> Bool {
        let reinstated = state.withLock { state -> Representation? in
            guard let pinned = state.pinnedVersion, pinned !== state.current, pinned.content.transform == transform,
                let tag = pinned.head.validator.strongEntityTag, tag == head.validator.strongEntityTag,
                pinned.head.length == head.length,
                mayConfirm(pinned.head, from: head.addressKind(at: locator.url), for: scope)
            else { return nil }
            replaceCurrent(in: &state)
            state.superseded.removeAll { $0 === pinned }
            state.setCurrent(pinned, since: began, scope, now: engine.time.now)
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
    /// Returns whether all bytes of a range are cached.
    func covers(_ range: RequestedRange) -> Bool {
        state.withLock { state in
            if let length = state.head.length {
                return range.resolved(in: length).map { state.written.contains($0) } ?? false
            }
            guard case .closed(let first, let last) = range, first <= last else { return false }
            return state.written.contains(first..<last.clampedSum(1))
        }
    }

    /// Returns whether this version may replace a pinned one. It must be committed, and be complete or contain at least
    /// the same spans. An empty version replaces only an empty one.
    func replaces(_ pinned: Representation) -> Bool {
        let (committed, written) = (file.withLock { $0.committed }, self.spans)
        let spans = pinned.spans
        if spans.isEmpty { return true }
        guard !committed.isEmpty else { return false }
        // Committed bytes may have been lost since, if they were found damaged.
        return (head.length == committed.byteCount && isComplete)
            || spans.spans.allSatisfy { committed.contains($0) && written.contains($0) }
    }

    /// Clears the marks of replacement, because the origin has this version again.
    func reinstate() {
        state.withLock { state in
            state.isSuperseded = false
            state.isReplaced = false
            state.needsCommit = true
        }
    }
}
