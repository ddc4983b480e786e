package import Foundation
public import Logging
import Synchronization

/// A media cache in a folder.
///
/// It serves cached bytes, and fetches missing ones from their origin once for all readers. A cache folder has one
/// owning process at a time. Methods can be called from any task.
public final class CacheStore: Sendable {
    let engine: Engine
    let table = ResourceTable()
    let lock: Mutex<FolderLock?>
    let phase = Mutex(Phase.open)
    /// The task of ``startUpkeep(cleaning:)``.
    let upkeep = Mutex<Task<Void, Never>?>(nil)

    /// Events that occurred during opening. The first subscriber receives them.
    private let openingEvents: Mutex<[CacheEvent]>

    /// A signal to the tasks that wait until the store is resumed.
    let reopenings = EventHub<Void>()
    let resumptionCount = Mutex(0)

    enum Phase { case open, suspended, closed }

    /// The running tasks of ``sweep(_:)``.
    private let sweeps = Mutex<(nextID: Int, running: [Int: Task<Void, Never>])>((0, [:]))

    /// Opens the store in its folders, creating them if necessary.
    ///
    /// If a folder isn't writable, cached content is served, other content passes through without being stored, and an
    /// event reports the failure. A damaged catalog is renamed and replaced.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` if another process owns the folder, with
    ///   ``CacheError/Code/newerFormat``, or with ``CacheError/Code/storage`` or ``CacheError/Code/damaged`` if the
    ///   catalog can't be repaired.
    public static func open(
        _ configuration: CacheConfiguration,
        origin: any Origin,
        time: any TimeSource = SystemTime(),
        logger: Logger = Logger(label: "MediaCache")
    ) async throws -> CacheStore {
        try await open(configuration, origin: origin, time: time, files: POSIXFileSystem(), logger: logger)
    }

    package static func open(
        _ configuration: CacheConfiguration, origin: any Origin, time: any TimeSource, files: any BlobFileSystem,
        logger: Logger
    ) async throws -> CacheStore {
        do {
            return try await openOnce(configuration, origin: origin, time: time, files: files, logger: logger)
        } catch let error as CacheError where error.code == .damaged {
            // The second opening checks the whole catalog, and replaces it if it's damaged.
            logger.error("damaged catalog", metadata: ["error": "\(error)"])
            return try await openOnce(configuration, origin: origin, time: time, files: files, logger: logger)
        }
    }

    /// Opens the store. If the recovery finds damage, marks the catalog for a complete check by the next opening.
    private static func openOnce(
        _ configuration: CacheConfiguration, origin: any Origin, time: any TimeSource, files: any BlobFileSystem,
        logger: Logger
    ) async throws -> CacheStore {
        let folder = try await BlockingPool(label: "MediaCache.opening").run {
            try OpenedFolder(configuration.location, files: files, logger: logger)
        }
        let engine = Engine(
            configuration: configuration, origin: origin, time: time, files: files, folder: folder, logger: logger)
        let store = CacheStore(engine: engine, folder)
        engine.space.setMeasure { [weak store] needed in
            guard let store else { throw CacheError(.closed, "the store is closed") }
            return try await store.makeSpace(for: needed)
        }
        if folder.blobs.isWritable {
            do {
                try await store.recover(folder)
            } catch {
                if (error as? CacheError)?.code == .damaged {
                    await engine.pool.perform { engine.catalog.markSuspect() }
                }
                await store.releaseFolder()
                throw error
            }
            store.startUpkeep(cleaning: true)
        }
        return store
    }

    /// Opens the store of a folder for reading its committed content, whether or not another process owns it. Nothing
    /// in the folder changes, and content that the owner removes in the meantime is missing.
    ///
    /// - Returns: Nil if the catalog doesn't exist or has more than `maximumCatalog` bytes.
    /// - Throws: ``CacheError`` if the catalog can't be read.
    package static func openToRead(
        _ location: CacheLocation, maximumCatalog: Int64, origin: any Origin,
        logger: Logger = Logger(label: "MediaCache")
    ) async throws -> CacheStore? {
        let folder = try await BlockingPool(label: "MediaCache.opening").run { () -> OpenedFolder? in
            let path = "\(location.durable)/catalog.sqlite"
            guard POSIXFileSystem().exists(path),
                try POSIXFileSystem().open(path, creating: false).size() <= maximumCatalog
            else { return nil }
            return try OpenedFolder(toRead: location)
        }
        guard let folder else { return nil }
        let engine = Engine(
            configuration: CacheConfiguration(location: location), origin: origin, time: SystemTime(),
            files: POSIXFileSystem(), folder: folder, logger: logger)
        return CacheStore(engine: engine, folder)
    }

