import MediaCache
import Synchronization

/// Answers a player's requests for one resource with what the store has, and what it fetches.
///
/// Each request reads on its own, so that several may be under way, overlap, and lie anywhere; what two of them lack is
/// fetched once. A player that seeks cancels its requests: what nobody waits for then isn't fetched on.
final class ResourceLoader: Sendable {
    /// What is loaded. Requests' URLs only tell whether they mean it: the system writes URLs in its own way, which signed
    /// ones don't survive.
    let resource: ResourceURL
    private let store: CacheStore
    private let settings: TransferSettings?
    private let policy: FillPolicy
    private let began: Duration
    private let hub = EventHub<LoadingEvent>(dropped: LoadingEvent.dropped)
    private let state = Mutex(State())

    private struct State {
        var loads: [ObjectIdentifier: Load] = [:]
        var trace = LoadingTrace()
        var isOpened = false
        /// Whether the last that was told is a failure.
        var hasFailed = false
        var watch: Task<Void, Never>?
    }

    /// A request under way.
    private struct Load {
        var task: Task<Void, Never>
        /// Which of all requests it is.
        var number: Int
        /// The byte that it waits for.
        var position: Int64
        /// Since when.
        var since: Duration
        var session: ReadSession?
        /// Whether it was told that nobody answers it.
        var isReported = false
    }

    /// A loader.
    ///
    /// - Parameters:
    ///   - resource: what is loaded.
    ///   - store: where it's kept.
    ///   - settings: those of its transfers; nil takes the store's.
    ///   - policy: how far beyond the player it's filled.
    init(_ resource: ResourceURL, from store: CacheStore, settings: TransferSettings?, policy: FillPolicy) {
        self.resource = resource
        self.store = store
        self.settings = settings
        self.policy = policy
        began = store.monotonicTime
    }

    deinit {
        state.withLock { $0.watch }?.cancel()
        hub.finish()
    }

    /// What happens from now on. Each call gives a stream of its own, which ends with the loader.
    func events() -> AsyncStream<LoadingEvent> { hub.stream() }

    /// How many requests are under way.
    var requests: Int { state.withLock { $0.loads.count } }

    /// What became of the requests.
    var trace: LoadingTrace { state.withLock { $0.trace } }

    /// Whether a request is under way.
    func isLoading(_ request: some ResourceLoadingRequest) -> Bool {
        state.withLock { $0.loads[ObjectIdentifier(request)] != nil }
    }

    /// Takes a request on.
    ///
    /// - Returns: false where it isn't for this loader's resource.
    func load(_ request: some ResourceLoadingRequest) -> Bool {
        guard CachingScheme.resource(of: request.url)?.authority == resource.authority else { return false }
        let (id, now) = (ObjectIdentifier(request), store.monotonicTime)
        state.withLock { state in
            let number = state.trace.begin(request, at: (now - began).seconds)
            // Under the lock, so that it isn't over before it's known.
            let task = Task { await self.serve(request) }
            state.loads[id] = Load(task: task, number: number, position: request.data?.offset ?? 0, since: now)
            if state.watch == nil { state.watch = watch() }
        }
        return true
    }

    /// The player doesn't want a request's answer any more: nothing is told it from now on.
    func cancel(_ request: some ResourceLoadingRequest) { end(request, .cancelled)?.cancel() }

    /// Nobody plays any more.
    func cancelAll() {
        let now = store.monotonicTime
        let loads = state.withLock { state in
            let loads = state.loads.values
            for load in loads { state.trace.end(load.number, .cancelled, at: (now - began).seconds) }
            state.loads = [:]
            return loads
        }
        for load in loads { load.task.cancel() }
    }

    /// Forgets a request that is over.
    ///
    /// - Returns: its task; nil where it was over before.
    private func end(
        _ request: some ResourceLoadingRequest, _ ending: LoadingTrace.Entry.Ending, _ error: CacheError? = nil
    ) -> Task<Void, Never>? {
        let now = store.monotonicTime
        return state.withLock { state in
            guard let load = state.loads.removeValue(forKey: ObjectIdentifier(request)) else { return nil }
            state.trace.end(load.number, ending, at: (now - began).seconds, error)
            return load.task
        }
    }
}

// MARK: Answering

extension ResourceLoader {
    private func serve(_ request: some ResourceLoadingRequest) async {
        do {
            try await answer(request)
            guard end(request, .finished) != nil, !Task.isCancelled else { return }
            request.finish()
        } catch {
            let error = CacheError.wrap(error, as: .unreachable, "\(resource) can't be read")
            let position = state.withLock { $0.loads[ObjectIdentifier(request)]?.position }
            guard let position, end(request, .failed, error) != nil, !Task.isCancelled else { return }
            state.withLock { $0.hasFailed = true }
            hub.send(.failed(error, at: position))
            request.finish(with: error)
        }
    }

