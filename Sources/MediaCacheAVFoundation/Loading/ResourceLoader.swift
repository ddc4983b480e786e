import MediaCache
import Synchronization

/// A loader that responds to a player's requests for one resource with bytes from the store.
///
/// Each request has its own read session. Requests may run concurrently and overlap; missing bytes needed by several of
/// them are fetched once. When a player seeks, it cancels its requests, which ends the fills without other readers.
final class ResourceLoader: Sendable {
    /// The URL of the resource. The loader doesn't use the URLs of requests, because the system normalizes these, which
    /// invalidates signatures.
    let resource: ResourceURL
    private let store: CacheStore
    private let settings: TransferSettings?
    private let policy: FillPolicy
    private let pace: DeliveryPace
    private let began: Duration
    private let hub = EventHub<LoadingEvent>(dropped: LoadingEvent.dropped)
    private let state = Mutex(State())

    private struct State {
        var loads: [ObjectIdentifier: Load] = [:]
        var trace = LoadingTrace()
        var isOpened = false
        /// Whether the player has been told that all bytes are cached, and therefore requests small parts.
        var isOnDemand = false
        /// Whether a request has failed and none has received bytes since.
        var hasFailed = false
        var watch: Task<Void, Never>?
    }

    /// A running request.
    private struct Load {
        var task: Task<Void, Never>
        /// The number in the trace.
        var number: Int
        /// The offset of the next byte.
        var position: Int64
        /// The time when the request began to wait for that byte.
        var since: Duration
        /// The read session; nil until it is open.
        var session: ReadSession?
        /// Whether `LoadingEvent.delayed` has been sent for this byte.
        var isReported = false
    }

    init(
        _ resource: ResourceURL, from store: CacheStore, settings: TransferSettings?, policy: FillPolicy,
        pace: DeliveryPace = DeliveryPace()
    ) {
        self.resource = resource
        self.store = store
        self.settings = settings
        self.policy = policy
        self.pace = pace
        began = store.monotonicTime
    }

    deinit {
        state.withLock { $0.watch }?.cancel()
        hub.finish()
    }

    /// Returns a separate stream of future events, which ends when the loader is deallocated.
    func events() -> AsyncStream<LoadingEvent> { hub.stream() }

    /// The number of running requests.
    var requests: Int { state.withLock { $0.loads.count } }

    var trace: LoadingTrace { state.withLock { $0.trace } }

    func isLoading(_ request: some ResourceLoadingRequest) -> Bool {
        state.withLock { $0.loads[ObjectIdentifier(request)] != nil }
    }

    /// Starts to respond to a request. Returns false, without an effect, if the request names another host or port than
    /// the resource.
    func load(_ request: some ResourceLoadingRequest) -> Bool {
        guard CachingScheme.resource(of: request.url)?.authority == resource.authority else { return false }
        let (id, now) = (ObjectIdentifier(request), store.monotonicTime)
        state.withLock { state in
            let number = state.trace.begin(request, at: (now - began).seconds)
            // Started under the lock, so that the task can't end before it is registered.
            let task = Task { await self.serve(request) }
            state.loads[id] = Load(task: task, number: number, position: request.data?.offset ?? 0, since: now)
            if state.watch == nil { state.watch = watch() }
        }
        return true
    }

    /// Cancels a request. Afterwards, at most one call of its methods follows, which was already in progress.
    func cancel(_ request: some ResourceLoadingRequest) { end(request, .cancelled)?.cancel() }

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

