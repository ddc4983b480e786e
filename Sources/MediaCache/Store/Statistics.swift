import Synchronization

/// Counters of a store since it was opened.
public struct Statistics: Sendable, Hashable, Codable {
    /// The number of read sessions opened.
    public var reads: Int64 = 0
    /// The number of read sessions whose bytes were all cached when they were opened.
    public var hits: Int64 = 0
    /// The number of read sessions currently open.
    public var openReads: Int = 0
    /// The number of origin requests, including redirected ones.
    public var originRequests: Int64 = 0
    /// The number of failed attempts to receive a response or its content, including responses that can't be used.
    /// Cancelled attempts, and responses with status 401, 403 or 410, aren't counted.
    public var originFailures: Int64 = 0
    /// The number of fills currently running.
    public var runningFills: Int = 0
    /// The number of body bytes received from origins. Bytes requested again only for comparison with cached ones
    /// aren't counted.
    public var bytesFromOrigin: Int64 = 0
    /// The number of bytes delivered to readers.
    public var bytesRead: Int64 = 0
    /// The part of ``bytesRead`` that was cached when its session was opened.
    public var bytesFromCache: Int64 = 0
    /// The number of bytes evicted.
    public var bytesEvicted: Int64 = 0
    /// The number of bytes committed to the catalog.
    public var bytesCommitted: Int64 = 0
    /// The number of cached bytes that couldn't be read or didn't match their checksums. Bytes found missing when a
    /// resource was opened aren't counted.
    public var bytesDamaged: Int64 = 0

    /// Creates counters that are zero.
    public init() {}
}

/// The counters of a store's ``Statistics``.
package final class Counters: Sendable {
    private let statistics = Mutex(Statistics())

    package init() {}

    package var snapshot: Statistics { statistics.withLock { $0 } }

    package func add<Number: AdditiveArithmetic & ExpressibleByIntegerLiteral>(
        _ counter: WritableKeyPath<Statistics, Number>, _ amount: Number = 1
    ) {
        statistics.withLock { $0[keyPath: counter] += amount }
    }

    func opened(isHit: Bool) {
        statistics.withLock { statistics in
            statistics.reads += 1
            statistics.openReads += 1
            if isHit { statistics.hits += 1 }
        }
    }

    func read(bytes: Int64, fromCache: Int64) {
        statistics.withLock { statistics in
            statistics.bytesRead += bytes
            statistics.bytesFromCache += fromCache
        }
    }
}
