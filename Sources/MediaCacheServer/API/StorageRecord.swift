public import Foundation
public import MediaCache
import MediaLibrary

/// What uses how much, as `GET /api/v1/storage` gives it.
public struct StorageRecord: Codable, Sendable, Hashable {
    /// How much may be kept.
    public struct Limits: Codable, Sendable, Hashable {
        /// The most bytes; null for no limit.
        public var maximumBytes: Int64?
        /// How many seconds what isn't read is kept; null for no limit.
        public var maximumAge: Double?
        /// Bytes to leave free on the disk.
        public var minimumFreeBytes: Int64

        /// The limits of a store.
        public init(_ limits: CacheLimits) {
            maximumBytes = limits.maximumBytes
            maximumAge = limits.maximumAge?.seconds
            minimumFreeBytes = limits.minimumFreeBytes
        }
    }

    /// Something that takes room.
    public struct Item: Codable, Sendable, Hashable {
        /// What there may be.
        public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
            /// An asset of the library: `id` is its name in URLs.
            case asset
            /// A channel: `id` is its name.
            case channel
            /// A file that was only played: `id` is the resource's number.
            case file
            /// A stream that was only played: `id` is its playlist's number.
            case stream
            /// Parts of such a stream without its playlist: `id` is the number of one of them.
            case parts

            /// The kind of something that was only played.
            init(_ kind: PlayedTitle.Kind) {
                self =
                    switch kind {
                    case .file: .file
                    case .stream: .stream
                    case .parts: .parts
                    }
            }
        }

        /// What it is.
        public var kind: Kind
        /// What it's called in URLs.
        public var id: String
        /// What a person calls it.
        public var title: String
        /// How many bytes are kept of it.
        public var bytes: Int64
        /// Whether eviction leaves it alone.
        public var pinned: Bool
        /// How many resources there are of what was only played; else null.
        public var count: Int?
    }

    /// What would be given up.
    public struct Candidate: Codable, Sendable, Hashable {
        /// The resource's number.
        public var id: Int64
        /// The URL it was last asked for, without user information.
        public var url: String
        /// How many bytes are kept of it.
        public var bytes: Int64
        /// When it was last read.
        public var lastUsed: Date
    }

    /// The sums.
    public var usage: UsageRecord
    /// How much may be kept.
    public var limits: Limits
    /// What takes the most, the largest first.
    public var items: [Item]
    /// What would go next if room were needed, the first first.
    public var evictedNext: [Candidate]
}
