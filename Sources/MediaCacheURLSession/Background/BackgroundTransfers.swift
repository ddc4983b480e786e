import Foundation
import HTTPTypes
public import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Transfers that the system continues while the app is suspended or has been terminated by the system. The system
/// cancels them if the user terminates the app.
///
/// ```swift
/// let background = try BackgroundTransfers(identifier: "org.example.app.media", store: store)
/// try await background.fetch(film, scope: .any)
/// ```
///
/// Received files are moved to a folder, and from there into the store, immediately or at the next launch. The store
/// checks them like responses from its origin, and doesn't request their bytes again. Create an instance with the same
/// identifier at each launch, so that the system delivers the events of earlier transfers to it.
///
/// If the system launches the app for these transfers, await ``waitForSystemEvents()`` in the scene's
/// `backgroundTask(.urlSession(…))`, or in
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` before calling the completion handler.
///
/// The system follows redirects and sends the header fields to each host. If the fields are secret, pass the final URL
/// to ``fetch(_:scope:range:kind:)``. If a redirect leads from a public to a private network, the response is
/// discarded, but the request has been sent.
///
/// Start transfers when the scene becomes inactive, while the app is still in the foreground. The system treats
/// transfers that begin in the background as discretionary: it may delay them until the device has power and Wi-Fi.
/// Pass many parts in one call of ``fetch(_:)``, so that all of them begin in time.
///
/// A scene also becomes inactive when the app stays in the foreground, for example while the user opens Control Center.
/// When the app is active again, call ``cancelPending()``: transfers that have received bytes continue, and the app's
/// downloads don't request the same bytes if they call ``waitForTransfers(of:)`` first.
///
/// On Linux, transfers end with the process.
public final class BackgroundTransfers: Sendable {
    /// An event of a transfer.
    public enum Event: Sendable {
        /// The store has cached the received bytes of this resource.
        case stored(ResourceInfo)
        /// A transfer failed and won't be retried. The error of a cancelled transfer is `cancelled`.
        case failed(ResourceURL, CacheError)
        /// A received file was removed because its record is damaged. The URL of its resource is therefore unknown.
        case discarded(CacheError)
        /// The number of earlier events that were dropped because the subscriber didn't read them in time.
        case dropped(count: Int)
    }

    private struct State {
        var session: URLSession?
        /// The last task that stores received files. The next task awaits it.
        var storageTask: Task<Void, Never>?
        /// The unfinished transfers that this instance started, by the URL of the resource.
        var started: [String: Set<BackgroundRequest>] = [:]
        /// The transfers that the last call to ``cancelPending()`` left running, by the URL of the resource.
        var begun: [String: [URLSessionTask]] = [:]
        /// Whether the system reported the delivery of all events while no call was waiting for it.
        var areEventsDelivered = false
        /// The calls that wait for the system's events.
        var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
    }

    private let store: CacheStore
    private let settings: URLSessionSettings
    private let deliveries: DeliveryFolder
    private let hosts: HostAddresses
    private let hub = EventHub<Event> { .dropped(count: $0) }
    private let state = Mutex(State())

    /// Creates an instance that continues the transfers of earlier launches, and starts to store the files received in
    /// the meantime.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the session, which only one instance at a time may use.
    ///   - folder: The path of the folder for received files that aren't in the store yet; nil for a folder in the
    ///     app's caches folder.
    ///   - settings: The networks that may be used. ``URLSessionSettings/onMetrics`` isn't called.
    ///   - isDiscretionary: Whether the system may delay transfers until the device has power and Wi-Fi. It always may
    ///     if a transfer begins in the background. Apple platforms only.
    /// - Throws: `CacheError` with `storage` if the folder can't be used.
    public init(
        identifier: String, store: CacheStore, folder: String? = nil,
        settings: URLSessionSettings = URLSessionSettings(), isDiscretionary: Bool = false
    ) throws {
        deliveries = try DeliveryFolder(folder ?? DeliveryFolder.path(of: identifier))
        self.store = store
        self.settings = settings
        hosts = HostAddresses(time: store.time)
        let delegate = BackgroundDelegate(deliveries) { [time = store.time] in time.now }
        delegate.listen { [weak self] report in self?.handle(report) }
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
        storeDeliveries()
    }

    deinit {
        state.withLock { $0.session }?.finishTasksAndInvalidate()
        hub.finish()
    }

    /// Starts transfers for the missing bytes of a resource, with the settings of the store.
    ///
    /// If the cached version of a resource has a validator, the rest is transferred in ranges of at most 32 MiB,
    /// because all bytes of a failed transfer are lost. Without `range`, a resource of unknown length is transferred as
    /// a whole, even if ranges of it are already being transferred.
    ///
    /// - Parameters:
    ///   - scope: The addresses that may be contacted: `any` for a URL entered by the user, or the scope of an asset's
    ///     part. Public addresses only by default.
    ///   - range: The byte range to fetch; nil for all bytes.
    ///   - kind: The kind of the resource, for transforms.
    /// - Returns: The number of transfers started; 0 if no byte is missing or the missing bytes are already being
    ///   transferred.
    /// - Throws: `CacheError` with
    ///   - `invalidURL` if `URLSession` can't send the URL unchanged,
    ///   - `forbiddenAddress` if the scope excludes the address,
    ///   - `unreachable` if the scope is public and the host's name can't be resolved to check its address, for example
    ///     because there is no network,
    ///   - `invalidSetting` if the URL contains user information, the store's settings forbid requests to origins, the
    ///     kind has a whole-body transform, or the resource is partial and has no validator,
    ///   - `storage` or `damaged` if the store can't be read,
    ///   - `closed` after ``shutdown()`` or if the store is closed, or `cancelled`.
    @discardableResult
    public func fetch(
        _ url: ResourceURL, scope: AddressScope = .publicOnly, range: Range<Int64>? = nil, kind: ResourceKind = .file
    ) async throws -> Int {
        try await fetch([Part(url, scope: scope, range: range, kind: kind)])[0].get()
    }

    /// Starts transfers for the missing bytes of many parts, as ``fetch(_:scope:range:kind:)`` does for one. Lists the
    /// running transfers and stores received files only once, and starts the transfers of each part before it examines
    /// the next one.
    ///
    /// - Returns: For each part in the same order, the number of transfers started, or the error that prevents them.
    /// - Throws: `CacheError` with `closed` after ``shutdown()``.
    @discardableResult
    public func fetch(_ parts: [Part]) async throws -> [Result<Int, CacheError>] {
        // Determined first, because the bytes of a transfer that finishes in the meantime must not be requested again.
        var running = Dictionary(grouping: try await runningRequests()) { $0.url }.mapValues { Set($0) }
        // Bytes in received files must not be requested again either.
        await storeReceivedFiles()
        var outcomes: [Result<Int, CacheError>] = []
        for part in parts {
            let key = part.url.description
            do {
                let started = try await start(part, running: running[key] ?? [])
                // A later part may contain the same bytes, and the transfer may have finished by then.
                running[key, default: []].formUnion(started)
                outcomes.append(.success(started.count))
            } catch {
                outcomes.append(.failure(CacheError.wrap(error, as: .storage, "\(part.url) can't be fetched")))
            }
        }
        return outcomes
    }

    /// Starts transfers for the missing bytes of a part, except those that `running` transfers of its resource include,
    /// and returns the new transfers.
    private func start(_ part: Part, running: Set<BackgroundRequest>) async throws -> Set<BackgroundRequest> {
        let (url, kind) = (part.url, part.kind)
        let transfers = store.transfers.narrowed(to: part.scope)
        try store.checkIngestible(kind)
        guard url.credentials == nil else {
            throw CacheError(
                .invalidSetting,
                "\(url) can't be fetched in the background, because it contains user information; download it instead")
        }
        guard transfers.allowsOriginRequests else {
            throw CacheError(
                .invalidSetting, "\(url) can't be fetched: the store's settings forbid requests to origins")
        }
        let address = try RequestURL.url(of: url)
        let host = try await hosts.resolve(url.host, allowing: settings.allowedNetworks)
        if transfers.scope == .publicOnly { try host.requirePublic(url) }
        let cached = try await store.resource(of: ReadRequest(url: url))
        let missing = try Self.missing(of: url, part.range, cached)
        var unranged = URLRequest(url: address)
        for field in transfers.headerFields(for: url, now: store.now) {
            unranged.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        let wholeRequest = unranged
        return try state.withLock { state in
            guard let session = state.session else { throw Self.closed }
            let known = running.union(state.started[url.description] ?? [])
            let ranges = Self.ranges(missing, without: known, hasValidator: cached?.validator.isPresent == true)
            var started: Set<BackgroundRequest> = []
            for range in ranges {
                let redirects = AddressScope(ofReferencesAt: url, from: host.kind, requestedWith: transfers.scope)
                let backgroundRequest = BackgroundRequest(url, range, kind, isPublic: redirects == .publicOnly)
                var request = wholeRequest
                if let range {
                    request.setValue("bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
                    // If the version has changed, the origin sends the whole content instead of a useless range.
                    if let version = cached?.validator.strongEntityTag ?? cached?.validator.lastModified {
                        request.setValue(version, forHTTPHeaderField: "If-Range")
                    }
                }
                let task = session.downloadTask(with: request)
                task.taskDescription = try backgroundRequest.description()
                state.started[backgroundRequest.url, default: []].insert(backgroundRequest)
                started.insert(backgroundRequest)
                task.resume()
            }
            return started
        }
    }

    /// Returns the URLs of all resources with an unfinished transfer.
    ///
    /// - Throws: `CacheError` with `closed` after ``shutdown()``.
    public func urlsInTransfer() async throws -> Set<ResourceURL> {
        Set(try await runningRequests().compactMap { try? ResourceURL($0.url) })
    }

    /// Cancels the transfers of a resource. Bytes of finished transfers remain cached.
    ///
    /// - Throws: `CacheError` with `closed` after ``shutdown()``.
    public func cancel(_ url: ResourceURL) async throws {
        for task in try await tasks() where BackgroundRequest(task.taskDescription)?.url == url.description {
            task.cancel()
        }
        state.withLock { state in (state.started[url.description], state.begun[url.description]) = (nil, nil) }
    }

    /// Cancels all transfers, and discards the received bytes of unfinished ones. Bytes of finished transfers remain
    /// cached.
    ///
    /// - Throws: `CacheError` with `closed` after ``shutdown()``.
    public func cancelAll() async throws {
        for task in try await tasks() { task.cancel() }
        state.withLock { state in (state.started, state.begun) = ([:], [:]) }
    }

    /// Cancels the transfers that haven't received any bytes yet, for example when the app is active again and resumes
    /// its own downloads. The others continue, because all bytes of a cancelled transfer are lost;
    /// ``waitForTransfers(of:)`` waits for them.
    ///
    /// - Throws: `CacheError` with `closed` after ``shutdown()``.
    public func cancelPending() async throws {
        var (begun, pending): ([String: [URLSessionTask]], [BackgroundRequest]) = ([:], [])
        for task in try await tasks() {
            guard let request = BackgroundRequest(task.taskDescription) else { continue }
            if task.countOfBytesReceived > 0 {
                begun[request.url, default: []].append(task)
            } else {
                task.cancel()
                pending.append(request)
            }
        }
        state.withLock { [begun, pending] state in
            state.begun = begun
            for request in pending { state.started[request.url]?.remove(request) }
        }
    }

    /// The time without a received byte after which ``waitForTransfers(of:)`` cancels a resource's transfers.
    private static let stallLimit = Duration.seconds(30)

    /// Waits until the transfers of a resource that the last call to ``cancelPending()`` left running have ended, and
    /// the store has cached the received files. Cancels these transfers if none of them receives a byte for 30 seconds.
    /// Returns immediately if there are none. If the task is cancelled, it doesn't wait for running transfers any longer.
    ///
    /// Pass this method to `Downloads`, so that a download doesn't request the same bytes.
    public func waitForTransfers(of url: ResourceURL) async {
        let key = url.description
        guard let begun = state.withLock({ $0.begun[key] }) else { return }
        let time = store.time
        var progress = (bytes: Int64(-1), since: time.monotonic)
        while begun.contains(where: { $0.state == .running }) {
            let bytes = begun.reduce(Int64(0)) { $0 + $1.countOfBytesReceived }
            if bytes != progress.bytes { progress = (bytes, time.monotonic) }
            guard time.monotonic - progress.since < Self.stallLimit else {
                for task in begun { task.cancel() }
                break
            }
            guard (try? await time.sleep(for: .milliseconds(250))) != nil else { return }
        }
        await storeReceivedFiles()
        state.withLock { state in
            // Another call to `cancelPending()` may have replaced the tasks.
            if state.begun[key] == begun { state.begun[key] = nil }
        }
    }

    /// Returns a separate stream of future events, which buffers up to 512 events, and ends when this instance is
    /// deallocated.
    public func events() -> AsyncStream<Event> { hub.stream() }

    /// Adds all received files to the store, including those that couldn't be added before because the store was
    /// suspended, the disk was full, the device was locked, or no network was available to check the target of a
    /// redirect. Returns when all of them have been processed.
    public func storeReceivedFiles() async { await storeDeliveries().value }

    /// Waits until the system has delivered all events for which it launched the app, and the store has cached the
    /// received files. On Linux, after ``shutdown()`` and in a cancelled task, it only waits for the store. A later
    /// call waits for the events of the next launch.
    public func waitForSystemEvents() async {
        #if canImport(Darwin)
            await waitForDeliveredEvents()
        #endif
        await storeReceivedFiles()
    }

    /// Waits until the system reports that it has delivered all events, unless it has done so since the last call.
    /// Returns early after ``shutdown()`` or if the task is cancelled.
    func waitForDeliveredEvents() async {
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isOver = state.areEventsDelivered || state.session == nil || Task.isCancelled
                    state.areEventsDelivered = false
                    if !isOver { state.waiting[id] = continuation }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }

    /// Cancels all transfers and prevents new ones. The session's identifier may remain in use for some time, so create
    /// only one instance per launch of the app.
    public func shutdown() {
        let (session, waiting) = state.withLock { state in
            defer { (state.session, state.waiting) = (nil, [:]) }
            return (state.session, state.waiting)
        }
        session?.invalidateAndCancel()
        for continuation in waiting.values { continuation.resume() }
    }
}

// MARK: Requests

extension BackgroundTransfers {
    private static var closed: CacheError {
        CacheError(.closed, "the background transfers were shut down; create a new instance")
    }

    /// The maximum number of holes to fetch separately. If there are more, everything from the first hole on is
    /// fetched, cached bytes included.
    private static let maximumHoles = 8
    /// The maximum number of bytes per transfer of a resource with a validator.
    private static let partLength: Int64 = 32 << 20

    func tasks() async throws -> [URLSessionTask] {
        guard let session = state.withLock({ $0.session }) else { throw Self.closed }
        return await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
    }

    /// Returns the requests of all running transfers, except those being cancelled.
    private func runningRequests() async throws -> Set<BackgroundRequest> {
        Set(
            try await tasks().filter { $0.state == .running || $0.state == .suspended }
                .compactMap { BackgroundRequest($0.taskDescription) })
    }

    /// Returns the missing ranges; nil for the whole resource, if nothing is cached or its length is unknown.
    ///
    /// - Throws: `CacheError` with `invalidSetting` if the resource is partial and has no validator.
    private static func missing(
        of url: ResourceURL, _ range: Range<Int64>?, _ cached: ResourceInfo?
    ) throws -> [Range<Int64>]? {
        guard let cached, !cached.spans.isEmpty else { return range.map { [$0] } }
        guard !cached.isComplete else { return [] }
        guard cached.validator.isPresent else {
            throw CacheError(
                .invalidSetting,
                "\(url) can't be completed, because its cached part has no validator; remove it and fetch it again")
        }
        guard let whole = range ?? cached.length.map({ 0..<$0 }) else { return nil }
        let holes = SpanMap(cached.spans).holes(in: whole)
        return holes.count > maximumHoles ? [holes[0].lowerBound..<whole.upperBound] : holes
    }

    /// Returns the ranges to request. A nil element requests the whole resource, without `Range`.
    private static func ranges(
        _ missing: [Range<Int64>]?, without known: Set<BackgroundRequest>, hasValidator: Bool
    ) -> [Range<Int64>?] {
        // The whole resource is already being transferred.
        if known.contains(where: { $0.range == nil }) { return [] }
        // The whole resource is requested, including the bytes of running transfers.
        guard let missing else { return [nil] }
        var left = SpanMap(missing)
        for request in known { if let range = request.range { left.remove(range) } }
        guard hasValidator else { return Array(left.spans) }
        return left.spans.flatMap { hole in
            stride(from: hole.lowerBound, to: hole.upperBound, by: Int(partLength)).map {
                $0..<min($0 + partLength, hole.upperBound)
            }
        }
    }
}

// MARK: Storing

extension BackgroundTransfers {
    func handle(_ report: BackgroundDelegate.Report) {
        switch report {
        case .delivered(let request):
            storeDeliveries()
            state.withLock { _ = $0.started[request.url]?.remove(request) }
        case .failed(let request, let error):
            state.withLock { _ = $0.started[request.url]?.remove(request) }
            reportFailure(request, error)
        case .deliveredAllEvents:
            let waiting = state.withLock { state in
                defer { state.waiting = [:] }
                state.areEventsDelivered = state.waiting.isEmpty
                return state.waiting
            }
            for continuation in waiting.values { continuation.resume() }
        }
    }

    /// The time in seconds for which a received file is preserved if the name of the host that sent it can't be
    /// resolved: 30 days.
    private static let maximumAge = 30 * 86_400.0

    /// Starts a task that stores the received files. It waits for the previous task, so that no file is stored twice.
    @discardableResult
    private func storeDeliveries() -> Task<Void, Never> {
        state.withLock { state in
            let task = Task { [previous = state.storageTask] in
                await previous?.value
                await storeAllDeliveries()
            }
            state.storageTask = task
            return task
        }
    }

    private func storeAllDeliveries() async {
        for name in (try? deliveries.names()) ?? [] {
            let record: DeliveryFolder.Record
            do {
                record = try deliveries.record(name)
            } catch {
                // A record that can't be read, for example while the device is locked, is preserved.
                if let error = error as? CacheError, error.code == .damaged {
                    deliveries.remove(name)
                    hub.send(.discarded(error))
                }
                continue
            }
            do {
                let response = try record.response(try deliveries.body(name))
                try await checkRedirect(of: response, isPublic: record.request.isPublic)
                let info = try await store.ingest(response, kind: ResourceKind(rawValue: record.request.kind) ?? .file)
                deliveries.remove(name)
                hub.send(.stored(info))
            } catch {
                let error = CacheError.wrap(error, as: .storage, "\(record.request.url) can't be stored")
                // These failures may be temporary, so the file is preserved.
                guard error.code != .closed, error.code != .storage || error.isByRule else { continue }
                // The host that sent the file can't be checked without a network.
                if error.code == .unreachable, store.now.timeIntervalSince(record.received) < Self.maximumAge {
                    continue
                }
                deliveries.remove(name)
                reportFailure(record.request, error)
            }
        }
    }

    /// Checks redirects by the same rule as the engine.
    ///
    /// - Throws: `CacheError` with `forbiddenAddress` if a redirect led from a public to a private address, or with
    ///   `unreachable` if it led to a host whose name can't be resolved.
    private func checkRedirect(of response: DeliveredResponse, isPublic: Bool) async throws {
        guard let location = response.location, location.host != response.url.host else { return }
        let isBound = isPublic && !store.transfers.allowsLocalRedirects
        guard isBound || store.transfers.scope == .publicOnly else { return }
        try await hosts.resolve(location.host, allowing: settings.allowedNetworks).requirePublic(location)
    }

    private func reportFailure(_ request: BackgroundRequest, _ error: CacheError) {
        if let url = try? ResourceURL(request.url) { hub.send(.failed(url, error)) }
    }
}