    private init(engine: Engine, _ folder: OpenedFolder) {
        self.engine = engine
        lock = Mutex(folder.lock)
        openingEvents = Mutex(folder.events)
    }

    /// Stops fills, commits received bytes, releases the folder, and ends all event streams. Open sessions can still
    /// read cached bytes, and fail with ``CacheError/Code/closed`` at a hole. Further calls have no effect.
    public func close() async {
        guard phase.withLock({ exchange(&$0, with: .closed) }) != .closed else { return }
        reopenings.close()
        await stop()
        await engine.committer.close()
        table.removeAll()
        await releaseFolder()
        engine.events.close()
    }

    /// Stops fills, upkeep and deferred actions. Returns when all have ended except fills of bytes that aren't stored.
    func stop() async {
        engine.isStopped = true
        let upkeep = upkeep.withLock { exchange(&$0, with: nil) }
        upkeep?.cancel()
        await upkeep?.value
        let representations = table.all.flatMap(\.representations)
        for representation in representations { representation.cancelFills() }
        for resource in table.all { resource.state.withLock { $0.unstored }?.memoryFills.end() }
        for representation in representations { await representation.waitForFills { !$0.isEmpty } }
        for sweep in sweeps.withLock({ Array($0.running.values) }) { await sweep.value }
    }

    /// Closes the catalog, and releases the lock even if that fails.
    func releaseFolder() async {
        do {
            try await engine.run { try $0.catalog.close() }
        } catch {
            engine.logger.error("catalog not closed", metadata: ["error": "\(error)"])
        }
        lock.withLock { $0 = nil }
    }

    /// Publishes the address of the owner's API for processes that find the folder owned; nil removes it. Writes a
    /// small file on the current thread.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if the lock file can't be written.
    public func announce(address: String?) throws {
        do {
            try lock.withLock { try $0?.announce(address: address) }
        } catch {
            throw CacheError.wrap(error, as: .storage, "the address of the API can't be published in the cache folder")
        }
    }

    /// Returns the current owner of a folder; nil if there is none. Reads a small file on the current thread.
    public static func owner(of location: CacheLocation) -> FolderOwner? {
        FolderLock.owner(of: location)
    }

    /// Returns the cache key of a URL according to the store's policy.
    public func key(for url: ResourceURL) -> String {
        engine.configuration.keyPolicy.key(for: url, profiles: engine.transfers.headerProfiles)
    }

    /// Returns a stream of future events, which ends when the store is closed. The first stream begins with the events
    /// of the opening, such as ``CacheEvent/catalogReplaced(path:)``.
    ///
    /// Each stream buffers up to 512 events. If the buffer is full, further events are dropped, and
    /// ``CacheEvent/dropped(count:)`` reports their number.
    public func events() -> AsyncStream<CacheEvent> {
        let stream = engine.events.stream()
        for event in openingEvents.withLock({ exchange(&$0, with: []) }) { engine.events.send(event) }
        return stream
    }

    /// Returns a stream of the events that satisfy `isWanted`, which is called under a lock. Other events don't wake
    /// the subscriber.
    package func events(where isWanted: @escaping @Sendable (CacheEvent) -> Bool) -> AsyncStream<CacheEvent> {
        engine.events.stream(where: isWanted)
    }

    /// Counters since the store was opened.
    public var statistics: Statistics { engine.counters.snapshot }

    /// The current time of the monotonic clock that ``Revalidation/since(_:)`` uses. Its zero point is arbitrary.
    public var monotonicTime: Duration { engine.time.monotonic }

    package var now: Date { engine.time.now }
    package var time: any TimeSource { engine.time }

    /// The limits of the cache size, initially ``CacheConfiguration/limits``; see ``setLimits(_:)``.
    public var limits: CacheLimits { engine.limits }

    /// Whether bytes can currently be stored. If not, playback continues without the cache.
    package var acceptsBytes: Bool { isWritable && !engine.health.isFailing }

