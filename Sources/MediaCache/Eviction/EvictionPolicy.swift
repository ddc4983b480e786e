public import Foundation

/// Decides what is given up to keep the limits. `MediaCacheTesting` has the contract as tests.
public protocol EvictionPolicy: Sendable {
    /// What is to be given up, in order; an empty answer leaves everything.
    ///
    /// The policy frees what ``EvictionSituation/bytesOver`` asks for as far as the candidates reach, takes each
    /// candidate at most once, and nothing that isn't a candidate.
    func steps(for situation: EvictionSituation) -> [EvictionStep]
}

/// What an eviction policy decides on.
public struct EvictionSituation: Sendable, Hashable {
    /// A resource that may be given up: neither pinned nor in use.
    public struct Candidate: Sendable, Hashable, Identifiable {
        /// Its number in the catalog.
        public var id: Int64
        /// Bytes kept of it.
        public var bytes: Int64
        /// When it was last read.
        public var lastUsed: Date

        /// Creates a candidate.
        public init(id: Int64, bytes: Int64, lastUsed: Date) {
            self.id = id
            self.bytes = bytes
            self.lastUsed = lastUsed
        }
    }

    /// What may go, least recently used first. The order is by use, not by the clock.
    public var candidates: [Candidate]
    /// The limits to keep.
    public var limits: CacheLimits
    /// All bytes kept, candidates' or not.
    public var usedBytes: Int64
    /// Free bytes on the file system.
    public var freeDiskBytes: Int64
    /// Bytes about to be written, for which there has to be room as well.
    public var incomingBytes: Int64
    /// The wall clock.
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

    /// How many bytes have to go for the byte limit and the free-disk reserve to hold, also with what is coming.
    public var bytesOver: Int64 {
        let overLimit = limits.maximumBytes.map { usedBytes - $0 + incomingBytes } ?? 0
        return max(overLimit, limits.minimumFreeBytes - freeDiskBytes + incomingBytes, 0)
    }

    /// How many bytes go at least if `steps` are carried out.
    public func bytesFreed(by steps: [EvictionStep]) -> Int64 {
        let bytes = Dictionary(candidates.map { ($0.id, $0.bytes) }, uniquingKeysWith: { first, _ in first })
        return steps.reduce(0) { total, step in
            switch step {
            case .remove(let id): total + bytes[id, default: 0]
            case .shrink(let id, let count): total + min(count, bytes[id, default: 0])
            }
        }
    }

    /// Whether a candidate hasn't been read for longer than the limit.
    public func isTooOld(_ candidate: Candidate) -> Bool {
        limits.maximumAge.map { now.timeIntervalSince(candidate.lastUsed) > $0.seconds } ?? false
    }
}

/// What is to be done with one resource.
public enum EvictionStep: Sendable, Hashable {
    /// All of it goes.
    case remove(id: Int64)
    /// At least so many bytes of it go.
    case shrink(id: Int64, bytes: Int64)
}

/// The least recently used go first; a large one loses part rather than all, where part is enough.
public struct LeastRecentlyUsed: EvictionPolicy {
    /// Resources from this size in bytes on may lose part. 64 MiB unless set.
    public var shrinkableSize: Int64

    /// Creates the policy.
    public init(shrinkableSize: Int64 = 64 << 20) {
        self.shrinkableSize = shrinkableSize
    }

    /// See ``EvictionPolicy/steps(for:)``.
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
