import MediaLibrary

/// What assets consist of: read once, and remembered while they are played.
final class ContentsBook: Sendable {
    private let shelf: AssetShelf
    private let known = SharedResults<ContentsIndex?>(most: 64, largestCost: 256 << 20) { $0?.memory ?? 64 }

    init(shelf: AssetShelf) {
        self.shelf = shelf
    }

    /// What an asset consists of; nil where nobody has found out yet.
    ///
    /// - Throws: `CacheError` with `storage`.
    func index(of asset: AssetID) async throws -> ContentsIndex? {
        try await versioned(asset).index
    }

    /// The same, and what tells it from what the asset consisted of before.
    func versioned(_ asset: AssetID) async throws -> (index: ContentsIndex?, version: Int) {
        let version = await shelf.contentsVersion(of: asset)
        let index = try await known.value(for: "\(asset) \(version)") { [shelf] in
            try await shelf.contents(of: asset).map(ContentsIndex.init)
        }
        return (index, version)
    }
}
