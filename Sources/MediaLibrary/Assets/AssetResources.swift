internal import MediaCache

/// Which resources of a store belong to which assets.
struct AssetResources {
    let store: CacheStore
    let shelf: AssetShelf
    let settings: Downloads.SettingsSource

    /// The cache keys of what an asset consists of, and no other does. Not all of it need be kept.
    ///
    /// - Throws: `CacheError` with `storage`, naming an asset of which it can't be told what it consists of: it might share
    ///   any of them.
    func keysOfNoOther(than asset: Asset) async throws -> Set<String> {
        try await ofNoOther(than: asset, try keys(of: asset, contents: try await contents(of: asset)))
    }

    /// An asset consists of something else from now on: what it consisted of until then, and nothing does any more, may be
    /// evicted like what was played.
    ///
    /// Should this end on the way, what it consisted of before is as it was.
    ///
    /// - Throws: `CacheError` with `storage`.
    func replaceContents(of asset: Asset, with new: AssetContents) async throws {
        let old = try await shelf.contents(of: asset.id)
        let lost = try keys(of: asset, contents: old).subtracting(try keys(of: asset, contents: new))
        let unpinned = try await ofNoOther(than: asset, lost)
        try await shelf.setContents(new, of: asset.id)
        do {
            try await store.setPinned(false, keys: unpinned)
        } catch {
            // Pins that nothing names would stay for good.
            if let old { try? await shelf.setContents(old, of: asset.id) }
            throw error
        }
    }

    /// Those of `keys` that no other asset consists of.
    private func ofNoOther(than asset: Asset, _ keys: Set<String>) async throws -> Set<String> {
        var keys = keys
        guard !keys.isEmpty else { return keys }
        for other in try await shelf.assets() where other.id != asset.id && !keys.isEmpty {
            do {
                keys.subtract(try self.keys(of: other, contents: try await shelf.contents(of: other.id)))
            } catch {
                throw CacheError(
                    .storage,
                    "it can't be told what the asset \(other.id) (\(other.url)) consists of, so nothing of \(asset.id) "
                        + "is given up; remove \(other.id) first", cause: error)
            }
        }
        return keys
    }

    /// One whose own contents can't be read can still be removed: what it begins with goes, the rest stays as it is.
    private func contents(of asset: Asset) async throws -> AssetContents? {
        do {
            return try await shelf.contents(of: asset.id)
        } catch let error as CacheError where error.code == .storage {
            return nil
        }
    }

    private func keys(of asset: Asset, contents: AssetContents?) throws -> Set<String> {
        let parts = contents?.parts ?? []
        let urls = [asset.url] + (contents?.playlists.map(\.url) ?? []) + parts.filter { $0.keptAs == nil }.map(\.url)
        let settings = try settings(try ResourceURL(asset.url), asset.identity, asset.download?.headers ?? [:])
        var keys = Set(parts.compactMap(\.keptAs))
        for url in urls {
            guard let url = try? ResourceURL(url) else { continue }
            keys.insert(store.key(of: ReadRequest(url: url, settings: settings)))
        }
        return keys
    }
}
