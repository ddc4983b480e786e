public import MediaCache

/// What an app may want to know of the loading for a player.
public enum LoadingEvent: Sendable {
    /// It's known what the resource is: its media type, and its length in bytes unless its origin doesn't say.
    case opened(mediaType: String, length: Int64?)
    /// A request of the player's failed, at the byte given. A player that has got bytes of it before doesn't say so itself:
    /// it waits, and may ask again.
    case failed(CacheError, at: Int64)
    /// A request gets bytes again, after one has failed.
    case recovered
    /// A request of the player's has waited for as long as this though the store has the byte that it waits for: the fault
    /// is on this side of the network.
    case unanswered(at: Int64, for: Duration)
    /// So many events were dropped, since nobody took them.
    case dropped(Int)
}
