internal import MediaCache

/// A lookup of the cached resources that belong to assets.
struct AssetResources {
    let store: CacheStore
    let assetStore: AssetStore
    let settings: Downloads.SettingsSource

    /// Returns the cache keys that belong to an asset and to no other, cached or not. Throws `CacheError` with
    /// `storage` if another asset's contents can't be read, because that asset may share keys.
    func exclusiveKeys(of asset: Asset) async throws -> Set<String> {
        try await exclusive(try keys(of: asset, contents: try await contents(of: asset)), to: asset)
    }

    /// Replaces an asset's contents. Resources that belong to no asset afterwards are unpinned, and may be evicted. If
    /// an error is thrown, the previous contents remain.
    func replaceContents(of asset: Asset, with new: AssetContents) async throws {
        let old = try await assetStore.contents(of: asset.id)
        let removed = try keys(of: asset, contents: old).subtracting(try keys(of: asset, contents: new))
        let unpinned = try await exclusive(removed, to: asset)
        try await assetStore.setContents(new, of: asset.id)
        do {
            try await store.setPinned(false, keys: unpinned)
        } catch {
            // Otherwise, resources that belong to no asset would stay pinned forever.
            if let old { try? await assetStore.setContents(old, of: asset.id) }
            throw error
        }
    }

    private func exclusive(_ keys: Set<String>, to asset: Asset) async throws -> Set<String> {
        var keys = keys
        guard !keys.isEmpty else { return keys }
        for other in try await assetStore.assets() where other.id != asset.id && !keys.isEmpty {
            do {
                keys.subtract(try self.keys(of: other, contents: try await assetStore.contents(of: other.id)))
            } catch {
                throw CacheError(
                    .storage,
                    "the contents of asset \(other.id) (\(other.url)) can't be read, so resources it may share with "
                        + "\(asset.id) can't be removed; remove \(other.id) first", cause: error)
            }
        }
        return keys
    }

    /// Returns an asset's contents; nil if they can't be read, so that a damaged asset can still be removed.
    private func contents(of asset: Asset) async throws -> AssetContents? {
        do {
            return try await assetStore.contents(of: asset.id)
        } catch let error as CacheError where error.code == .storage {
            return nil
        }
    }

    private func keys(of asset: Asset, contents: AssetContents?) throws -> Set<String> {
        let parts = contents?.parts ?? []
        let urls = [asset.url] + (contents?.playlists.map(\.url) ?? []) + parts.filter { $0.storedAs == nil }.map(\.url)
        let settings = try settings(try ResourceURL(asset.url), asset.identity, asset.download?.headers ?? [:])
        var keys = Set(parts.compactMap(\.storedAs))
        for url in urls {
            guard let url = try? ResourceURL(url) else { continue }
            keys.insert(store.key(of: ReadRequest(url: url, settings: settings)))
        }
        return keys
    }
}