    /// Whether the folder was writable at opening.
    public var isWritable: Bool { engine.blobs.isWritable }

    /// The error that prevents reading or writing the folder; nil if there is none.
    public var folderFailure: CacheError? { engine.folderFailure.map { $0.reading ?? $0.writing } }

    /// Throws ``CacheError`` with ``CacheError/Code/storage`` if the cached content can't be listed.
    package func requireReadableFolder() throws {
        if let failure = engine.folderFailure?.reading { throw failure }
    }

    /// Throws ``CacheError`` with ``CacheError/Code/storage`` if the cached content can't be changed.
    package func requireWritableFolder() throws {
        if let failure = folderFailure { throw failure }
    }

    /// Logs a warning about a failure that affects stored data but isn't returned to a caller.
    package func logWarning(_ message: String, error: any Error) {
        engine.logger.warning("\(message)", metadata: ["error": "\(error)"])
    }

    // MARK: - Reading

    /// Opens a read session. Returns when the resource's head is known.
    ///
    /// - Throws: ``CacheError``: the failure of the origin request if no cached version may be used,
    ///   ``CacheError/Code/notFound`` if none is cached and requests are disabled
    ///   (``TransferSettings/allowsOriginRequests``), ``CacheError/Code/rangeNotSatisfiable`` if the range is outside
    ///   the resource, ``CacheError/Code/invalidSetting`` if the kind has a whole-body transform and nothing is cached,
    ///   ``CacheError/Code/cancelled`` or ``CacheError/Code/closed``.
    public func read(_ request: ReadRequest) async throws -> ReadSession {
        let shortage = Shortage(engine.traffic, of: request.transferClass, request.settings, host: request.url.origin)
        shortage?.begin()
        defer { shortage?.end() }
        let session = try await open(request)
        if allowed(request).policy == .whole { fillRemainder(session.currentRepresentation, request) }
        return session
    }

    func open(_ request: ReadRequest) async throws -> ReadSession {
        let request = allowed(request)
        return try await CacheError.wrapping("\(request.url) can't be opened") {
            while true {
                try checkOpen()
                let resource = try await resource(key: key(of: request), url: request.url)
                if request.pins { try await pin(resource) }
                if let session = try await resource.read(request) {
                    // Another reader may have opened another version in the meantime.
                    if request.pins { try await pin(resource) }
                    return session
                }
                // A retired resource must not be found again.
                table.remove(resource)
            }
        }
    }

    /// Returns the request, changed to use neither revalidation nor ``FillPolicy/whole`` if its settings (those of the
    /// store if it has none) forbid origin requests.
    private func allowed(_ request: ReadRequest) -> ReadRequest {
        guard !(request.settings?.allowsOriginRequests ?? engine.transfers.allowsOriginRequests) else {
            return request
        }
        var request = request
        request.revalidation = .never
        request.policy = .onDemand
        return request
    }

    /// Opens a read session without waiting; returns nil if the resource isn't open or needs a request to the origin.
    /// Throws ``CacheError/Code/rangeNotSatisfiable``.
    package func readIfOpen(_ request: ReadRequest) throws -> ReadSession? {
        let request = allowed(request)
        guard phase.withLock({ $0 == .open }), let resource = table[key(of: request)],
            request.policy == .onDemand || resource.current?.isComplete == true,
            !request.pins || resource.stored.isPinned
        else { return nil }
        resource.locator.update(url: request.url)
        guard case .ready(let representation, revalidates: false) = resource.readiness(request, now: engine.time.now)
        else { return nil }
        return try resource.session(request, over: representation)
    }

    /// Returns the number of free bytes on the file system of evictable blobs.
    package func freeBytes() async throws -> Int64 {
        try checkOpen()
        return try await CacheError.wrapping("the free space of the disk can't be determined") {
            try await engine.run { try $0.freeBytes }
        }
    }

    /// Discards a remembered redirect, so that the next request uses the resource's own URL.
    package func forgetRedirect(of request: ReadRequest) {
        table[key(of: request)]?.locator.forgetRedirect()
    }

    package func key(of request: ReadRequest) -> String {
        request.name
            ?? engine.configuration.keyPolicy.key(
                for: request.url,
                profiles: request.settings?.headerProfiles ?? engine.transfers.headerProfiles)
    }

