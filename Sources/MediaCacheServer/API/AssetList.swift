/// The answer of `GET /api/v1/assets`.
public struct AssetList: Codable, Sendable, Hashable {
    /// The assets, the newest first.
    public var assets: [AssetRecord]

    /// Creates a list.
    public init(assets: [AssetRecord]) {
        self.assets = assets
    }
}
