public import Foundation

/// Information about a cached resource.
public struct ResourceInfo: Sendable, Hashable, Identifiable {
    /// The resource's number in the catalog, stable while it's cached.
    public var id: Int64
    /// The cache key.
    public var key: String
    /// The URL of the last request, without user information.
    public var url: String
    /// The media type.
    public var contentType: String
    /// The complete length in bytes; nil if unknown.
    public var length: Int64?
    /// The cached byte ranges in ascending order.
    public var spans: [Range<Int64>]
    /// The number of bytes in ``spans``.
    public var bytesCached: Int64
    /// The number of reads, whether or not their bytes were cached.
    public var hits: Int64
    /// The time when it was first cached.
    public var created: Date
    /// The time when it was last read.
    public var lastUsed: Date
    /// Whether all bytes are cached.
    public var isComplete: Bool
    /// Whether it's protected from eviction.
    public var isPinned: Bool
    /// Whether it's being read, filled or committed.
    public var isInUse: Bool
    /// The validators of the cached version.
    public var validator: Validator
    /// The ranges that running fills have yet to receive.
    public var fills: [Range<Int64>] = []

    /// The identity of the user in the cache key; nil if it contains none.
    public var identity: ProfileIdentity? { CacheKey(key).identity }
    /// The cache key without ``identity``, as the key policy returns it.
    public var name: String { CacheKey(key).name }
}

/// The size of a cache.
public struct Usage: Sendable, Hashable, Codable {
    /// The number of resources.
    public var resources: Int
    /// The number of complete resources.
    public var complete: Int
    /// The number of cached bytes.
    public var bytes: Int64
    /// The number of cached bytes of pinned resources, including those of newer versions that aren't pinned yet.
    public var pinnedBytes: Int64
    /// The limit in bytes; nil if there is none.
    public var maximumBytes: Int64?
    /// The number of free bytes on the file system of evictable blobs; 0 if it can't be determined.
    public var freeDiskBytes: Int64
}

/// The result of a verification.
public struct VerifyReport: Sendable, Hashable, Codable {
    /// A deviation from the catalog.
    public struct Finding: Sendable, Hashable, Codable {
        /// The resource's name according to the key policy (``ResourceInfo/name``).
        public var key: String
        /// The offset of the first affected byte.
        public var start: Int64
        /// The end of the affected range, exclusive.
        public var end: Int64
        /// A description of the problem.
        public var problem: String
        /// Whether the range has been repaired.
        public var isRepaired: Bool
    }

    /// The number of resources verified.
    public var resources: Int
    /// The number of bytes compared with their checksums.
    public var bytes: Int64
    /// All deviations found.
    public var findings: [Finding]
}

/// The owner of a cache folder.
public struct FolderOwner: Sendable, Hashable, Codable {
    /// The process identifier; 0 if unknown.
    public var processID: Int32
    /// The address of its API, such as `http://127.0.0.1:9479`; nil if it doesn't serve one.
    public var address: String?
}

/// The result of a removal.
public struct Removal: Sendable, Hashable, Codable {
    /// The resource's name according to the key policy (``ResourceInfo/name``).
    public var key: String
    /// The number of bytes freed, now or later.
    public var bytes: Int64
    /// Whether the removal is deferred until the last reader leaves.
    public var isDeferred: Bool

    /// Creates a removal.
    public init(key: String, bytes: Int64, isDeferred: Bool) {
        self.key = key
        self.bytes = bytes
        self.isDeferred = isDeferred
    }
}