    /// Throws ``CacheError`` with ``CacheError/Code/closed`` unless the store is open.
    package func checkOpen() throws {
        switch phase.withLock({ $0 }) {
        case .open: break
        case .suspended: throw CacheError(.closed, "the store is suspended; resume it first")
        case .closed: throw CacheError(.closed, "the store is closed")
        }
    }

    /// The number of times the store has been resumed.
    package var resumptions: Int { resumptionCount.withLock { $0 } }

    /// Waits until the store isn't suspended.
    ///
    /// - Parameter count: An earlier value of ``resumptions``.
    /// - Returns: Whether the store has been resumed since.
    /// - Throws: ``CacheError`` with ``CacheError/Code/closed`` if the store is closed, or if the task is cancelled
    ///   while the store is suspended.
    package func untilResumed(since count: Int) async throws -> Bool {
        var reopenings = reopenings.stream().makeAsyncIterator()
        while phase.withLock({ $0 == .suspended }) {
            guard await reopenings.next() != nil else { break }
        }
        try checkOpen()
        return resumptions != count
    }

    // MARK: - Open resources

    /// Returns the resource with a key, or a new one if it isn't cached.
    func resource(key: String, url: ResourceURL) async throws -> Resource {
        if let resource = table[key] { return resource }
        return try await table.withExclusiveAccess(to: [key]) {
            if let resource = self.table[key] { return resource }
            let resource =
                try await self.load(key: key, url: url)
                ?? Resource(
                    stored: StoredResource(
                        id: self.engine.catalog.nextResourceID(), key: key, url: url.description,
                        created: self.engine.time.now, lastUsed: self.engine.time.now, useOrder: 0, hits: 0,
                        isPinned: false),
                    url: url, engine: self.engine, onIdle: { [weak self] in self?.sweep($0) })
            self.table.insert(resource)
            self.table.closeIdle()
            return resource
        }
    }

    /// Opens the resource that the catalog lists under `key`; returns nil if there is none.
    private func load(key: String, url: ResourceURL) async throws -> Resource? {
        guard let entry = try await catalogEntry(key: key) else { return nil }
        return try await restored(entry, url: url)
    }

    /// Returns a resource restored from its catalog entry or, if its checksums are damaged, from a sidecar.
    func restored(_ entry: CatalogEntry, url: ResourceURL) async throws -> Resource? {
        do {
            return try await resource(of: entry, url: url)
        } catch let error as CacheError where error.code == .damaged {
            guard let entry = try await replaceRecords(key: entry.resource.key, after: error) else { return nil }
            return try await resource(of: entry, url: url)
        }
    }

    private func resource(of entry: CatalogEntry, url: ResourceURL) async throws -> Resource {
        let resource = Resource(
            stored: entry.resource, url: url, engine: engine, onIdle: { [weak self] in self?.sweep($0) })
        let restored = try await engine.run { engine in
            try entry.representations.map { try Representation.restore($0, of: resource, engine: engine) }
        }
        resource.restore(restored)
        if let (version, moments) = table.confirmation(key: resource.key) { resource.restore(moments, of: version) }
        // Losses must be committed before other bytes replace the lost ones.
        for representation in restored { representation.withState { _ in } }
        // The store may have been closed before a pending move of the pin.
        resource.useEnded()
        return resource
    }

    /// Returns the resource of a catalog record, restoring it if it isn't open; nil if the catalog no longer lists it.
    func opened(_ stored: StoredResource) async throws -> Resource? {
        if let resource = table[stored.key] { return resource }
        guard let url = try? ResourceURL(stored.url) else { return nil }
        return try await table.withExclusiveAccess(to: [stored.key]) {
            if let resource = self.table[stored.key] { return resource }
            guard let resource = try await self.load(key: stored.key, url: url) else { return nil }
            self.table.insert(resource)
            return resource
        }
    }

    /// Starts ``performDeferredActions(of:)`` in a separate task.
    private func sweep(_ resource: Resource) {
        sweeps.withLock { sweeps in
            guard !engine.isStopped else { return }
            sweeps.nextID += 1
            let id = sweeps.nextID
            sweeps.running[id] = Task { [weak self] in
                try? await self?.performDeferredActions(of: resource)
                self?.sweeps.withLock { $0.running[id] = nil }
            }
        }
    }
}
