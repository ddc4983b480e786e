/// An event of a store. See ``CacheStore/events()``.
public enum CacheEvent: Sendable {
    /// Bytes of a resource were received and stored. Sent at most four times per second for each resource, and when the
    /// resource is complete.
    case progress(Progress)
    /// All requested bytes of a read were cached.
    case hit(key: String)
    /// Some requested bytes of a read were missing.
    case miss(key: String)
    /// A fill of a hole was started. It may have to wait before it sends a request.
    case fillStarted(key: String, range: Range<Int64>)
    /// A fill ended. `error` is nil if its range was received, or if the fill was cancelled.
    case fillEnded(key: String, bytes: Int64, error: CacheError?)
    /// The origin has another version. New reads return it.
    case representationChanged(key: String)
    /// The origin's entity tags alternate: a response had a tag other than that of the cached version, but the same
    /// length and bytes, or it had the tag of an earlier version.
    case entityTagAlternates(key: String)
    /// The origin responds to range requests with the whole content, so that each seek reads from the start.
    case rangesIgnored(key: String)
    /// Bytes were evicted to apply a limit.
    case evicted(key: String, bytes: Int64)
    /// Stored bytes were damaged or missing, and became a hole. An empty range means that a catalog record of the
    /// resource was damaged.
    case damaged(key: String, range: Range<Int64>)
    /// Bytes can't be stored. Reading continues without the cache.
    case storageFailed(CacheError)
    /// The origin failed to confirm the cached version or to provide a newer one in time, and the cached version is
    /// served stale.
    case servedStale(key: String, error: CacheError)
    /// The catalog was damaged. It was renamed to `path`, and a new one was created.
    case catalogReplaced(path: String)
    /// `count` events before this one were dropped because the subscriber was too slow.
    case dropped(count: Int)

    /// The progress of a resource.
    public struct Progress: Sendable, Hashable {
        /// The cache key of the resource.
        public var key: String
        /// The number of cached bytes.
        public var bytesCached: Int64
        /// The length in bytes; nil while unknown.
        public var length: Int64?
        /// The number of bytes received from origins since the store was opened, for all resources.
        public var fromOrigin: Int64
        /// The number of bytes read from the cache since the store was opened, for all resources.
        public var fromCache: Int64
        /// The origin's recent rate in bytes per second; 0 while unknown.
        public var rate: Double
    }
}
