package import Foundation
public import Logging
import Synchronization

/// A store of media: it plays what it has, fetches what it lacks, once, and keeps it.
///
/// One process owns a cache folder at a time. All methods may be called from any task.
public final class CacheStore: Sendable {
    let engine: Engine
    let table = ResourceTable()
    let lock: Mutex<FolderLock?>
    let phase = Mutex(Phase.open)
    /// Work that goes on beside reads: limits, orphans, idle resources.
    let upkeep = Mutex<Task<Void, Never>?>(nil)

    /// Tells who waits for the end of a suspension.
    let reopenings = EventHub<Void>()
    let resumptionCount = Mutex(0)

    enum Phase { case open, suspended, closed }

    /// Removals that waited for a last reader and run now.
    private let sweeps = Mutex<(nextID: Int, running: [Int: Task<Void, Never>])>((0, [:]))

    /// Opens the store in its folders, which are made if need be.
    ///
    /// A folder that can't be written is no error: what is kept in it is read, everything else passes through unkept, and
    /// an event says so. A damaged catalog is set aside and a new one made.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` or ``CacheError/Code/newerFormat``.
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
        let folder = try await BlockingPool(label: "MediaCache.opening").run {
            try OpenedFolder(configuration.location, files: files, logger: logger)
        }
        let engine = Engine(
            configuration: configuration, origin: origin, time: time, files: files, blobs: folder.blobs,
            trouble: folder.trouble, catalog: folder.catalog, events: EventHub { .dropped(count: $0) },
            counters: Counters(), logger: logger)
        let store = CacheStore(engine: engine, lock: folder.lock)
        store.early = folder.events
        engine.room.setMeasure { [weak store] needed in
            guard let store else { throw CacheError(.closed, "the store is closed") }
            return try await store.makeRoom(for: needed)
        }
        if folder.blobs.isWritable {
            try await store.recover(folder)
            store.startUpkeep(cleaning: true)
        }
        return store
    }

    private init(engine: Engine, lock: FolderLock?) {
        self.engine = engine
        self.lock = Mutex(lock)
    }

    /// What happened while opening, for the first listener.
    private var early: [CacheEvent] {
        get { earlyEvents.withLock { $0 } }
        set { earlyEvents.withLock { $0 = newValue } }
    }
    private let earlyEvents = Mutex<[CacheEvent]>([])

    /// Stops fills, commits, and gives the folder up. Sessions that are open can still read what is kept, and end with
    /// ``CacheError/Code/closed`` at their next hole.
    public func close() async {
        let before = phase.withLock { phase in
            defer { phase = .closed }
            return phase
        }
        guard before != .closed else { return }
        reopenings.finish()
        await stop()
        await engine.committer.close()
        table.removeAll()
        await releaseFolder()
        engine.events.finish()
    }

    /// Ends everything that writes. Returns when it has ended.
    func stop() async {
        engine.isStopped = true
        let upkeep = upkeep.withLock { upkeep in
            defer { upkeep = nil }
            return upkeep
        }
        upkeep?.cancel()
        await upkeep?.value
        let representations = table.all.flatMap(\.representations)
        for representation in representations { representation.cancelFills() }
        for resource in table.all { resource.state.withLock { $0.passing }?.fills.end() }
        for representation in representations { await representation.waitForLastFill() }
        for sweep in sweeps.withLock({ Array($0.running.values) }) { await sweep.value }
    }

    /// Closes the catalog and lets the lock go.
    func releaseFolder() async {
        let engine = engine
        let failure: (any Error)? = await engine.pool.perform {
            do {
                try engine.catalog.close()
                return nil
            } catch {
                return error
            }
        }
        if let failure { engine.logger.error("catalog not closed", metadata: ["error": "\(failure)"]) }
        lock.withLock { $0 = nil }
    }

    /// Tells others that find the folder owned where its API answers.
    public func announce(address: String?) throws {
        try lock.withLock { try $0?.announce(address: address) }
    }

    /// Who owns a folder at this moment, if anybody.
    public static func owner(of location: CacheLocation) -> FolderOwner? {
        FolderLock.owner(of: location)
    }

    /// The cache key of a URL, by the store's policy.
    public func key(for url: ResourceURL) -> String {
        engine.configuration.keyPolicy.key(for: url, profiles: engine.configuration.transfers.headerProfiles)
    }

    /// What happens from now on. Each call gives a stream of its own, which holds up to 512 events for a slow reader
    /// and then drops, and says how many.
    public func events() -> AsyncStream<CacheEvent> {
        let stream = engine.events.stream()
        let waiting = earlyEvents.withLock { events in
            defer { events = [] }
            return events
        }
        for event in waiting { engine.events.send(event) }
        return stream
    }

    /// Some of them, for who isn't to be woken for others.
    package func events(where isWanted: @escaping @Sendable (CacheEvent) -> Bool) -> AsyncStream<CacheEvent> {
        engine.events.stream(where: isWanted)
    }

    /// Counters since opening.
    public var statistics: Statistics { engine.counters.snapshot }

    /// The clock that ``Revalidation/since(_:)`` goes by: the time since an arbitrary fixed moment. It never goes back.
    public var monotonicTime: Duration { engine.time.monotonic }

    /// The wall clock's time.
    package var now: Date { engine.time.now }

    /// Where the store gets its time from.
    package var time: any TimeSource { engine.time }

    /// How origins are asked where a read says nothing else.
    package var transfers: TransferSettings { engine.configuration.transfers }

    /// How much may be kept.
    public var limits: CacheLimits { engine.configuration.limits }

    /// Whether the folder takes bytes at this moment; while it doesn't, playing goes on without keeping.
    package var takesBytes: Bool { keepsBytes && !engine.health.isFailing }

    /// Whether bytes can be kept; not if the folder couldn't be written.
    public var keepsBytes: Bool { engine.blobs.isWritable }

    /// Why the folder can't be written, or not even be read; nil if it's all right.
    public var folderFailure: CacheError? { engine.trouble.map { $0.reading ?? $0.writing } }

    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if it can't be told what is kept.
    package func requireReadableFolder() throws {
        if let failure = engine.trouble?.reading { throw failure }
    }

    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if what is kept can't be changed.
    package func requireWritableFolder() throws {
        if let failure = folderFailure { throw failure }
    }

    // MARK: - Reading

    /// Opens a read session; returns when the resource's head is known.
    ///
    /// - Throws: ``CacheError``: what the origin answered if nothing is kept,
    ///   ``CacheError/Code/rangeNotSatisfiable`` if the range lies outside.
    public func read(_ request: ReadRequest) async throws -> ReadSession {
        let shortage = Shortage(engine.traffic, of: request.transferClass, request.settings, host: request.url.origin)
        shortage?.begin()
        defer { shortage?.end() }
        let session = try await open(request)
        if allowed(request).policy == .whole { fillRest(session.currentRepresentation, request) }
        return session
    }

    func open(_ request: ReadRequest) async throws -> ReadSession {
        let request = allowed(request)
        do {
            while true {
                try checkOpen()
                let resource = try await resource(opening: request)
                if request.pins { try await pin(resource) }
                if let session = try await resource.read(request) {
                    // One that another reader has opened meanwhile may lie elsewhere.
                    if request.pins { try await pin(resource) }
                    return session
                }
                // Retired, by whatever way: it must not be found again.
                table.remove(resource)
            }
        } catch {
            throw CacheError.wrap(error, as: .storage, "\(request.url) can't be opened")
        }
    }

    /// The request as far as its settings let it ask origins.
    private func allowed(_ request: ReadRequest) -> ReadRequest {
        guard !(request.settings?.asksOrigins ?? engine.configuration.transfers.asksOrigins) else { return request }
        var request = request
        request.revalidation = .never
        request.policy = .onDemand
        return request
    }

    /// The same at once, if the resource is open and needs no asking; else nil.
    package func readIfOpen(_ request: ReadRequest) throws -> ReadSession? {
        let request = allowed(request)
        guard phase.withLock({ $0 == .open }), let resource = table[key(of: request)],
            request.policy == .onDemand || resource.current?.isComplete == true,
            !request.pins || resource.stored.isPinned
        else { return nil }
        resource.locator.update(url: request.url)
        let (readiness, asksBeside) = resource.readiness(request, now: engine.time.now)
        guard case .ready(let representation) = readiness, !asksBeside else { return nil }
        return try resource.session(request, over: representation)
    }

    /// How many bytes are free on the disk where blobs lie.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` or ``CacheError/Code/closed``.
    package func freeBytes() async throws -> Int64 {
        try checkOpen()
        let engine = engine
        do {
            return try await engine.pool.run { try engine.freeBytes }
        } catch {
            throw CacheError.wrap(error, as: .storage, "it can't be told how much room the disk has")
        }
    }

    /// Has a resource asked for by its own URL again, whatever a redirect led to.
    package func forgetRedirect(of request: ReadRequest) {
        table[key(of: request)]?.locator.forgetRedirect()
    }

    /// The key of what a request reads.
    package func key(of request: ReadRequest) -> String {
        request.name
            ?? engine.configuration.keyPolicy.key(
                for: request.url,
                profiles: request.settings?.headerProfiles ?? engine.configuration.transfers.headerProfiles)
    }

    /// - Throws: ``CacheError`` with ``CacheError/Code/closed`` where nothing can be read at the moment.
    package func checkOpen() throws {
        switch phase.withLock({ $0 }) {
        case .open: break
        case .suspended: throw CacheError(.closed, "the store is suspended; resume it first")
        case .closed: throw CacheError(.closed, "the store is closed")
        }
    }

    /// How often it has been resumed.
    package var resumptions: Int { resumptionCount.withLock { $0 } }

    /// Returns when the store isn't suspended any more.
    ///
    /// - Parameter count: ``resumptions`` of before.
    /// - Returns: whether it has been resumed since.
    /// - Throws: ``CacheError`` with ``CacheError/Code/closed`` where it's closed, or the task is cancelled before.
    package func untilResumed(since count: Int) async throws -> Bool {
        var reopenings = reopenings.stream().makeAsyncIterator()
        while phase.withLock({ $0 == .suspended }) {
            guard await reopenings.next() != nil else { break }
        }
        try checkOpen()
        return resumptions != count
    }

    // MARK: - Resources that are open

    func resource(opening request: ReadRequest) async throws -> Resource {
        try await resource(key: key(of: request), url: request.url)
    }

    /// The resource under `key`, a new one if nothing is kept of it.
    func resource(key: String, url: ResourceURL) async throws -> Resource {
        if let resource = table[key] { return resource }
        return try await table.alone(with: key) {
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

    /// Opens what the catalog has under `key`.
    private func load(key: String, url: ResourceURL) async throws -> Resource? {
        guard let entry = try await catalogEntry(key: key) else { return nil }
        return try await restored(entry, url: url)
    }

    /// The resource as the catalog knows it.
    func restored(_ entry: CatalogEntry, url: ResourceURL) async throws -> Resource {
        let resource = Resource(
            stored: entry.resource, url: url, engine: engine, onIdle: { [weak self] in self?.sweep($0) })
        let engine = engine
        let restored = try await engine.pool.run {
            try entry.representations.map { try Representation.restore($0, of: resource, engine: engine) }
        }
        resource.restore(restored)
        if let confirmation = table.confirmation(key: resource.key) { resource.restore(confirmation) }
        // What was lost is to be known before other bytes take its place.
        for representation in restored { representation.withState { _ in } }
        // A pin that was to move may not have when the store was closed.
        resource.useEnded()
        return resource
    }

    /// Opens the resource of a stored row, for work that isn't a read.
    func opened(_ stored: StoredResource) async throws -> Resource? {
        if let resource = table[stored.key] { return resource }
        guard let url = try? ResourceURL(stored.url) else { return nil }
        return try await table.alone(with: stored.key) {
            if let resource = self.table[stored.key] { return resource }
            guard let resource = try await self.load(key: stored.key, url: url) else { return nil }
            self.table.insert(resource)
            return resource
        }
    }

    /// Something that waited for the last reader can go now.
    private func sweep(_ resource: Resource) {
        sweeps.withLock { sweeps in
            guard !engine.isStopped else { return }
            sweeps.nextID += 1
            let id = sweeps.nextID
            sweeps.running[id] = Task { [weak self] in
                try? await self?.removeWhatGoes(of: resource)
                self?.sweeps.withLock { $0.running[id] = nil }
            }
        }
    }
}
