import MediaLibrary

/// A cache of the contents of assets, so that each is read only once while its asset is played.
final class AssetContentsCache: Sendable {
    private let assetStore: AssetStore
    private let indexes = SharedResults<ContentsIndex?>(maximumCount: 64, maximumCost: 256 << 20) { $0?.memory ?? 64 }

    init(assetStore: AssetStore) { self.assetStore = assetStore }

    /// Returns the contents of an asset; nil if the asset hasn't been analyzed yet.
    ///
    /// - Throws: `CacheError` with `storage`.
    func index(of asset: AssetID) async throws -> ContentsIndex? { try await versioned(asset).index }

    func versioned(_ asset: AssetID) async throws -> (index: ContentsIndex?, version: Int) {
        let version = await assetStore.contentsVersion(of: asset)
        let index = try await indexes.value(for: "\(asset) \(version)") { [assetStore] in
            try await assetStore.contents(of: asset).map(ContentsIndex.init)
        }
        return (index, version)
    }
}
