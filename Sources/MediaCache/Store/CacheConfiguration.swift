/// How a store works. The defaults suit a person's machine.
public struct CacheConfiguration: Sendable {
    /// Where things lie.
    public var location: CacheLocation
    /// How much may be kept.
    public var limits: CacheLimits
    /// How origins are asked.
    public var transfers: TransferSettings
    /// Which resources are one.
    public var keyPolicy: CacheKeyPolicy
    /// Which resources are kept.
    public var admission: AdmissionPolicy
    /// What is given up where the limits are passed.
    public var eviction: any EvictionPolicy
    /// How many transfers run.
    public var scheduling: TransferScheduler.Limits
    /// How many bytes a second transfers may take. As many as come unless set.
    public var bandwidth: BandwidthLimits
    /// Whether what isn't playback takes fewer bytes where answers of its origin take longer than they did: others'
    /// requests over the same link don't wait behind it then.
    public var yieldsToOthers: Bool
    /// What is changed before it's kept; of those for a kind, the first.
    public var transforms: [ContentTransform]
    /// Who is shown what comes from origins.
    public var observers: [ContentObserver]

    /// Creates a configuration.
    public init(
        location: CacheLocation,
        limits: CacheLimits = CacheLimits(),
        transfers: TransferSettings = TransferSettings(),
        keyPolicy: CacheKeyPolicy = .wholeURL,
        admission: AdmissionPolicy = .keepAll,
        eviction: any EvictionPolicy = LeastRecentlyUsed(),
        scheduling: TransferScheduler.Limits = TransferScheduler.Limits(),
        bandwidth: BandwidthLimits = BandwidthLimits(),
        yieldsToOthers: Bool = true,
        transforms: [ContentTransform] = [],
        observers: [ContentObserver] = []
    ) {
        self.location = location
        self.limits = limits
        self.transfers = transfers
        self.keyPolicy = keyPolicy
        self.admission = admission
        self.eviction = eviction
        self.scheduling = scheduling
        self.bandwidth = bandwidth
        self.yieldsToOthers = yieldsToOthers
        self.transforms = transforms
        self.observers = observers
    }
}

/// Where a store keeps its files: two folders, since systems purge the one and back up the other.
public struct CacheLocation: Sendable, Hashable {
    /// Blobs that eviction may take. The system may purge this folder.
    public var evictable: String
    /// The catalog, the lock, and blobs that are pinned.
    public var durable: String

    /// Both in one folder.
    public init(folder: String) {
        evictable = folder
        durable = folder
    }

    /// In two folders.
    public init(evictable: String, durable: String) {
        self.evictable = evictable
        self.durable = durable
    }
}

/// How much a store may keep. The limits hold while bytes come: where nothing more can be given up, what comes is passed
/// on unkept. What is pinned or in use is never given up.
public struct CacheLimits: Sendable, Hashable {
    /// The most bytes to keep, or nil for no limit.
    public var maximumBytes: Int64?
    /// Resources not read for longer than this are given up.
    public var maximumAge: Duration?
    /// Bytes to leave free on the file system. 1 GiB unless set.
    public var minimumFreeBytes: Int64

    /// Creates limits.
    public init(maximumBytes: Int64? = nil, maximumAge: Duration? = nil, minimumFreeBytes: Int64 = 1 << 30) {
        self.maximumBytes = maximumBytes
        self.maximumAge = maximumAge
        self.minimumFreeBytes = minimumFreeBytes
    }
}
