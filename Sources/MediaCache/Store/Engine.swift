package import Logging
import Synchronization

/// The shared components of an open store.
package final class Engine: Sendable {
    package let configuration: CacheConfiguration
    package let origin: any Origin
    package let time: any TimeSource
    package let files: any BlobFileSystem
    package let blobs: BlobFolder
    package let folderFailure: FolderFailure?
    package let catalog: Catalog
    package let committer: Committer
    package let scheduler: TransferScheduler
    package let traffic: Traffic
    package let events = EventHub<CacheEvent> { .dropped(count: $0) }
    package let counters = Counters()
    package let pool = BlockingPool(label: "MediaCache.files", usesCurrentThread: true)
    package let logger: Logger
    package let health: StorageHealth
    package let space = SpaceReservation()
    let observers: [ObserverQueue]
    /// A name unique to this opening of the folder.
    let token = BlobFolder.newName()
    private let stopped = Atomic(false)
    /// The settings that change while the store is open.
    private let changeable: Mutex<(limits: CacheLimits, transfers: TransferSettings)>

    init(
        configuration: CacheConfiguration, origin: any Origin, time: any TimeSource, files: any BlobFileSystem,
        folder: OpenedFolder, logger: Logger
    ) {
        self.configuration = configuration
        changeable = Mutex((configuration.limits, configuration.transfers))
        self.origin = origin
        self.time = time
        self.files = files
        blobs = folder.blobs
        folderFailure = folder.folderFailure
        catalog = folder.catalog
        let traffic = Traffic(
            limits: configuration.bandwidth, isGoverned: configuration.yieldsToOtherTraffic, time: time)
        self.traffic = traffic
        scheduler = TransferScheduler(limits: configuration.scheduling) { traffic.classesChanged() }
        self.logger = logger
        observers = configuration.observers.map(ObserverQueue.init)
        health = StorageHealth(events: events, logger: logger)
        committer = Committer(
            catalog: catalog, files: files, time: time, pool: pool, health: health, counters: counters, logger: logger)
    }

    /// Whether fills are forbidden because the store is closed or suspended.
    package var isStopped: Bool {
        get { stopped.load(ordering: .sequentiallyConsistent) }
        set { stopped.store(newValue, ordering: .sequentiallyConsistent) }
    }

    var limits: CacheLimits { changeable.withLock { $0.limits } }

    func updateLimits(_ change: (inout CacheLimits) -> Void) { changeable.withLock { change(&$0.limits) } }

    var transfers: TransferSettings { changeable.withLock { $0.transfers } }

    func updateTransfers(_ change: (inout TransferSettings) -> Void) { changeable.withLock { change(&$0.transfers) } }

    /// Runs `work`, which may block, on a thread of the pool.
    func run<Result: Sendable>(_ work: @escaping @Sendable (Engine) throws -> Result) async throws -> Result {
        try await pool.run { try work(self) }
    }

    /// The free bytes on the file system of evictable blobs. Blocks.
    var freeBytes: Int64 {
        get throws { try files.freeBytes(at: configuration.location.evictable) }
    }

    /// Whether the disk may lack the space for a transaction of the catalog. Blocks.
    var isDiskFull: Bool {
        get throws { try files.freeBytes(at: configuration.location.durable) < SpaceReservation.floor }
    }

    /// Returns the context of origin requests with `settings`; with the store's if nil.
    func originContext(_ settings: TransferSettings?) -> OriginContext {
        OriginContext(
            origin: origin, time: time, settings: settings ?? transfers, counters: counters, traffic: traffic)
    }
}
