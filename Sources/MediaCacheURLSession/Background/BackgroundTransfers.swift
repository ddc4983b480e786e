import Foundation
import HTTPTypes
public import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Transfers that the system goes on with while the app is suspended, or ended by the system (not by its user).
///
/// ```swift
/// let background = try BackgroundTransfers(identifier: "org.example.app.media", store: store)
/// try await background.fetch(film, scope: .any)
/// ```
///
/// What comes is moved into a folder first, and taken into the store from there, at once or by the next launch, where the
/// same checks hold as for an answer of the origin's own. What the store has then, neither its player nor a download asks for
/// again. Make it anew at each launch, with the same identifier: the system goes on telling it.
///
/// When the app is launched for it, `application(_:handleEventsForBackgroundURLSession:completionHandler:)` awaits
/// ``toldAll()`` and calls the handler.
///
/// The system follows redirects and repeats the first request's header fields to the last host. Where those fields are
/// secret, give ``fetch(_:scope:range:kind:)`` the last URL. A response that a redirect fetches from a private network is
/// discarded, but the request for it was sent.
/// On Linux transfers end with the process.
public final class BackgroundTransfers: Sendable {
    /// What has happened to a transfer.
    public enum Event: Sendable {
        /// The store has it.
        case kept(ResourceInfo)
        /// It isn't kept, and won't come by itself.
        case failed(ResourceURL, CacheError)
        /// So many others have happened that nobody took.
        case dropped(count: Int)
    }

    private struct State {
        var session: URLSession?
        /// The last taking in, for which the next one waits.
        var intake: Task<Void, Never>?
        /// What was begun and isn't over, as far as it was begun here.
        var begun: Set<BackgroundWish> = []
        /// Whether the system has told all since somebody asked last.
        var isTold = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let store: CacheStore
    private let settings: URLSessionSettings
    private let deliveries: DeliveryFolder
    private let hosts: HostAddresses
    private let hub = EventHub<Event> { .dropped(count: $0) }
    private let state = Mutex(State())

    /// Goes on with what earlier launches of the app have asked for, and takes what came meanwhile.
    ///
    /// - Parameters:
    ///   - identifier: tells the app's sessions apart; one at a time may have it.
    ///   - store: what takes what comes.
    ///   - folder: where what comes lies until then; nil for one in the system's folder of caches.
    ///   - settings: which networks may be used.
    ///   - isDiscretionary: whether the system chooses the moment: with power and Wi-Fi. Apple's systems only.
    /// - Throws: `CacheError` with `storage`.
    public init(
        identifier: String, store: CacheStore, folder: String? = nil,
        settings: URLSessionSettings = URLSessionSettings(), isDiscretionary: Bool = false
    ) throws {
        deliveries = try DeliveryFolder(folder ?? DeliveryFolder.path(of: identifier))
        self.store = store
        self.settings = settings
        hosts = HostAddresses(time: store.time)
        let delegate = BackgroundDelegate(deliveries) { [time = store.time] in time.now }
        delegate.listen { [weak self] news in self?.take(news) }
        #if canImport(Darwin)
            let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
            configuration.isDiscretionary = isDiscretionary
            configuration.sessionSendsLaunchEvents = true
        #else
            let configuration = URLSessionConfiguration.ephemeral
        #endif
        settings.apply(to: configuration)
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        state.withLock { $0.session = session }
        takeIn()
    }

    deinit {
        state.withLock { $0.session }?.finishTasksAndInvalidate()
        hub.finish()
    }

