import Foundation
import Synchronization

/// When a request began by which the origin confirmed a representation.
struct Confirmation: Sendable {
    var representation: Int64
    var moment: Duration
}

/// What one URL names, while it's open: its representations, and the requests that find out about them.
package final class Resource: Sendable {
    package let id: Int64
    package let key: String
    package let locator: ResourceLocator
    let engine: Engine

    struct State {
        var stored: StoredResource
        /// The version that new readers get.
        var current: Representation?
        /// Older versions: those that are still being read, and a pinned one that nothing complete has replaced yet.
        var superseded: [Representation] = []
        /// When the origin was last asked about the current version since opening, whether it answered or not.
        var lastCheck: Date?
        /// When the request began by which the origin last confirmed the current version; nil if none has since
        /// opening.
        var confirmed: Duration?
        var isChecking = false
        /// Why its bytes aren't kept, as far as the last answer goes; nil if they are.
        var refusal: CacheError?
        /// What was found then.
        var passing: PassingVersion?
        /// The request that finds the first representation, shared by those who wait for it.
        var opening: SharedRequest<PassingResponse?>?
        /// The request for the whole body, shared likewise.
        var bodyRequest: SharedRequest<WholeBody>?
        /// When the last of these requests began.
        var openingBegan = Duration.zero
        /// Set once: the object is no longer the resource's place, ask the store again.
        var isRetired = false
        var isToBeRemoved = false
        /// Whether it goes when the last reader leaves, by admission.
        var goesWhenClosed = false

        /// When the pin couldn't be moved to a newer version; nil if that never failed.
        var pinFailure: Duration?

        /// When the origin failed to give a newer version than the pinned one; nil once it has answered.
        var originFailure: Duration?

        var representations: [Representation] { superseded + (current.map { [$0] } ?? []) }

        /// Whether the origin is being asked about it.
        var isAsking: Bool { opening != nil || bodyRequest != nil || isChecking }
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

    /// How the origin is asked where no read says so: by the store's settings, and in the name of whose it is.
    var ownSettings: TransferSettings? {
        guard let identity = CacheKey(key).identity else { return nil }
        return engine.configuration.transfers.asking(for: locator.url, as: identity)
    }

    package var stored: StoredResource { state.withLock { $0.stored } }
    /// What a commit says of it, and whether what is kept of it goes at the next opening, if it isn't gone by then.
    var rowForCommit: (stored: StoredResource, isTransient: Bool) {
        state.withLock { ($0.stored, $0.goesWhenClosed && !$0.stored.isPinned) }
    }

    /// Why its bytes aren't kept; nil if they are, or nobody has asked yet.
    var refusal: CacheError? { state.withLock { $0.refusal } }

    package var current: Representation? { state.withLock { $0.current } }

    package var representations: [Representation] {
        state.withLock(\.representations)
    }

    var isRetired: Bool { state.withLock { $0.isRetired } }

    package var isInUse: Bool { state.withLock { Self.isInUse($0) } }

    /// Whether it can't be given up now.
    var isHeld: Bool { state.withLock { Self.isHeld($0) } }

    private static func isInUse(_ state: State) -> Bool {
        state.isAsking || state.passing?.fills.isEmpty == false || state.representations.contains(where: \.isInUse)
    }

    private static func isHeld(_ state: State) -> Bool {
        state.isAsking || state.representations.contains(where: \.isHeld)
    }

    /// Takes the object out of use for good, if nobody uses it: to be opened anew. What is to be removed stays, since
    /// nothing but this object says so; it goes by ``retireToGiveUp(orLater:)`` alone.
    func retire() -> Bool {
        state.withLock { state in
            guard !state.isRetired, !state.isToBeRemoved, !Self.isInUse(state) else { return false }
            state.isRetired = true
            return true
        }
    }

    /// What came of taking the object out of use.
    enum Retirement {
        case retired
        /// Somebody uses it.
        case held
        /// It was out of use before.
        case wasRetired
    }

    /// Takes the object out of use for good, so that what is kept can be given up.
    ///
    /// - Parameter later: whether it goes when its last reader leaves, if it can't go now. That is noted in the same
    ///   moment, so that no reader leaves in between; nothing keeps it any more but those readers.
    func retireToGiveUp(orLater later: Bool) -> Retirement {
        state.withLock { state in
            guard !state.isRetired else { return .wasRetired }
            guard !Self.isHeld(state) else {
                if later {
                    state.isToBeRemoved = true
                    state.stored.isPinned = false
                }
                return .held
            }
            state.isRetired = true
            return .retired
        }
    }

    /// Takes the object out of use whoever still uses it: the store is closing.
    func close() {
        state.withLock { $0.isRetired = true }
    }

    /// Lets go of what refers back here, after retiring.
    func dismantle() {
        state.withLock { state in
            state.current = nil
            state.superseded = []
        }
    }

    /// Brings in what the catalog knows.
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

    /// What the origin last confirmed since opening.
    var confirmation: Confirmation? {
        state.withLock { state in
            guard let current = state.current, let moment = state.confirmed else { return nil }
            return Confirmation(representation: current.id, moment: moment)
        }
    }

    /// Takes up what was confirmed before this resource was closed.
    func restore(_ confirmation: Confirmation) {
        state.withLock { state in
            guard state.current?.id == confirmation.representation else { return }
            state.confirmed = confirmation.moment
        }
    }

    /// A session or a fill has ended: is there something that waited for the last one?
    func useEnded() {
        let isIdle = state.withLock { state in
            guard !state.isRetired else { return false }
            let pinned = state.pinnedVersion
            if state.superseded.contains(where: { !$0.isInUse && $0 !== pinned }) { return true }
            if pinTarget(in: state) != nil { return true }
            return (state.isToBeRemoved || state.goesWhenClosed) && !Self.isHeld(state)
        }
        if isIdle { onIdle(self) }
    }

    /// The origin has another version than `representation`.
    func changed(_ representation: Representation) {
        representation.supersede()
        // What other transforms made of that version is as old.
        for other in representations where !other.isSuperseded && other !== current { other.supersede() }
        state.withLock { state in
            guard state.current === representation else { return }
            state.superseded.append(representation)
            state.current = nil
            state.confirmed = nil
            state.originFailure = nil
        }
        useEnded()
    }

    func setPinned(_ isPinned: Bool) {
        state.withLock { state in
            state.stored.isPinned = isPinned
            state.pinFailure = nil
        }
        engine.committer.markUsed(self)
    }

    func requestRemoval() {
        state.withLock { $0.isToBeRemoved = true }
    }

    /// What goes when nobody reads: all of it, or the superseded versions alone.
    func takeGoing() -> (all: Bool, superseded: [Representation]) {
        state.withLock { state in
            if state.isToBeRemoved || (state.goesWhenClosed && !state.stored.isPinned) { return (true, []) }
            let pinned = state.pinnedVersion
            let going = state.superseded.filter { !$0.isInUse && $0 !== pinned }
            state.superseded.removeAll { representation in going.contains { $0 === representation } }
            return (false, going)
        }
    }

    // MARK: - Opening

    /// A new version of this resource, in a blob of its own. It isn't the current one yet, nor is it pinned where an
    /// older one may be.
    func newRepresentation(_ state: RepresentationState) -> Representation {
        let isKept = self.state.withLock { $0.stored.isPinned && $0.representations.isEmpty }
        return Representation(
            id: engine.catalog.nextRepresentationID(), resource: self, blob: BlobFolder.newName(),
            isKept: isKept, isNew: true, state: state, engine: engine)
    }

    /// What a reader of this resource gets at this moment.
    enum Readiness {
        case ready(Representation)
        /// The origin is asked before the version is used. One that may be served stale waits only for a moment.
        case askFirst(Representation, mayBeServed: Bool)
        case unknown
        case retired
    }

    func readiness(_ request: ReadRequest, now: Date) -> (readiness: Readiness, asksBeside: Bool) {
        let transform = engine.transform(for: request.kind)?.applied
        let revalidation = request.revalidation
        let asksOrigins = (request.settings ?? engine.configuration.transfers).asksOrigins
        let monotonic = engine.time.monotonic
        return state.withLock { state in
            if state.isRetired { return (.retired, false) }
            choose(madeBy: transform, in: &state)
            let pinned = state.olderPinned(covering: request.range, madeBy: transform)
            if let pinned, !asksOrigins { return (.ready(pinned), false) }
            if let pinned, request.acceptsOlderVersion,
                revalidation == .never || state.isOriginFailing(at: monotonic)
            {
                return (.ready(pinned), false)
            }
            guard let current = state.current else { return (.unknown, false) }
            if case .since(let moment) = revalidation {
                let isConfirmed = state.confirmed.map { $0 >= moment } ?? false
                return (isConfirmed ? .ready(current) : .askFirst(current, mayBeServed: false), false)
            }
            if revalidation == .never { return (.ready(current), false) }
            let head = current.head
            if pinned != nil, request.acceptsOlderVersion {
                // The current version's missing bytes have to come from the origin. The pinned one is read where that
                // doesn't answer.
                let age = state.lastCheck.map { now.timeIntervalSince($0) } ?? -1
                guard age >= 0, age < 5 else { return (.askFirst(current, mayBeServed: true), false) }
            }
            let use = current.freshness.use(
                validatedAt: state.lastCheck ?? head.validatedAt, checkedThisOpening: state.lastCheck != nil, now: now,
                isStale: head.isStale, lifetime: revalidation == .beside ? 86_400 : 5)
            switch use {
            case .asItIs: return (.ready(current), false)
            case .askFirst: return (.askFirst(current, mayBeServed: false), false)
            case .askBeside where revalidation == .before: return (.askFirst(current, mayBeServed: true), false)
            case .askBeside where !current.isComplete && current.freshness.freshUntil != nil:
                // Its holes will be asked for in any case, and another version would end the read there.
                return (.askFirst(current, mayBeServed: true), false)
            case .askBeside: return (.ready(current), !state.isChecking)
            }
        }
    }

    /// What was made by another transform gives way to what was made by this one, if that is here.
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

    /// Makes room for what readers want in place of the current version. Its own readers keep it.
    func replaceCurrent(in state: inout State) {
        guard let current = state.current else { return }
        current.setReplaced(true)
        state.superseded.append(current)
        state.current = nil
        // The origin was asked about that one.
        state.lastCheck = nil
        state.confirmed = nil
    }

    /// A session over `representation`, or nil if this object has been retired in between.
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

    /// The bytes that are asked for; the upper bound is `Int64.max` while the length isn't known.
    func range(of request: ReadRequest, head: ResourceHead) throws -> Range<Int64> {
        if let length = head.length {
            guard let range = request.range.resolved(in: length) else {
                throw CacheError(
                    .rangeNotSatisfiable, "\(request.url) has \(length) bytes; the range lies outside",
                    completeLength: length)
            }
            return range
        }
        guard let start = request.range.knownStart else {
            throw CacheError(.badResponse, "\(request.url) has no known length; its last bytes can't be told")
        }
        if case .closed(_, let last) = request.range { return start..<max(start, last.clampedSum(1)) }
        return start..<Int64.max
    }
}
