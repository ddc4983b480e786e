/// Something that happened in a store. See ``CacheStore/events()``.
public enum CacheEvent: Sendable {
    /// Bytes of a resource arrived or were read; coalesced to a few a second for each resource.
    case progress(Progress)
    /// A read found all it asked for.
    case hit(key: String)
    /// A read has to ask the origin.
    case miss(key: String)
    /// An origin request began writing into a hole.
    case fillStarted(key: String, range: Range<Int64>)
    /// A fill ended: `error` is nil if everything it was asked for came, or nobody wanted more.
    case fillEnded(key: String, bytes: Int64, error: CacheError?)
    /// The origin has another version; new reads get that one.
    case representationChanged(key: String)
    /// The origin's entity tags alternate while length and bytes agree.
    case entityTagAlternates(key: String)
    /// The origin answers ranges with the whole; every seek reads from the start.
    case rangesIgnored(key: String)
    /// Bytes were given up to keep a limit.
    case evicted(key: String, bytes: Int64)
    /// Bytes on disk were not what was written; they will be fetched again.
    case damaged(key: String, range: Range<Int64>)
    /// The folder can't take bytes; reading goes on without keeping.
    case storageFailed(CacheError)
    /// The origin couldn't be asked whether what is kept is still current; it is served as it is.
    case servedStale(key: String, error: CacheError)
    /// The catalog was damaged and has been set aside at `path`; a new one was made.
    case catalogReplaced(path: String)
    /// `count` events before this one were dropped, since they weren't read in time.
    case dropped(count: Int)

    /// How far a resource is.
    public struct Progress: Sendable, Hashable {
        /// The resource.
        public var key: String
        /// Bytes kept of it.
        public var kept: Int64
        /// Its length, once known.
        public var length: Int64?
        /// Bytes that the origin sent since the store was opened.
        public var fromOrigin: Int64
        /// Bytes that readers took since the store was opened and that were there when they asked.
        public var fromCache: Int64
        /// The origin's rate over the last seconds, in bytes per second.
        public var rate: Double
    }
}
