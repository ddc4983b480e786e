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
    private let hub = EventHub<LoadingEvent>(dropped: LoadingEvent.dropped)
    private let state = Mutex(State())

    private struct State {
        var loads: [ObjectIdentifier: Task<Void, Never>] = [:]
        var isOpened = false
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
    }

    deinit { hub.finish() }

    /// What happens from now on. Each call gives a stream of its own, which ends with the loader.
    func events() -> AsyncStream<LoadingEvent> { hub.stream() }

    /// How many requests are under way.
    var requests: Int { state.withLock { $0.loads.count } }

    /// Takes a request on.
    ///
    /// - Returns: false where it isn't for this loader's resource.
    func load(_ request: some ResourceLoadingRequest) -> Bool {
        guard CachingScheme.resource(of: request.url)?.authority == resource.authority else { return false }
        let id = ObjectIdentifier(request)
        state.withLock { state in
            // Under the lock, so that it isn't over before it's known.
            state.loads[id] = Task { await self.serve(request) }
        }
        return true
    }

    /// The player doesn't want a request's answer any more: nothing is told it from now on.
    func cancel(_ request: some ResourceLoadingRequest) {
        state.withLock { $0.loads.removeValue(forKey: ObjectIdentifier(request)) }?.cancel()
    }

    /// Nobody plays any more.
    func cancelAll() {
        let loads = state.withLock { state in
            defer { state.loads = [:] }
            return state.loads.values
        }
        for load in loads { load.cancel() }
    }

    private func serve(_ request: some ResourceLoadingRequest) async {
        var position = request.data?.offset ?? 0
        do {
            try await answer(request, &position)
            guard take(request) else { return }
            request.finish()
        } catch {
            guard take(request) else { return }
            let error = CacheError.wrap(error, as: .unreachable, "\(resource) can't be read")
            hub.send(.failed(error, at: position))
            request.finish(with: error)
        }
    }

    private func answer(_ request: some ResourceLoadingRequest, _ position: inout Int64) async throws {
        let session = try await store.read(
            ReadRequest(url: resource, range: range(of: request.data), policy: policy, settings: settings))
        defer { session.cancel() }
        guard !Task.isCancelled else { return }
        let information = ContentInformation(mediaType: session.head.contentType, length: session.head.length)
        tellOpened(information)
        if request.wantsContentInformation { request.provide(information) }
        guard let data = request.data, data.isToEnd || data.length > 0 else { return }
        for try await bytes in session.buffers {
            guard !Task.isCancelled else { return }
            request.respond(with: bytes)
            position += Int64(bytes.count)
        }
    }

    /// The part that is read. Where only the content information is asked for, as much as tells it.
    private func range(of data: RequestedData?) -> RequestedRange {
        guard let data, data.isToEnd || data.length > 0 else { return .closed(0, through: 1) }
        return data.isToEnd
            ? .from(data.offset) : .closed(data.offset, through: data.offset.clampedSum(data.length) - 1)
    }

    /// Forgets a request that is over; false where it was cancelled before.
    private func take(_ request: some ResourceLoadingRequest) -> Bool {
        state.withLock { $0.loads.removeValue(forKey: ObjectIdentifier(request)) } != nil && !Task.isCancelled
    }

    private func tellOpened(_ information: ContentInformation) {
        let isFirst = state.withLock { state in
            defer { state.isOpened = true }
            return !state.isOpened
        }
        if isFirst { hub.send(.opened(mediaType: information.mediaType, length: information.length)) }
    }
}