    /// Removes a request, and records how it ended. Returns its task; nil if it has already been removed.
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

// MARK: Responding

extension ResourceLoader {
    private func serve(_ request: some ResourceLoadingRequest) async {
        do {
            try await respond(to: request)
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

    /// Responds to a request. If the store is suspended in the meantime, the response continues after the resumption.
    private func respond(to request: some ResourceLoadingRequest) async throws {
        var version: String?
        while true {
            let resumptions = store.resumptions
            do {
                return try await read(request, &version)
            } catch let error as CacheError where error.code == .closed {
                // An origin that was shut down throws an error with the same code.
                guard try await store.untilResumed(since: resumptions) else { throw error }
            }
        }
    }

    /// Responds with the remaining bytes of a request.
    ///
    /// - Parameter version: The entity tag of the version from which the request receives bytes; nil before the first
    ///   call, which sets it.
    private func read(_ request: some ResourceLoadingRequest, _ version: inout String?) async throws {
        let session = try await store.read(
            ReadRequest(url: resource, range: range(of: request), policy: policy, settings: settings))
        defer { session.cancel() }
        guard !Task.isCancelled else { return }
        if let version, version != session.head.entityTag {
            throw CacheError(.representationChanged, "\(resource) changed at the origin while the app was suspended")
        }
        if MediaType.isPlaylist(session.head.contentType) { throw PlaybackRoute.needsServer(resource) }
        advance(request, over: session, by: 0)
        reportOpened(session.head)
        if request.wantsContentInformation, version == nil {
            let isComplete = session.head.length.map { session.bytesCached(in: 0..<$0) == $0 } ?? false
            try await provideInformation(on: session.head, isComplete: isComplete, to: request)
        }
        version = session.head.entityTag
        guard let data = request.data, data.isToEnd || data.length > 0 else { return }
        let isOnDemand = state.withLock { $0.isOnDemand }
        let start = store.monotonicTime
        var count: Int64 = 0
        for try await bytes in session.buffers {
            guard !Task.isCancelled else { return }
            await request.respond(with: bytes)
            advance(request, over: session, by: Int64(bytes.count))
            count += Int64(bytes.count)
            let delay = isOnDemand ? .zero : pace.delay(after: count, elapsed: store.monotonicTime - start)
            if delay > .zero { try await store.time.sleep(for: delay) }
        }
    }

    /// Passes the content information of a resource to the player.
    ///
    /// - Throws: `CacheError` with `invalidSetting` if the length is unknown, or with `notMedia` if the player doesn't
    ///   accept the type; errors of the store.
    private func provideInformation(
        on head: ResourceHead, isComplete: Bool, to request: some ResourceLoadingRequest
    ) async throws {
        guard let length = head.length else { throw PlaybackRoute.needsLength(resource) }
        let identifier = try await typeIdentifier(of: head.contentType, for: request)
        guard !Task.isCancelled else { return }
        state.withLock { $0.isOnDemand = isComplete }
        request.provide(
            ContentInformation(
                mediaType: head.contentType, typeIdentifier: identifier, length: length, isComplete: isComplete))
    }

    /// Returns the uniform type identifier of a media type for a request. Reads the first bytes if neither the media
    /// type nor the URL has an identifier that the player accepts.
    private func typeIdentifier(of mediaType: String, for request: some ResourceLoadingRequest) async throws -> String?
    {
        let choice = ContentTypeChoice(allowed: request.allowedContentTypes) { request.typeIdentifiers(for: $0) }
        let pathExtension = resource.pathExtension
        if let identifier = try? choice.identifier(of: mediaType, pathExtension: pathExtension, "\(resource)") {
            return identifier
        }
        let sniffed = try await sniffedType()
        return try choice.identifier(
            of: mediaType, sniffed: sniffed, pathExtension: pathExtension, "\(resource)")
    }

    /// Returns the media type according to the first bytes; nil if it's uncertain.
    private func sniffedType() async throws -> String? {
        let range = RequestedRange.closed(0, through: Int64(MediaType.sniffLength) - 1)
        let session = try await store.read(
            ReadRequest(url: resource, range: range, policy: policy, settings: settings))
        defer { session.cancel() }
        var front: [UInt8] = []
        for try await bytes in session.buffers { front += bytes }
        return front.withUnsafeBytes { MediaType.sniff($0) }
    }

    /// Returns the remaining range of a request, or the first two bytes if it only requests content information.
    private func range(of request: some ResourceLoadingRequest) -> RequestedRange {
        guard let data = request.data, data.isToEnd || data.length > 0 else { return .closed(0, through: 1) }
        let position = state.withLock { $0.loads[ObjectIdentifier(request)]?.position } ?? data.offset
        return data.isToEnd
            ? .from(position) : .closed(position, through: data.offset.clampedSum(data.length) - 1)
    }

    /// Updates a request that has received `count` more bytes and waits for the next ones.
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

    private func reportOpened(_ head: ResourceHead) {
        let isFirst = state.withLock { state in
            defer { state.isOpened = true }
            return !state.isOpened
        }
        if isFirst { hub.send(.opened(mediaType: head.contentType, length: head.length)) }
    }
}

// MARK: Unanswered requests

extension ResourceLoader {
    /// The maximum time for which a request may wait for a cached byte, and the interval between checks.
    static let patience = (longest: Duration.seconds(10), look: Duration.seconds(5))

    /// Starts a task that reports late requests until no request is running.
    private func watch() -> Task<Void, Never> {
        Task { [weak self, time = store.time] in
            while (try? await time.sleep(for: Self.patience.look)) != nil, let self, await reportLateRequests() {}
        }
    }

    /// Reports requests that have waited too long for a cached byte. Returns whether any request is running.
    private func reportLateRequests() async -> Bool {
        let now = store.monotonicTime
        let isOpening = state.withLock { state in
            state.loads.values.contains { $0.session == nil && isLate($0, now) }
        }
        // A request whose session isn't open yet may also be waiting although its byte is cached, for example for a
        // revalidation or the disk.
        let request = ReadRequest(url: resource, settings: settings)
        let spans = isOpening ? try? await store.resource(of: request)?.spans : nil
        let (late, isRunning) = state.withLock { state -> ([LoadingEvent], Bool) in
            guard !state.loads.isEmpty else {
                state.watch = nil
                return ([], false)
            }
            var late: [LoadingEvent] = []
            for (id, load) in state.loads where isLate(load, now) {
                let isCached =
                    load.session?.isCached(at: load.position) ?? spans?.contains { $0.contains(load.position) } ?? false
                guard isCached else { continue }
                state.loads[id]?.isReported = true
                late.append(.delayed(at: load.position, for: now - load.since))
            }
            return (late, true)
        }
        for event in late { hub.send(event) }
        return isRunning
    }

    private func isLate(_ load: Load, _ now: Duration) -> Bool {
        !load.isReported && now - load.since >= Self.patience.longest
    }
}
