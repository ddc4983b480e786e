public import Foundation
internal import HTTPTypes
public import MediaCache
public import MediaLibrary

/// The storage usage, the response to `GET /api/v1/storage`.
public struct StorageRecord: Codable, Sendable, Hashable {
    /// The limits of the cache.
    public struct Limits: Codable, Sendable, Hashable {
        /// The maximum size in bytes; null means no limit.
        public var maximumBytes: Int64?
        /// The number of seconds after which unread data is evicted; null means no limit.
        public var maximumAge: Double?
        /// The number of bytes to leave free on the disk.
        public var minimumFreeBytes: Int64

        /// Creates the limits of a store.
        public init(_ limits: CacheLimits) {
            maximumBytes = limits.maximumBytes
            maximumAge = limits.maximumAge?.seconds
            minimumFreeBytes = limits.minimumFreeBytes
        }
    }

    /// An item that uses storage.
    public struct Item: Codable, Sendable, Hashable {
        /// The kind of an item.
        public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
            /// An asset of the library: `id` is the asset's ID.
            case asset
            /// A channel: `id` is its name.
            case channel
            /// A played file outside the library: `id` is the resource's ID.
            case file
            /// A played stream outside the library: `id` is the ID of its playlist.
            case stream
            /// Parts of a played stream without its playlist: `id` is the ID of one of them.
            case parts

            /// Creates the kind of a played title.
            package init(_ kind: PlayedTitle.Kind) {
                self =
                    switch kind {
                    case .file: .file
                    case .stream: .stream
                    case .parts: .parts
                    }
            }
        }

        /// The kind.
        public var kind: Kind
        /// The ID; its meaning depends on `kind`.
        public var id: String
        /// The title, or the URL of an untitled item.
        public var title: String
        /// The number of cached or recorded bytes.
        public var bytes: Int64
        /// Whether the item is protected from eviction.
        public var pinned: Bool
        /// The number of resources of a played title; null for other kinds.
        public var count: Int?

        /// Creates an item.
        public init(kind: Kind, id: String, title: String, bytes: Int64, pinned: Bool, count: Int? = nil) {
            self.kind = kind
            self.id = id
            self.title = title
            self.bytes = bytes
            self.pinned = pinned
            self.count = count
        }
    }

    /// A resource that would be evicted.
    public struct Candidate: Codable, Sendable, Hashable {
        /// The resource's ID.
        public var id: Int64
        /// The most recently requested URL, without user information.
        public var url: String
        /// The number of cached bytes.
        public var bytes: Int64
        /// The time the resource was last read.
        public var lastUsed: Date

        /// Creates a candidate.
        public init(id: Int64, url: String, bytes: Int64, lastUsed: Date) {
            self.id = id
            self.url = url
            self.bytes = bytes
            self.lastUsed = lastUsed
        }
    }

    /// The totals.
    public var usage: UsageRecord
    /// The limits.
    public var limits: Limits
    /// The items that use the most storage, largest first; at most 200.
    public var items: [Item]
    /// The resources that eviction would remove next, in order; at most 20.
    public var evictedNext: [Candidate]

    /// Creates a record.
    public init(usage: UsageRecord, limits: Limits, items: [Item], evictedNext: [Candidate]) {
        self.usage = usage
        self.limits = limits
        self.items = items
        self.evictedNext = evictedNext
    }
}

/// The totals of the cache, the response to `GET /api/v1/usage`: the fields of `Usage`, plus those of the covers.
public struct UsageRecord: Sendable, Hashable {
    /// The totals of the store.
    public var usage: Usage
    /// The usage of the assets' covers, which doesn't count toward the limits.
    public var covers: CoverUsage

    /// Creates a record.
    public init(_ usage: Usage, covers: CoverUsage) {
        self.usage = usage
        self.covers = covers
    }
}

extension UsageRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case covers
        case coverBytes
    }

    /// Decodes a record from a single JSON object.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        usage = try Usage(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        covers = CoverUsage(
            covers: try container.decode(Int.self, forKey: .covers),
            bytes: try container.decode(Int64.self, forKey: .coverBytes))
    }

    /// Encodes the record as a single JSON object.
    public func encode(to encoder: any Encoder) throws {
        try usage.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(covers.covers, forKey: .covers)
        try container.encode(covers.bytes, forKey: .coverBytes)
    }
}

/// The response to `POST /api/v1/prune`.
public struct PruneReport: Codable, Sendable, Hashable {
    /// The number of evicted bytes.
    public var bytesFreed: Int64

    /// Creates a report.
    public init(bytesFreed: Int64) { self.bytesFreed = bytesFreed }
}

/// The body of `POST /api/v1/verify`. The response, a `VerifyReport`, is sent after all data has been read.
public struct VerifyRequest: Codable, Sendable, Hashable {
    /// Whether damaged bytes are fetched again before the response is sent. Otherwise they count as missing, and are
    /// fetched when they are next read.
    public var repair: Bool

    /// Creates a request.
    public init(repair: Bool = false) { self.repair = repair }
}

extension APIClient {
    /// Returns the storage usage and the resources to be evicted next.
    public func storage() async throws -> StorageRecord { try await call(.get, "/api/v1/storage") }

    /// Returns the totals of the cache.
    public func usage() async throws -> UsageRecord { try await call(.get, "/api/v1/usage") }

    /// Applies the cache's limits immediately.
    public func prune() async throws -> PruneReport { try await call(.post, "/api/v1/prune") }

    /// Compares all cached data with its checksums, which takes as long as reading it.
    ///
    /// - Parameter repair: See ``VerifyRequest/repair``.
    public func verify(repair: Bool) async throws -> VerifyReport {
        try await call(.post, "/api/v1/verify", content: try .json(VerifyRequest(repair: repair)))
    }
}
