public import MediaCache

/// An event of a player's requests to the app.
public enum LoadingEvent: Sendable {
    /// The media type of the resource is known, and its length in bytes if the origin announces it.
    case opened(mediaType: String, length: Int64?)
    /// A request failed at the given byte offset. AVPlayer doesn't report this if it has already received bytes of the
    /// request: it waits, and may request the rest again.
    case failed(CacheError, at: Int64)
    /// A request received bytes again after a failure.
    case recovered
    /// A request has waited for the given time although the byte at the given offset is cached. The cause is in the app
    /// or the library, not in the network.
    case delayed(at: Int64, for: Duration)
    /// The number of earlier events that were dropped because the subscriber didn't read them in time.
    case dropped(Int)
}
