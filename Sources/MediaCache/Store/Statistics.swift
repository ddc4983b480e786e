/// Counters of a store since it was opened.
public struct Statistics: Sendable, Hashable, Codable {
    /// Read sessions opened.
    public var reads: Int64 = 0
    /// Of these, those that found all they asked for.
    public var hits: Int64 = 0
    /// Read sessions open now.
    public var openReads: Int = 0
    /// Origin requests made.
    public var originRequests: Int64 = 0
    /// Origin requests that failed.
    public var originFailures: Int64 = 0
    /// Fills running now.
    public var runningFills: Int = 0
    /// Body bytes that came from origins.
    public var bytesFromOrigin: Int64 = 0
    /// Bytes that readers took.
    public var bytesRead: Int64 = 0
    /// Of these, bytes that were there when the session was opened.
    public var bytesFromCache: Int64 = 0
    /// Bytes given up to keep limits.
    public var bytesEvicted: Int64 = 0
    /// Bytes made known to the catalog by commits.
    public var bytesCommitted: Int64 = 0
    /// Damaged bytes found.
    public var bytesDamaged: Int64 = 0

    /// Creates counters that stand at zero.
    public init() {}
}