    /// Asks for what the store lacks of a resource, with the store's own settings, in parts of 32 MiB where a part can be told
    /// from one of another version: what has come of a part is lost with its transfer.
    ///
    /// - Parameters:
    ///   - url: the resource.
    ///   - scope: the scope of what named the URL: `any` for the user, that of an asset's part. Public addresses alone
    ///     unless set.
    ///   - range: which of its bytes; nil for all.
    ///   - kind: what it is to the content, for transforms: a stream's segments and keys are others than files.
    /// - Returns: how many transfers were begun. None where the store has it all, or it's under way.
    /// - Throws: `CacheError`: `invalidURL`; `forbiddenAddress`; `invalidSetting` for URLs with user information, whose
    ///   content is that user's alone, where origins aren't to be asked, where a transform takes such things as a whole, and
    ///   where a part is kept of a resource whose origin doesn't tell its versions apart: remove it first; `storage`; `closed`.
    @discardableResult
    public func fetch(
        _ url: ResourceURL, scope: AddressScope = .publicOnly, range: Range<Int64>? = nil, kind: ResourceKind = .file
    ) async throws -> Int {
        let transfers = store.transfers.narrowed(to: scope)
        try store.checkIngestible(kind)
        guard url.credentials == nil else {
            throw CacheError(
                .invalidSetting,
                "\(url) names a user, whose content can't be taken in the background; download it instead")
        }
        guard transfers.asksOrigins else {
            throw CacheError(.invalidSetting, "\(url) can't be asked for: the store's settings say that no origin is")
        }
        let address = try RequestURL.url(of: url)
        let host = try await hosts.meaning(of: url.host, grants: settings.allowedNetworks)
        if transfers.scope == .publicOnly { try host.requirePublic(url) }
        // What has come counts as kept.
        await takeDelivered()
        let kept = try await store.resource(of: ReadRequest(url: url))
        let missing = try Self.missing(of: url, range, kept)
        let running = try await wishes()
        var whole = URLRequest(url: address)
        for field in transfers.headerFields(for: url, now: store.now) {
            whole.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        let request = whole
        return try state.withLock { state in
            guard let session = state.session else { throw Self.closed }
            let known = running.union(state.begun).filter { $0.url == url.description }
            let parts = Self.parts(missing, without: known, isTold: kept?.validator.isTold == true)
            for part in parts {
                let redirects = AddressScope(ofReferencesAt: url, from: host.kind, requestedWith: transfers.scope)
                let wish = BackgroundWish(url, part, kind, isPublic: redirects == .publicOnly)
                var request = request
                if let part {
                    request.setValue("bytes=\(part.lowerBound)-\(part.upperBound - 1)", forHTTPHeaderField: "Range")
                    // Another version would come in part, and be of no use.
                    if let version = kept?.validator.strongEntityTag ?? kept?.validator.lastModified {
                        request.setValue(version, forHTTPHeaderField: "If-Range")
                    }
                }
                let task = session.downloadTask(with: request)
                task.taskDescription = try wish.description()
                state.begun.insert(wish)
                task.resume()
            }
            return parts.count
        }
    }

    /// What is under way.
    public func underWay() async throws -> Set<ResourceURL> {
        Set(try await wishes().compactMap { try? ResourceURL($0.url) })
    }

    /// Ends what is under way of a resource. What has come of it stays.
    public func cancel(_ url: ResourceURL) async throws {
        for task in try await tasks() where BackgroundWish(task.taskDescription)?.url == url.description {
            task.cancel()
        }
        state.withLock { state in state.begun = state.begun.filter { $0.url != url.description } }
    }

    /// Ends all that is under way, as when the app is there again and its own downloads go on. What has come in whole parts
    /// stays.
    public func cancelAll() async throws {
        for task in try await tasks() { task.cancel() }
        state.withLock { $0.begun = [] }
    }

    /// What happens from now on. Each call gives a stream of its own.
    public func events() -> AsyncStream<Event> { hub.stream() }

    /// Takes what came, and couldn't be taken while the store was suspended or its disk full. Returns when that is done.
    public func takeDelivered() async { await takeIn().value }

    /// Returns when the system has told everything that it woke the app for, and the store has taken it: each time anew. On
    /// Linux, where nothing wakes an app, and after ``shutdown()`` it waits for nothing but the store.
    public func toldAll() async {
        #if canImport(Darwin)
            await told()
        #endif
        await takeDelivered()
    }

    func told() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                let isOver = state.isTold || state.session == nil
                state.isTold = false
                if !isOver { state.waiting.append(continuation) }
                return isOver
            }
            if isOver { continuation.resume() }
        }
    }

    /// Ends all transfers; none begins any more. The system knows the session's identifier for some time yet: one for each
    /// launch of the app is enough.
    public func shutdown() {
        let (session, waiting) = state.withLock { state in
            defer { (state.session, state.waiting) = (nil, []) }
            return (state.session, state.waiting)
        }
        session?.invalidateAndCancel()
        for continuation in waiting { continuation.resume() }
    }
}

// MARK: Asking

