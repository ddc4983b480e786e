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
/// try await background.fetch(film)
/// ```
///
/// What comes is moved into a folder first, and taken into the store from there, at once or by the next launch, where the
/// same checks hold as for an answer of the origin's own. What the store has then, neither its player nor a download asks for
/// again. Make it anew at each launch, with the same identifier: the system goes on telling it.
///
/// When the app is launched for it, `application(_:handleEventsForBackgroundURLSession:completionHandler:)` awaits
/// ``toldAll()`` and calls the handler.
///
/// Redirects are followed by the system, also to where header fields of the first place don't belong: give ``fetch(_:range:kind:)``
/// the last place's URL where those are secret. On Linux transfers end with the process.
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
        var isTold = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let store: CacheStore
    private let settings: URLSessionSettings
    private let deliveries: DeliveryFolder
    private let hosts: HostAddresses
    private let hub = EventHub<Event> { .dropped(count: $0) }
    private let state: Mutex<State>

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
        let delegate = BackgroundDelegate(deliveries)
        state = Mutex(State())
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

    /// Asks for what the store lacks of a resource.
    ///
    /// - Parameters:
    ///   - url: the resource.
    ///   - range: which of its bytes; nil for all.
    ///   - kind: what it is to the content, for transforms: a stream's segments and keys are others than files.
    /// - Returns: how many transfers were begun. None where the store has it all, or it's under way.
    /// - Throws: `CacheError`: `invalidURL`; `forbiddenAddress`; `invalidSetting` where a part is kept of a resource whose
    ///   origin tells its versions apart by nothing, since parts of two may not be mixed: remove it first; `storage`;
    ///   `closed`.
    @discardableResult
    public func fetch(
        _ url: ResourceURL, range: Range<Int64>? = nil, kind: ResourceKind = .file
    ) async throws -> Int {
        let transfers = store.transfers
        let kept = try await store.resource(for: url)
        let wishes = try Self.missing(of: url, range, kept).map { BackgroundWish(url, $0, kind) }
        let running = try await tasks().compactMap { BackgroundWish($0.taskDescription) }
        let new = wishes.filter { !running.contains($0) }
        guard !new.isEmpty else { return 0 }
        if transfers.scope == .publicOnly {
            try await hosts.kind(of: url.host, exceptions: settings.allowedNetworks).requirePublic(url)
        }
        for wish in new {
            var request = URLRequest(url: try RequestURL.url(of: url))
            for field in transfers.headerFields(for: url, now: store.now) {
                request.addValue(field.value, forHTTPHeaderField: field.name.rawName)
            }
            if let range = wish.range {
                request.setValue("bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
                // Another version would come in part, and be of no use.
                if let tag = kept?.validator.strongEntityTag { request.setValue(tag, forHTTPHeaderField: "If-Range") }
            }
            let description = try wish.description()
            try state.withLock { state in
                guard let session = state.session else { throw Self.closed }
                let task = session.downloadTask(with: request)
                task.taskDescription = description
                task.resume()
            }
        }
        return new.count
    }

    /// What is under way.
    public func underWay() async throws -> Set<ResourceURL> {
        Set(try await tasks().compactMap { BackgroundWish($0.taskDescription).flatMap { try? ResourceURL($0.url) } })
    }

    /// Ends what is under way of a resource. What has come of it stays.
    public func cancel(_ url: ResourceURL) async throws {
        for task in try await tasks() where BackgroundWish(task.taskDescription)?.url == url.description {
            task.cancel()
        }
    }

    /// Ends all that is under way, as when the app is there again and its own downloads go on. What has come stays.
    public func cancelAll() async throws {
        for task in try await tasks() { task.cancel() }
    }

    /// What happens from now on. Each call gives a stream of its own.
    public func events() -> AsyncStream<Event> { hub.stream() }

    /// Takes what came, and couldn't be taken while the store was suspended or its disk full. Returns when that is done.
    public func takeDelivered() async { await takeIn().value }

    /// Returns when the system has told everything that it launched the app for, and the store has taken it.
    public func toldAll() async {
        await withCheckedContinuation { continuation in
            let isTold = state.withLock { state in
                if !state.isTold { state.waiting.append(continuation) }
                return state.isTold
            }
            if isTold { continuation.resume() }
        }
        await takeDelivered()
    }

    /// Ends all transfers; none begins any more.
    public func shutdown() {
        let session = state.withLock { state in
            defer { state.session = nil }
            return state.session
        }
        session?.invalidateAndCancel()
    }
}

// MARK: Asking

extension BackgroundTransfers {
    private static var closed: CacheError {
        CacheError(.closed, "nothing can be asked for any more: the background transfers were shut down")
    }

    /// As many parts are asked for one by one; where there are more, what lies between them comes again.
    private static let mostParts = 8

    private func tasks() async throws -> [URLSessionTask] {
        guard let session = state.withLock({ $0.session }) else { throw Self.closed }
        return await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
    }

    /// The parts to ask for; nil is all, without `Range`.
    private static func missing(of url: ResourceURL, _ range: Range<Int64>?, _ kept: ResourceInfo?) throws -> [Range<
        Int64
    >?] {
        guard let kept, !kept.spans.isEmpty else { return [range] }
        guard !kept.isComplete else { return [] }
        guard let whole = range ?? kept.length.map({ 0..<$0 }) else { return [nil] }
        let holes = SpanMap(kept.spans).holes(in: whole)
        guard !holes.isEmpty else { return [] }
        guard kept.validator.entityTag != nil || kept.validator.lastModified != nil else {
            throw CacheError(
                .invalidSetting,
                "\(url) is kept in part, and its origin doesn't say which version that is; remove it, to have it whole")
        }
        guard holes.count <= mostParts else { return [holes[0].lowerBound..<whole.upperBound] }
        return holes
    }
}

// MARK: Taking

extension BackgroundTransfers {
    func take(_ news: BackgroundDelegate.News) {
        switch news {
        case .delivered: takeIn()
        case .failed(let wish, let error):
            if let url = try? ResourceURL(wish.url) { hub.send(.failed(url, error)) }
        case .toldAll:
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isTold = true
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    /// One after the other, so that nothing is taken twice.
    @discardableResult
    private func takeIn() -> Task<Void, Never> {
        state.withLock { state in
            let task = Task { [store, deliveries, hub, previous = state.intake] in
                await previous?.value
                await Self.takeIn(deliveries, store, hub)
            }
            state.intake = task
            return task
        }
    }

    private static func takeIn(_ deliveries: DeliveryFolder, _ store: CacheStore, _ hub: EventHub<Event>) async {
        for name in (try? deliveries.names()) ?? [] {
            guard let (record, path) = deliveries.delivery(name) else {
                deliveries.remove(name)
                continue
            }
            do {
                let response = try record.response(path)
                let info = try await store.ingest(response, kind: ResourceKind(rawValue: record.wish.kind) ?? .file)
                deliveries.remove(name)
                hub.send(.kept(info))
            } catch {
                let error = CacheError.wrap(error, as: .storage, "\(record.wish.url) can't be taken")
                // Those may pass.
                guard error.code != .closed, error.code != .storage || error.isByRule else { continue }
                deliveries.remove(name)
                if let url = try? ResourceURL(record.wish.url) { hub.send(.failed(url, error)) }
            }
        }
    }
}