    /// Answers all of a request. What comes to the store's suspension goes on behind it.
    private func answer(_ request: some ResourceLoadingRequest) async throws {
        var version: String?
        while true {
            let resumptions = store.resumptions
            do {
                return try await read(request, &version)
            } catch let error as CacheError where error.code == .closed {
                // An origin that was shut down says the same.
                guard try await store.untilResumed(since: resumptions) else { throw error }
            }
        }
    }

    /// Answers what isn't answered yet.
    ///
    /// - Parameter version: the entity tag of what was answered before, if anything was.
    private func read(_ request: some ResourceLoadingRequest, _ version: inout String?) async throws {
        let session = try await store.read(
            ReadRequest(url: resource, range: range(of: request), policy: policy, settings: settings))
        defer { session.cancel() }
        guard !Task.isCancelled else { return }
        if let version, version != session.head.entityTag {
            throw CacheError(.representationChanged, "\(resource) has become another while the app was suspended")
        }
        if MediaType.isPlaylist(session.head.contentType) { throw PlaybackRoute.needsServer(resource) }
        advance(request, over: session, by: 0)
        let information = ContentInformation(mediaType: session.head.contentType, length: session.head.length)
        tellOpened(information)
        if request.wantsContentInformation, version == nil { request.provide(information) }
        version = session.head.entityTag
        guard let data = request.data, data.isToEnd || data.length > 0 else { return }
        for try await bytes in session.buffers {
            guard !Task.isCancelled else { return }
            await request.respond(with: bytes)
            advance(request, over: session, by: Int64(bytes.count))
        }
    }

    /// The part that is still to be read. Where only the content information is asked for, as much as tells it.
    private func range(of request: some ResourceLoadingRequest) -> RequestedRange {
        guard let data = request.data, data.isToEnd || data.length > 0 else { return .closed(0, through: 1) }
        let position = state.withLock { $0.loads[ObjectIdentifier(request)]?.position } ?? data.offset
        return data.isToEnd
            ? .from(position) : .closed(position, through: data.offset.clampedSum(data.length) - 1)
    }

    /// A request has got so many bytes more, and waits for the next.
    private func advance(_ request: some ResourceLoadingRequest, over session: ReadSession, by count: Int64) {
        let now = store.monotonicTime
        let isRecovered = state.withLock { state -> Bool in
            guard var load = state.loads[ObjectIdentifier(request)] else { return false }
            let part = load.position..<load.position + count
            load.session = session
            load.position = part.upperBound
            load.since = now
            load.isReported = false
            state.loads[ObjectIdentifier(request)] = load
            guard count > 0 else { return false }
            state.trace.add(
                load.number, count, fromCache: session.bytesCached(in: part), at: (now - began).seconds)
            defer { state.hasFailed = false }
            return state.hasFailed
        }
        if isRecovered { hub.send(.recovered) }
    }

    private func tellOpened(_ information: ContentInformation) {
        let isFirst = state.withLock { state in
            defer { state.isOpened = true }
            return !state.isOpened
        }
        if isFirst { hub.send(.opened(mediaType: information.mediaType, length: information.length)) }
    }
}

// MARK: Watching

extension ResourceLoader {
    /// How long a request may wait for what is here, and how often that is looked at.
    static let patience = (longest: Duration.seconds(10), look: Duration.seconds(5))

    /// Says which requests aren't answered though they could be, as long as there are any.
    private func watch() -> Task<Void, Never> {
        Task { [weak self, time = store.time] in
            while (try? await time.sleep(for: Self.patience.look)) != nil, let self, await look() {}
        }
    }

    /// - Returns: whether there is anything to look at the next time.
    private func look() async -> Bool {
        let now = store.monotonicTime
        let isOpening = state.withLock { state in
            state.loads.values.contains { $0.session == nil && isLate($0, now) }
        }
        // One that isn't open yet may be held up by what is before its bytes: a question to the origin, the disk.
        let kept = isOpening ? try? await store.resource(for: resource)?.spans : nil
        let (late, goesOn) = state.withLock { state -> ([LoadingEvent], Bool) in
            guard !state.loads.isEmpty else {
                state.watch = nil
                return ([], false)
            }
            var late: [LoadingEvent] = []
            for (id, load) in state.loads where isLate(load, now) {
                let isHere =
                    load.session?.isKept(at: load.position) ?? kept?.contains { $0.contains(load.position) } ?? false
                guard isHere else { continue }
                state.loads[id]?.isReported = true
                late.append(.unanswered(at: load.position, for: now - load.since))
            }
            return (late, true)
        }
        for event in late { hub.send(event) }
        return goesOn
    }

    private func isLate(_ load: Load, _ now: Duration) -> Bool {
        !load.isReported && now - load.since >= Self.patience.longest
    }
}
