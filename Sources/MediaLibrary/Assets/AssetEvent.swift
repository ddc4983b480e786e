/// What happens to the assets of a shelf, besides their downloads.
public enum AssetEvent: Sendable, Hashable {
    /// There is another asset.
    case added(AssetID)
    /// Its title, its cover, or what is known of its film is another.
    case changed(AssetID)
    /// It's no more.
    case removed(AssetID)
    /// So many events weren't taken in time, and are lost.
    case dropped(count: Int)
}
