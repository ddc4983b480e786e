public import MediaCache

/// What an app may want to know of the loading for a player.
public enum LoadingEvent: Sendable {
    /// It's known what the resource is: its media type, and its length in bytes unless its origin doesn't say.
    case opened(mediaType: String, length: Int64?)
    /// A request of the player's failed, at the byte given. A player that has got bytes of it before doesn't say so itself:
    /// it waits, and may ask again.
    case failed(CacheError, at: Int64)
    /// So many events were dropped, since nobody took them.
    case dropped(Int)
}
