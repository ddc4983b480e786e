/// The answer of `GET /api/v1/assets`.
public struct AssetList: PagedList, Hashable {
    /// The assets, the newest first.
    public var assets: [AssetRecord]
    /// What `?after=` takes to go on after this page; null where it's the last.
    public var next: String?

    /// Creates a list.
    public init(assets: [AssetRecord], next: String? = nil) {
        self.assets = assets
        self.next = next
    }

    /// The same.
    public var items: [AssetRecord] { assets }
}