extension BackgroundTransfers {
    private static var closed: CacheError {
        CacheError(.closed, "nothing can be asked for any more: the background transfers were shut down")
    }

    /// As many parts are asked for one by one; where there are more, what lies between them comes again.
    private static let mostParts = 8
    private static let partLength: Int64 = 32 << 20

    private func tasks() async throws -> [URLSessionTask] {
        guard let session = state.withLock({ $0.session }) else { throw Self.closed }
        return await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
    }

    /// What is running. What is being cancelled isn't.
    private func wishes() async throws -> Set<BackgroundWish> {
        Set(
            try await tasks().filter { $0.state == .running || $0.state == .suspended }
                .compactMap { BackgroundWish($0.taskDescription) })
    }

    /// What is missing; nil where it isn't known how long the resource is.
    private static func missing(
        of url: ResourceURL, _ range: Range<Int64>?, _ kept: ResourceInfo?
    ) throws -> [Range<Int64>]? {
        guard let kept, !kept.spans.isEmpty else { return range.map { [$0] } }
        guard !kept.isComplete else { return [] }
        guard kept.validator.isTold else {
            throw CacheError(
                .invalidSetting,
                "\(url) is kept in part, and its origin doesn't say which version that is; remove it, to have it whole")
        }
        guard let whole = range ?? kept.length.map({ 0..<$0 }) else { return nil }
        let holes = SpanMap(kept.spans).holes(in: whole)
        return holes.count > mostParts ? [holes[0].lowerBound..<whole.upperBound] : holes
    }

    /// The parts to ask for; nil is all, without `Range`.
    private static func parts(
        _ missing: [Range<Int64>]?, without known: Set<BackgroundWish>, isTold: Bool
    ) -> [Range<Int64>?] {
        // All of it is under way.
        if known.contains(where: { $0.range == nil }) { return [] }
        guard let missing else { return known.isEmpty ? [nil] : [] }
        var left = SpanMap(missing)
        for wish in known { if let range = wish.range { left.remove(range) } }
        guard isTold else { return Array(left.spans) }
        return left.spans.flatMap { hole in
            stride(from: hole.lowerBound, to: hole.upperBound, by: Int(partLength)).map {
                $0..<min($0 + partLength, hole.upperBound)
            }
        }
    }
}

// MARK: Taking

extension BackgroundTransfers {
    func take(_ news: BackgroundDelegate.News) {
        switch news {
        case .delivered(let wish):
            takeIn()
            state.withLock { _ = $0.begun.remove(wish) }
        case .failed(let wish, let error):
            state.withLock { _ = $0.begun.remove(wish) }
            tell(wish, error)
        case .toldAll:
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isTold = state.waiting.isEmpty
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// One after the other, so that nothing is taken twice.
    @discardableResult
    private func takeIn() -> Task<Void, Never> {
        state.withLock { state in
            let task = Task { [previous = state.intake] in
                await previous?.value
                await takeAll()
            }
            state.intake = task
            return task
        }
    }

    private func takeAll() async {
        for name in (try? deliveries.names()) ?? [] {
            guard let (record, path) = deliveries.delivery(name) else {
                deliveries.remove(name)
                continue
            }
            do {
                let response = try record.response(path)
                try await checkRedirect(of: response, isPublic: record.wish.isPublic)
                let info = try await store.ingest(response, kind: ResourceKind(rawValue: record.wish.kind) ?? .file)
                deliveries.remove(name)
                hub.send(.kept(info))
            } catch {
                let error = CacheError.wrap(error, as: .storage, "\(record.wish.url) can't be taken")
                // Those may pass.
                guard error.code != .closed, error.code != .storage || error.isByRule else { continue }
                deliveries.remove(name)
                tell(record.wish, error)
            }
        }
    }

    /// As the engine follows no redirect to behind the firewall.
    private func checkRedirect(of response: DeliveredResponse, isPublic: Bool) async throws {
        guard let location = response.location, location.host != response.url.host else { return }
        let isBound = isPublic && !store.transfers.allowsLocalRedirects
        guard isBound || store.transfers.scope == .publicOnly else { return }
        try await hosts.meaning(of: location.host, grants: settings.allowedNetworks).requirePublic(location)
    }

    private func tell(_ wish: BackgroundWish, _ error: CacheError) {
        if let url = try? ResourceURL(wish.url) { hub.send(.failed(url, error)) }
    }
}
