import Foundation

/// The start times of the last requests that confirmed a version. A request with scope `any` doesn't confirm a version
/// for scope `publicOnly`, because the access rule may forbid it in that scope.
struct ConfirmationMoments: Sendable {
    /// The start time of the last request, regardless of its scope; nil if there is none.
    private(set) var any: Duration?
    /// The start time of the last request limited to public addresses; nil if there is none.
    private(set) var publicOnly: Duration?

    /// Records a confirmation by a request that started at `began`.
    mutating func record(_ began: Duration, _ scope: AddressScope) {
        any = max(any ?? began, began)
        if scope == .publicOnly { publicOnly = max(publicOnly ?? began, began) }
    }

    /// Returns whether a request with this or a narrower scope, started at or after `moment`, confirmed the version.
    func isConfirmed(since moment: Duration, for scope: AddressScope) -> Bool {
        (scope == .publicOnly ? publicOnly : any).map { $0 >= moment } ?? false
    }
}

/// An open resource: its representations, and the requests that find and confirm them.
package final class Resource: Sendable {
    package let id: Int64
    package let key: String
    package let locator: ResourceLocator
    let engine: Engine

    struct State {
        var stored: StoredResource
        /// The version for new readers.
        var current: Representation?
        /// Replaced versions that are still in use, and a pinned one that can't be replaced yet.
        var superseded: [Representation] = []
        /// The time of the last revalidation of the current version since opening, even if it failed.
        var lastCheck: Date?
        /// The start times of the requests that last confirmed the current version since opening.
        var confirmed = ConfirmationMoments()
        /// The reason not to store the last response; nil if it's stored.
        var refusal: CacheError?
        /// The version that is read without being stored; nil if there is none.
        var unstored: Representation?
        /// The shared request that finds or confirms a version.
        var opening: SharedRequest<OpeningResult>?
        /// The shared request for the whole body.
        var bodyRequest: SharedRequest<WholeBody>?
        /// The start time of the last ``opening`` or ``bodyRequest``.
        var openingBegan = Duration.zero
        /// Whether callers must request another object from the store. Never reset.
        var isRetired = false
        /// Whether the resource is removed when its last reader leaves.
        var awaitsRemoval = false
        /// Whether the admission policy removes the resource when its last reader leaves.
        var isRemovedWhenClosed = false

        /// The time of the last failure to move the pin to a newer version; nil if there was none.
        var pinFailure: Duration?

        /// The time when the origin last failed to confirm or replace the current version; nil after a response.
        var originFailure: Duration?

        var representations: [Representation] { superseded + (current.map { [$0] } ?? []) }

        /// Whether ``opening`` or ``bodyRequest`` is running. Fills don't count.
        var isRevalidating: Bool { opening != nil || bodyRequest != nil }

        /// Whether a request, a reader or a commit uses it.
        var isInUse: Bool {
            isRevalidating || unstored?.memoryFills.isEmpty == false || representations.contains(where: \.isInUse)
        }

        /// Whether it's in use, not counting changes that can't be committed and fills of ``unstored``.
        var isHeld: Bool { isRevalidating || representations.contains(where: \.isHeld) }

        /// Sets the current version after a response with that version.
        mutating func setCurrent(
            _ representation: Representation, since began: Duration, _ scope: AddressScope, now: Date
        ) {
            current = representation
            refusal = nil
            unstored = nil
            lastCheck = now
            confirmed = ConfirmationMoments()
            confirmed.record(began, scope)
            originFailure = nil
        }
    }

    let state: OrderedMutex<State>
    private let onIdle: @Sendable (Resource) -> Void

    init(stored: StoredResource, url: ResourceURL, engine: Engine, onIdle: @escaping @Sendable (Resource) -> Void) {
        id = stored.id
        key = stored.key
        locator = ResourceLocator(url: url)
        self.engine = engine
        self.onIdle = onIdle
        state = OrderedMutex(.resource, State(stored: stored))
    }

    /// The store's settings with the identity in the cache key, for requests without a reader; nil if the key has no
    /// identity.
    var ownSettings: TransferSettings? {
        guard let identity = CacheKey(key).identity else { return nil }
        return engine.transfers.requesting(locator.url, as: identity)
    }

    package var stored: StoredResource { state.withLock { $0.stored } }
    /// The record to commit, and whether the next opening of the store deletes the representations.
    var rowForCommit: (stored: StoredResource, isTransient: Bool) {
        state.withLock { ($0.stored, $0.isRemovedWhenClosed && !$0.stored.isPinned) }
    }

    var refusal: CacheError? { state.withLock { $0.refusal } }

    package var current: Representation? { state.withLock { $0.current } }

    /// All versions, the current one last.
    package var representations: [Representation] {
        state.withLock(\.representations)
    }

    var isRetired: Bool { state.withLock { $0.isRetired } }

    /// Whether it's in use, as defined by ``State/isHeld``.
    var isHeld: Bool { state.withLock(\.isHeld) }

    /// Retires this object if it's idle, and returns whether it did so. A resource that awaits removal isn't retired,
    /// because only this object records that; ``retireForRemoval(orLater:)`` retires it.
    func retire() -> Bool {
        state.withLock { state in
            guard !state.isRetired, !state.awaitsRemoval, !state.isInUse else { return false }
            state.isRetired = true
            return true
        }
    }

    /// The outcome of an attempt to retire a resource.
    enum Retirement {
        case retired
        /// The resource is in use.
        case held
        /// The object had already been retired.
        case wasRetired
    }

    /// Retires this object, so that its content can be removed.
    ///
    /// - Parameter later: Whether to mark a resource in use for removal when its last reader leaves, and to unpin it.
    ///   The mark is set under the same lock, so that no reader leaves in between.
    func retireForRemoval(orLater later: Bool) -> Retirement {
        state.withLock { state in
            guard !state.isRetired else { return .wasRetired }
            guard !state.isHeld else {
                if later {
                    state.awaitsRemoval = true
                    state.stored.isPinned = false
                }
                return .held
            }
            state.isRetired = true
            return .retired
        }
    }

    /// Releases the representations of a retired object, which otherwise form a reference cycle with it.
    func releaseRepresentations() {
        state.withLock { state in
            state.current = nil
            state.superseded = []
            state.unstored = nil
        }
    }

    /// Adds the representations that the catalog lists.
    func restore(_ representations: [Representation]) {
        state.withLock { state in
            for representation in representations {
                if representation.isSuperseded {
                    state.superseded.append(representation)
                } else {
                    if let older = state.current { state.superseded.append(older) }
                    state.current = representation
                }
            }
        }
    }

    /// The identifier of the current version, and its confirmations since opening; nil if no request has confirmed it.
    var confirmation: (version: Int64, moments: ConfirmationMoments)? {
        state.withLock { state in
            guard let current = state.current, state.confirmed.any != nil else { return nil }
            return (current.id, state.confirmed)
        }
    }

    /// Restores the confirmations of a version from before this resource was closed.
    func restore(_ moments: ConfirmationMoments, of version: Int64) {
        state.withLock { state in
            if state.current?.id == version { state.confirmed = moments }
        }
    }

    /// Calls `onIdle` if an action is due that was deferred until the end of a session, a fill, a commit or a request.
    func useEnded() {
        let isIdle = state.withLock { state in
            guard !state.isRetired else { return false }
            let pinned = state.pinnedVersion
            if state.superseded.contains(where: { !$0.isInUse && $0 !== pinned }) { return true }
            if pinTarget(in: state) != nil { return true }
            return (state.awaitsRemoval || state.isRemovedWhenClosed) && !state.isHeld
        }
        if isIdle { onIdle(self) }
    }

    /// Records that the origin has replaced `representation`.
    func changed(_ representation: Representation) {
        representation.supersede()
        // Results of other transforms of the same version are outdated, too.
        for other in representations where !other.isSuperseded && other !== current { other.supersede() }
        state.withLock { state in
            guard state.current === representation else { return }
            state.superseded.append(representation)
            state.current = nil
            state.confirmed = ConfirmationMoments()
            state.originFailure = nil
        }
        useEnded()
    }

    /// Records and reports that the origin has replaced `representation`.
    func replaced(_ representation: Representation) {
        changed(representation)
        engine.events.send(.representationChanged(key: key))
    }

    func setPinned(_ isPinned: Bool) {
        state.withLock { state in
            state.stored.isPinned = isPinned
            state.pinFailure = nil
        }
        engine.committer.markUsed(self)
    }

    /// Removes and returns idle superseded, unpinned versions. `all` is true if the whole resource should be removed.
    func takeRemovable() -> (all: Bool, superseded: [Representation]) {
        state.withLock { state in
            if state.awaitsRemoval || (state.isRemovedWhenClosed && !state.stored.isPinned) { return (true, []) }
            let pinned = state.pinnedVersion
            let removable = state.superseded.filter { !$0.isInUse && $0 !== pinned }
            state.superseded.removeAll { representation in removable.contains { $0 === representation } }
            return (false, removable)
        }
    }

    // MARK: - Opening

    /// Creates a version of this resource with a new blob. It isn't current yet. Its blob is in the pinned folder only
    /// if the resource is pinned and has no other version.
    ///
    /// - Parameter isStored: Whether its bytes may be stored. If not, it has neither a blob nor a catalog record.
    func newRepresentation(_ state: RepresentationState, isStored: Bool = true) -> Representation {
        let isDurable = self.state.withLock { $0.stored.isPinned && $0.representations.isEmpty }
        return Representation(
            id: engine.catalog.nextRepresentationID(), resource: self, blob: BlobFolder.newName(),
            isDurable: isDurable, isNew: true, isStored: isStored, state: state, engine: engine)
    }

    /// The state of the resource for a reader.
    enum Readiness {
        /// The version may be used, and is revalidated in the background if `revalidates` is true.
        case ready(Representation, revalidates: Bool = false)
        /// The version must be revalidated before use. If it may be served stale, the wait for the origin is limited.
        case revalidateFirst(Representation, mayBeServed: Bool)
        /// There is no current version.
        case unknown
        /// Another object represents the resource.
        case retired
    }

    /// Returns the state of the resource for a reader.
    func readiness(_ request: ReadRequest, now: Date) -> Readiness {
        let transform = engine.transform(for: request.kind)?.applied
        let revalidation = request.revalidation
        let settings = request.settings ?? engine.transfers
        let (allowsOriginRequests, scope) = (settings.allowsOriginRequests, settings.scope)
        let monotonic = engine.time.monotonic
        return state.withLock { state in
            if state.isRetired { return .retired }
            choose(madeBy: transform, in: &state)
            let pinned = state.olderPinned(covering: request.range, madeBy: transform)
            if let pinned, !allowsOriginRequests { return .ready(pinned) }
            if let pinned, request.acceptsOlderVersion,
                revalidation == .never || state.isOriginFailing(at: monotonic)
            {
                return .ready(pinned)
            }
            guard let current = state.current else { return .unknown }
            if case .since(let moment) = revalidation {
                let isConfirmed = state.confirmed.isConfirmed(since: moment, for: scope)
                return isConfirmed ? .ready(current) : .revalidateFirst(current, mayBeServed: false)
            }
            if revalidation == .never { return .ready(current) }
            let head = current.head
            if pinned != nil, request.acceptsOlderVersion {
                // Missing bytes of the current version need the origin. If it doesn't respond, the pinned version is
                // read.
                let age = state.lastCheck.map { now.timeIntervalSince($0) } ?? -1
                guard age >= 0, age < 5 else { return .revalidateFirst(current, mayBeServed: true) }
            }
            let use = current.freshness.use(
                validatedAt: state.lastCheck ?? head.validatedAt, checkedThisOpening: state.lastCheck != nil, now: now,
                isStale: head.isStale, lifetime: revalidation == .inBackground ? 86_400 : 5)
            switch use {
            case .fresh: return .ready(current)
            case .revalidateFirst: return .revalidateFirst(current, mayBeServed: false)
            case .revalidateInBackground where revalidation == .beforeUse:
                return .revalidateFirst(current, mayBeServed: true)
            case .revalidateInBackground where !current.isComplete && current.freshness.freshUntil != nil:
                // Holes need a request anyway. If the version turned out to be replaced there, the read would fail.
                return .revalidateFirst(current, mayBeServed: true)
            case .revalidateInBackground: return .ready(current, revalidates: state.opening == nil)
            }
        }
    }

    /// Makes the version produced by `transform` the current one; none is current if no such version is cached.
    func choose(madeBy transform: AppliedTransform?, in state: inout State) {
        if let current = state.current, current.content.transform == transform { return }
        replaceCurrent(in: &state)
        let index = state.superseded.firstIndex { !$0.isSuperseded && $0.content.transform == transform }
        if let index {
            let chosen = state.superseded.remove(at: index)
            chosen.setReplaced(false)
            state.current = chosen
        }
    }

    /// Makes the current version a superseded one. Its readers continue.
    func replaceCurrent(in state: inout State) {
        guard let current = state.current else { return }
        current.setReplaced(true)
        state.superseded.append(current)
        state.current = nil
        // The last revalidation applied to that version only.
        state.lastCheck = nil
        state.confirmed = ConfirmationMoments()
    }

    /// Returns a session over `representation`; nil if this object has been retired. Records the use of the resource if
    /// the request counts as one.
    ///
    /// - Throws: The errors of ``range(of:head:)``.
    func session(_ request: ReadRequest, over representation: Representation) throws -> ReadSession? {
        let head = representation.head
        let range = try self.range(of: request, head: head)
        let now = engine.time.now
        let use = request.countsAsUse ? engine.catalog.nextUse() : nil
        let attached = state.withLock { state -> (id: Int, window: Int64)? in
            guard !state.isRetired else { return nil }
            if let use {
                state.stored.hits += 1
                state.stored.lastUsed = now
                state.stored.useOrder = use
                state.stored.url = request.url.description
            }
            representation.state.withLock { $0.kind = request.kind }
            return representation.attach(at: range.lowerBound)
        }
        guard let attached else { return nil }
        if use != nil { engine.committer.markUsed(self) }
        return ReadSession(
            representation: representation, attached: attached, head: head, range: range, request: request)
    }

    /// Returns the requested bytes. While the length is unknown, an open-ended range ends at `Int64.max`.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/rangeNotSatisfiable``, or with ``CacheError/Code/badResponse``
    ///   for a suffix of unknown length.
    func range(of request: ReadRequest, head: ResourceHead) throws -> Range<Int64> {
        if let length = head.length {
            guard let range = request.range.resolved(in: length) else {
                throw CacheError(
                    .rangeNotSatisfiable, "the requested range is outside \(request.url), which has \(length) bytes",
                    completeLength: length)
            }
            return range
        }
        guard let range = request.range.unresolved else {
            throw CacheError(.badResponse, "\(request.url) has an unknown length, so its last bytes can't be requested")
        }
        return range
    }
}
