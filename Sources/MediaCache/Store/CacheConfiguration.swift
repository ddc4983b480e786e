import Foundation

/// The configuration of a store. The defaults suit a personal computer.
public struct CacheConfiguration: Sendable {
    /// The folders of the store.
    public var location: CacheLocation
    /// The limits of the cache size.
    public var limits: CacheLimits
    /// The settings of requests to origins.
    public var transfers: TransferSettings
    /// The policy that maps URLs to cache keys.
    public var keyPolicy: CacheKeyPolicy
    /// The policy that decides whether a resource is stored.
    public var admission: AdmissionPolicy
    /// The policy that selects resources for eviction when a limit is exceeded.
    public var eviction: any EvictionPolicy = LeastRecentlyUsed()
    /// The limits of concurrent transfers.
    public var scheduling = TransferScheduler.Limits()
    /// The bandwidth limits. Unlimited by default.
    public var bandwidth: BandwidthLimits
    /// Whether transfers other than playback and recordings slow down when responses from their origin take longer than
    /// before, so that other traffic on the link isn't delayed. True by default.
    public var yieldsToOtherTraffic = true
    /// The transforms applied to content before it's stored. If several accept a kind, the first one applies.
    public var transforms: [ContentTransform] = []
    /// The observers of received content.
    public var observers: [ContentObserver] = []

    /// Creates a configuration. The properties without a parameter have their defaults.
    public init(
        location: CacheLocation,
        limits: CacheLimits = CacheLimits(),
        transfers: TransferSettings = TransferSettings(),
        keyPolicy: CacheKeyPolicy = .wholeURL,
        admission: AdmissionPolicy = .keepAll,
        bandwidth: BandwidthLimits = BandwidthLimits()
    ) {
        self.location = location
        self.limits = limits
        self.transfers = transfers
        self.keyPolicy = keyPolicy
        self.admission = admission
        self.bandwidth = bandwidth
    }
}

/// The folders of a store. Evictable and durable files can be separate, because systems may purge cache folders.
public struct CacheLocation: Sendable, Hashable {
    /// The folder of evictable blobs. The system may purge it.
    public var evictable: String
    /// The folder of the catalog, the lock and pinned blobs.
    public var durable: String

    /// Creates a location with one folder for all files.
    public init(folder: String) {
        evictable = folder
        durable = folder
    }

    /// Creates a location with two folders.
    public init(evictable: String, durable: String) {
        self.evictable = evictable
        self.durable = durable
    }
}

/// The limits of a store. They also apply while bytes are received: if nothing more can be evicted, received bytes are
/// passed to readers without being stored. Pinned and in-use content is never evicted.
public struct CacheLimits: Sendable, Hashable {
    /// The maximum number of cached bytes, including pinned ones; nil for no limit.
    public var maximumBytes: Int64?
    /// The time since the last use after which a resource is evicted; nil for no limit.
    public var maximumAge: Duration?
    /// The number of bytes to leave free on the file system of evictable blobs. 1 GiB by default; at least 1 MiB is
    /// always left.
    public var minimumFreeBytes: Int64

    /// Creates limits.
    public init(maximumBytes: Int64? = nil, maximumAge: Duration? = nil, minimumFreeBytes: Int64 = 1 << 30) {
        self.maximumBytes = maximumBytes
        self.maximumAge = maximumAge
        self.minimumFreeBytes = minimumFreeBytes
    }
}

extension CacheLocation {
    /// Returns the location for an app's media: evictable blobs in the caches folder, which the system may purge;
    /// pinned content in the application support folder, excluded from backups. tvOS has no such folder, so everything
    /// is in the caches folder, which the system may purge while the app isn't running.
    ///
    /// On other systems, this creates the folder for pinned content.
    ///
    /// - Parameter name: The name of the folders, unique for each store of the app. The bundle identifier, if any,
    ///   precedes it.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if the system provides no folders, or the folder for
    ///   pinned content can't be created.
    public static func application(named name: String = "MediaCache") throws -> CacheLocation {
        let name = [Bundle.main.bundleIdentifier, name].compactMap { $0 }.joined(separator: "/")
        do {
            let files = FileManager.default
            let caches = try files.url(for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            #if os(tvOS)
                return CacheLocation(folder: caches.appending(path: name).path)
            #else
                let support = try files.url(
                    for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
                let durable = support.appending(path: name)
                try files.createDirectory(at: durable, withIntermediateDirectories: true)
                #if canImport(Darwin)
                    var (folder, values) = (durable, URLResourceValues())
                    values.isExcludedFromBackup = true
                    try folder.setResourceValues(values)
                #endif
                return CacheLocation(evictable: caches.appending(path: name).path, durable: durable.path)
            #endif
        } catch {
            throw CacheError(
                .storage, "the folders for the app's cache can't be found or created; set its location explicitly",
                cause: error)
        }
    }
}

/// The decision of an ``AdmissionPolicy``: whether and how long a resource's bytes are stored.
public enum Admission: Sendable, Hashable {
    /// The bytes are stored until they are evicted.
    case keep
    /// The bytes are stored until the last reader leaves.
    case keepUntilClosed
    /// The bytes aren't stored.
    case passThrough
}

/// A policy that decides whether a resource is stored, once its response head is known.
public struct AdmissionPolicy: Sendable {
    private let decide: @Sendable (ResourceURL, ResourceHead) -> Admission
    /// The duration of the longest on-demand stream whose segments are stored when they're played; nil for no limit.
    ///
    /// The store doesn't know the duration of streams, so readers of playlists, such as `MediaCacheServer`, apply the
    /// limit. Downloads, recordings and imports are stored in any case.
    public var maximumDuration: Duration?

    /// Creates a policy from a function.
    public init(_ decide: @escaping @Sendable (ResourceURL, ResourceHead) -> Admission) {
        self.decide = decide
    }

    /// A policy that stores all resources.
    public static let keepAll = AdmissionPolicy { _, _ in .keep }

    /// Returns a policy that stores resources up to a length in bytes. Resources of unknown length are stored.
    public static func maximumLength(_ bytes: Int64) -> AdmissionPolicy {
        AdmissionPolicy { _, head in
            if let length = head.length, length > bytes { .passThrough } else { .keep }
        }
    }

    /// Returns the decision for a resource.
    public func admission(of url: ResourceURL, head: ResourceHead) -> Admission {
        decide(url, head)
    }
}
