internal import Foundation
public import MediaCache

/// The assets of a store, and their covers.
///
/// Each is a small file of its own beside the catalog, so that a damaged catalog loses none of them; a cover is another,
/// which may be a picture that nobody can fetch again.
public actor AssetShelf {
    private static let recordSuffix = ".json"
    private static let coverSuffix = ".cover"
    private static let contentsSuffix = ".contents"

    private let store: CacheStore
    private let folder: SideFolder
    /// What the files say; nil until they have been read.
    private var known: [AssetID: Asset]?
    private var loading: Task<[AssetID: Asset], any Error>?
    /// How often each asset's contents were set.
    private var contentsVersions: [AssetID: Int] = [:]
    /// One change waits for the other, so that record and picture agree.
    private let changes = Turns()
    private nonisolated let hub = EventHub<AssetEvent> { .dropped(count: $0) }

    /// The shelf of a store. Nothing is read before it's asked for.
    public init(of store: CacheStore) {
        self.store = store
        folder = store.sideFolder("assets")
    }

    /// What happens from now on. Each call gives a stream of its own, which holds up to 512 events for a slow reader and
    /// then drops, and says how many.
    public nonisolated func events() -> AsyncStream<AssetEvent> { hub.stream() }

    // MARK: - Assets

    /// All assets, the newest first.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func assets() async throws -> [Asset] {
        try await load().values.sorted { ($0.created, $0.id.rawValue) > ($1.created, $1.id.rawValue) }
    }

    /// The asset of this name, or nil.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func asset(_ id: AssetID) async throws -> Asset? { try await load()[id] }

    /// The asset of this name.
    ///
    /// - Throws: `CacheError` with `notFound` where there is none, or `storage`.
    public func requireAsset(_ id: AssetID) async throws -> Asset {
        guard let asset = try await load()[id] else { throw CacheError(.notFound, "there is no asset \(id)") }
        return asset
    }

    /// The asset that begins with a kept resource, or nil if it isn't one.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func asset(of resource: ResourceInfo) async throws -> Asset? {
        try await load().values.first { $0.key == resource.key }
    }

    /// Makes an asset of a kept resource, unless it's one.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func add(_ resource: ResourceInfo) async throws -> Asset {
        try await changes.take {
            if let asset = try await asset(of: resource) { return asset }
            return try await put(Asset(of: resource, created: store.now))
        }
    }

    /// The asset that begins under a cache key, or nil.
    ///
    /// - Throws: `CacheError` with `storage`.
    func asset(withKey key: String) async throws -> Asset? {
        try await load().values.first { $0.key == key }
    }

    /// Puts an asset on the shelf that nothing need be kept of yet, unless one begins under its key.
    ///
    /// - Returns: the one on the shelf.
    /// - Throws: `CacheError` with `storage`.
    func add(_ asset: Asset) async throws -> Asset {
        try await changes.take {
            if let known = try await self.asset(withKey: asset.key) { return known }
            return try await put(asset)
        }
    }

    /// Keeps what a download knows of its asset; covers and plays aren't its affair. Nothing where the asset isn't there
    /// any more.
    ///
    /// - Throws: `CacheError` with `storage`.
    func keep(_ asset: Asset) async throws {
        try await change(asset.id) { record in
            record.url = asset.url
            record.title = asset.title
            record.kind = asset.kind
            record.duration = asset.duration
            record.download = asset.download
            record.lostCount = asset.lostCount
        }
    }

    /// Somebody has begun to play an asset.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func notePlay(of id: AssetID) async throws {
        let now = store.now
        try await change(id) { asset in
            asset.plays = (asset.plays ?? 0) + 1
            asset.lastPlayed = now
        }
    }

    /// Changes what a person calls an asset.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such asset, or `storage`.
    func setTitle(_ title: String, of id: AssetID) async throws {
        _ = try await requireAsset(id)
        try await change(id) { $0.title = title }
    }

    /// Ends an asset's download.
    ///
    /// - Throws: `CacheError` with `storage`.
    func removeDownload(of id: AssetID) async throws {
        try await change(id) { $0.download = nil }
    }

    private func change(_ id: AssetID, _ change: (inout Asset) -> Void) async throws {
        try await changes.take {
            guard let asset = try await load()[id] else { return }
            var changed = asset
            change(&changed)
            if changed != asset { _ = try await put(changed) }
        }
    }

    /// What an asset consists of; nil where nobody has found out yet.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func contents(of id: AssetID) async throws -> AssetContents? {
        guard try await load()[id] != nil, let bytes = try await folder.contents(of: id.rawValue + Self.contentsSuffix)
        else { return nil }
        // Others needn't wait until two hundred thousand lines are read.
        return try await BlockingWork.run { try AssetContents(encoded: bytes) }
    }

    /// What tells an asset's contents from those that it had before, as long as this shelf is open.
    package func contentsVersion(of id: AssetID) -> Int { contentsVersions[id, default: 0] }

    /// Keeps what an asset consists of.
    ///
    /// - Throws: `CacheError` with `storage`.
    func setContents(_ contents: AssetContents, of id: AssetID) async throws {
        let bytes = try contents.encoded()
        try await changes.take {
            guard try await load()[id] != nil else { return }
            try await folder.write(bytes, to: id.rawValue + Self.contentsSuffix)
            contentsVersions[id, default: 0] += 1
        }
    }

    /// Forgets what an asset consists of: it's found out anew.
    ///
    /// - Throws: `CacheError` with `storage`.
    func removeContents(of id: AssetID) async throws {
        try await changes.take {
            try await folder.remove(id.rawValue + Self.contentsSuffix)
            contentsVersions[id, default: 0] += 1
        }
    }

    /// Forgets an asset and its cover. What is kept of its files stays where it is.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func remove(_ id: AssetID) async throws {
        try await changes.take {
            guard try await load()[id] != nil else { return }
            try await folder.remove(id.rawValue + Self.recordSuffix)
            known?[id] = nil
            hub.send(.removed(id))
            try await folder.remove(id.rawValue + Self.coverSuffix)
            try await folder.remove(id.rawValue + Self.contentsSuffix)
        }
    }

    /// Forgets the assets of resources that were removed, by their cache keys.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func remove(withKeys keys: Set<String>) async throws {
        for asset in try await load().values where keys.contains(asset.key) { try await remove(asset.id) }
    }

    // MARK: - Covers

    /// The picture that is kept with an asset; nil without one, and where there is no such asset.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func cover(of id: AssetID) async throws -> Cover? {
        guard let note = try await load()[id]?.cover,
            let bytes = try await folder.contents(of: id.rawValue + Self.coverSuffix), !bytes.isEmpty
        else { return nil }
        return Cover(bytes: bytes, mediaType: note.mediaType)
    }

    /// Keeps a picture with an asset, in place of the one it has.
    ///
    /// - Returns: the asset with it.
    /// - Throws: `CacheError` with `notFound` where there is no such asset, or `storage`.
    public func setCover(_ cover: Cover, of id: AssetID) async throws -> Asset {
        try await changes.take { try await put(cover, of: try await requireAsset(id)) }
    }

    /// Keeps a picture with an asset that has none. Nothing where it has one, or isn't there any more.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func setFirstCover(_ cover: Cover, of id: AssetID) async throws {
        try await changes.take {
            guard let asset = try await load()[id], asset.cover == nil else { return }
            _ = try await put(cover, of: asset)
        }
    }

    private func put(_ cover: Cover, of asset: Asset) async throws -> Asset {
        var asset = asset
        // A picture without its note is passed over, and a note without its picture too.
        try await folder.write(cover.bytes, to: asset.id.rawValue + Self.coverSuffix)
        asset.cover = Asset.CoverNote(mediaType: cover.mediaType, size: cover.bytes.count, changed: store.now)
        return try await put(asset)
    }

    /// Removes the picture that is kept with an asset, if there is one.
    ///
    /// - Returns: the asset without it.
    /// - Throws: `CacheError` with `notFound` where there is no such asset, or `storage`.
    @discardableResult
    public func removeCover(of id: AssetID) async throws -> Asset {
        try await changes.take {
            var asset = try await requireAsset(id)
            asset.cover = nil
            let changed = try await put(asset)
            try await folder.remove(id.rawValue + Self.coverSuffix)
            return changed
        }
    }

    /// Removes all pictures.
    ///
    /// - Returns: how many there were, and their bytes.
    /// - Throws: `CacheError` with `storage`.
    public func removeCovers() async throws -> CoverUsage {
        let usage = try await coverUsage()
        for asset in try await load().values where asset.cover != nil {
            // One that is removed meanwhile has none any more.
            guard try await self.asset(asset.id) != nil else { continue }
            try await removeCover(of: asset.id)
        }
        return usage
    }

    /// How much is kept of pictures.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func coverUsage() async throws -> CoverUsage {
        let covers = try await load().values.compactMap(\.cover)
        return CoverUsage(covers: covers.count, bytes: covers.reduce(0) { $0 + Int64($1.size) })
    }

    private func put(_ asset: Asset) async throws -> Asset {
        let before = try await load()[asset.id]
        try await write(asset)
        known?[asset.id] = asset
        if let before {
            if before.isShownOtherwise(than: asset) { hub.send(.changed(asset.id)) }
        } else {
            hub.send(.added(asset.id))
        }
        return asset
    }

    // MARK: - Files

    private func write(_ asset: Asset) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try await folder.write(Array(try encoder.encode(asset)), to: asset.id.rawValue + Self.recordSuffix)
    }

    private func load() async throws -> [AssetID: Asset] {
        if let known { return known }
        let task = loading ?? Task { [folder] in try await Self.read(folder) }
        loading = task
        defer { loading = nil }
        let read = try await task.value
        // The first of those who waited sets it; what others have changed since is in it.
        if known == nil { known = read }
        return known ?? read
    }

    private static func read(_ folder: SideFolder) async throws -> [AssetID: Asset] {
        var assets: [AssetID: Asset] = [:]
        for name in try await folder.names() where name.hasSuffix(recordSuffix) {
            // What can't be read is another version's; it's left alone.
            guard let id = AssetID(rawValue: String(name.dropLast(recordSuffix.count))),
                let bytes = try await folder.contents(of: name),
                let asset = try? JSONDecoder().decode(Asset.self, from: Data(bytes)), asset.id == id
            else { continue }
            assets[id] = asset
        }
        return assets
    }
}

extension Asset {
    /// Whether a person would see a difference, besides what downloads tell themselves.
    fileprivate func isShownOtherwise(than other: Asset) -> Bool {
        title != other.title || cover != other.cover || kind != other.kind || duration != other.duration
    }
}
