public import Foundation

/// What is kept of one resource.
public struct ResourceInfo: Sendable, Hashable, Identifiable {
    /// The resource's number in the catalog, stable while it's kept.
    public var id: Int64
    /// The cache key.
    public var key: String
    /// The URL it was last asked for, without user information.
    public var url: String
    /// The media type.
    public var contentType: String
    /// The complete length in bytes, if known.
    public var length: Int64?
    /// The runs of bytes that are here.
    public var spans: [Range<Int64>]
    /// How many bytes are here, over all kept versions.
    public var bytesKept: Int64
    /// How often it was read.
    public var hits: Int64
    /// When it was first kept.
    public var created: Date
    /// When it was last read.
    public var lastUsed: Date
    /// Whether every byte is here.
    public var isComplete: Bool
    /// Whether eviction leaves it alone.
    public var isPinned: Bool
    /// Whether someone reads it, or a fill runs.
    public var isInUse: Bool
    /// The version's validator.
    public var validator: Validator
    /// The runs of bytes that are being fetched: from what comes next up to where each fill is to end.
    public var fills: [Range<Int64>] = []

    /// Whose it is, where it came by credentials; else nil.
    public var identity: ProfileIdentity? { CacheKey(key).identity }
    /// The cache key less ``identity``: what the key policy calls the resource.
    public var name: String { CacheKey(key).name }
}

/// How much a store holds.
public struct Usage: Sendable, Hashable, Codable {
    /// Resources in the catalog.
    public var resources: Int
    /// Those of which every byte is here.
    public var complete: Int
    /// Bytes kept.
    public var bytes: Int64
    /// Bytes kept that eviction leaves alone.
    public var pinnedBytes: Int64
    /// The limit in bytes, if one is set.
    public var maximumBytes: Int64?
    /// Free bytes on the cache's file system.
    public var freeDiskBytes: Int64
}

/// What `verify` found.
public struct VerifyReport: Sendable, Hashable, Codable {
    /// Something that isn't as the catalog says.
    public struct Finding: Sendable, Hashable, Codable {
        /// What the key policy calls the resource (``ResourceInfo/name``).
        public var key: String
        /// The first byte concerned.
        public var start: Int64
        /// One past the last byte concerned.
        public var end: Int64
        /// What is wrong.
        public var problem: String
        /// Whether it has been put right.
        public var isRepaired: Bool
    }

    /// Resources looked at.
    public var resources: Int
    /// Bytes read and compared with their checksums.
    public var bytes: Int64
    /// Everything that isn't as it should be.
    public var findings: [Finding]
}

/// Who owns a cache folder.
public struct FolderOwner: Sendable, Hashable, Codable {
    /// The process.
    public var processID: Int32
    /// Where its API answers, once it serves: `http://127.0.0.1:9479`.
    public var address: String?
}

/// What became of a resource that was to be removed.
public struct Removal: Sendable, Hashable, Codable {
    /// What the key policy calls it (``ResourceInfo/name``).
    public var key: String
    /// Bytes given up, or to be given up.
    public var bytes: Int64
    /// Whether someone reads it: then it goes when the last reader leaves.
    public var isDeferred: Bool
}
