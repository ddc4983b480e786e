public import Foundation

/// A policy that selects resources to evict when a limit is exceeded. `MediaCacheTesting` contains tests that check
/// whether an implementation meets the requirements.
public protocol EvictionPolicy: Sendable {
    /// Returns the evictions to perform, in order; an empty array for none.
    ///
    /// They must free at least ``EvictionSituation/bytesOver`` bytes if the candidates suffice, and contain each
    /// candidate at most once. The store calls this function again with more candidates if the first ones don't
    /// suffice, so it must have no side effects.
    func steps(for situation: EvictionSituation) -> [EvictionStep]
}

/// The input of an eviction policy.
public struct EvictionSituation: Sendable, Hashable {
    /// A resource that may be evicted: neither pinned nor in use.
    public struct Candidate: Sendable, Hashable, Identifiable {
        /// The resource's number in the catalog.
        public var id: Int64
        /// The number of cached bytes.
        public var bytes: Int64
        /// The time when it was last read.
        public var lastUsed: Date

        /// Creates a candidate.
        public init(id: Int64, bytes: Int64, lastUsed: Date) {
            self.id = id
            self.bytes = bytes
            self.lastUsed = lastUsed
        }
    }

    /// The candidates, least recently used first. The order doesn't depend on the clock.
    public var candidates: [Candidate]
    /// The limits to apply.
    public var limits: CacheLimits
    /// The total number of cached bytes, including those of other resources.
    public var usedBytes: Int64
    /// The number of free bytes on the file system.
    public var freeDiskBytes: Int64
    /// The number of bytes about to be written.
    public var incomingBytes: Int64
    /// The wall-clock time.
    public var now: Date

    /// Creates a situation.
    public init(
        candidates: [Candidate], limits: CacheLimits, usedBytes: Int64, freeDiskBytes: Int64, incomingBytes: Int64 = 0,
        now: Date
    ) {
        self.candidates = candidates
        self.limits = limits
        self.usedBytes = usedBytes
        self.freeDiskBytes = freeDiskBytes
        self.incomingBytes = incomingBytes
        self.now = now
    }

    /// The number of bytes to evict so that the byte limit and the free-disk limit are met after the incoming bytes
    /// have been written.
    public var bytesOver: Int64 {
        let overLimit = limits.maximumBytes.map { usedBytes - $0 + incomingBytes } ?? 0
        return max(overLimit, limits.minimumFreeBytes - freeDiskBytes + incomingBytes, 0)
    }

    /// Returns the minimum number of bytes that `steps` free.
    public func bytesFreed(by steps: [EvictionStep]) -> Int64 {
        let bytes = Dictionary(candidates.map { ($0.id, $0.bytes) }, uniquingKeysWith: { first, _ in first })
        return steps.reduce(0) { total, step in
            switch step {
            case .remove(let id): total + bytes[id, default: 0]
            case .shrink(let id, let count): total + min(count, bytes[id, default: 0])
            }
        }
    }

    /// Returns whether a candidate exceeds the age limit.
    public func isTooOld(_ candidate: Candidate) -> Bool {
        limits.maximumAge.map { now.timeIntervalSince(candidate.lastUsed) > $0.seconds } ?? false
    }
}

/// The eviction of one resource.
public enum EvictionStep: Sendable, Hashable {
    /// Removes the whole resource.
    case remove(id: Int64)
    /// Removes at least `bytes` bytes of the resource.
    case shrink(id: Int64, bytes: Int64)
}

/// A policy that evicts the least recently used resources first. A large resource is shrunk instead of removed if
/// evicting at most half of it frees enough.
public struct LeastRecentlyUsed: EvictionPolicy {
    /// The minimum size in bytes of resources that may be shrunk. 64 MiB by default.
    public var shrinkableSize: Int64

    /// Creates the policy.
    public init(shrinkableSize: Int64 = 64 << 20) {
        self.shrinkableSize = shrinkableSize
    }

    /// Returns evictions that free at least ``EvictionSituation/bytesOver`` bytes if the candidates suffice. They
    /// include removals of all candidates that exceed the age limit.
    public func steps(for situation: EvictionSituation) -> [EvictionStep] {
        var needed = situation.bytesOver
        return situation.candidates.compactMap { candidate in
            let isTooOld = situation.isTooOld(candidate)
            guard needed > 0 || isTooOld else { return nil }
            if !isTooOld, candidate.bytes >= shrinkableSize, needed <= candidate.bytes / 2 {
                defer { needed = 0 }
                return .shrink(id: candidate.id, bytes: needed)
            }
            needed -= candidate.bytes
            return .remove(id: candidate.id)
        }
    }
}
