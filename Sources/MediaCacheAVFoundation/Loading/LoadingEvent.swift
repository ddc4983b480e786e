public import MediaCache

/// An event of the loading of a player's requests.
public enum LoadingEvent: Sendable {
    /// The media type of the resource is known, and its length in bytes unless the origin doesn't announce it.
    case opened(mediaType: String, length: Int64?)
    /// A request of the player failed at the given byte offset. AVPlayer doesn't report this if it had received bytes
    /// of the request: it waits, and may request them again.
    case failed(CacheError, at: Int64)
    /// A request received bytes again after a failure.
    case recovered
    /// A request has waited for the given time although the byte at the given offset is cached. The fault is local, not
    /// in the network.
    case unanswered(at: Int64, for: Duration)
    /// The number of earlier events that were dropped because the subscriber didn't read them in time.
    case dropped(Int)
}
