internal import Foundation
public import MediaCache

/// The assets of a cache store, and their covers.
///
/// Each asset has a small file outside the catalog, so that it survives damage to the catalog. The cover has its own
/// file, because it may not be possible to fetch the image again.
public actor AssetStore {
    private static let recordSuffix = ".json"
    private static let coverSuffix = ".cover"
    private static let contentsSuffix = ".contents"

    private let store: CacheStore
    private let folder: SideFolder
    /// The assets by identifier; nil until their files have been read.
    private var known: [AssetID: Asset]?
    /// The identifiers of the known assets by the cache keys of their entries.
    private var identifiers: [String: AssetID] = [:]
    private var loading: Task<[AssetID: Asset], any Error>?
    /// The number of times each asset's contents have changed since this instance was created.
    private var contentsVersions: [AssetID: Int] = [:]
    private let willRemove: (@Sendable (AssetID) async throws -> Void)?
    /// Serializes changes, so that an asset's record agrees with its cover.
    private let changes = ConcurrencyLimit()
    private nonisolated let hub = EventHub<AssetEvent> { .dropped(count: $0) }

    /// Creates the asset store of a cache store. Files are read when they're first needed.
    public init(of store: CacheStore) { self.init(of: store, willRemove: nil) }

    /// Creates the asset store of a cache store.
    ///
    /// - Parameter willRemove: Called before an asset's record is removed, however the asset is removed. At that time,
    ///   the asset can no longer be found. If the function throws, the asset isn't removed. The function must not
    ///   change the assets of this store.
    package init(of store: CacheStore, willRemove: (@Sendable (AssetID) async throws -> Void)?) {
        self.store = store
        self.willRemove = willRemove
        folder = store.sideFolder("assets")
    }

    /// Returns an independent stream of the changes from now on. It buffers up to 512 events; further events are
    /// dropped and counted in ``AssetEvent/dropped(count:)``.
    public nonisolated func events() -> AsyncStream<AssetEvent> { hub.stream() }

    // MARK: - Assets

    /// Returns all assets, newest first.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func assets() async throws -> [Asset] {
        try await load().values.sorted { ($0.created, $0.id.rawValue) > ($1.created, $1.id.rawValue) }
    }

    /// Returns the asset with this identifier; nil if there is none.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func asset(_ id: AssetID) async throws -> Asset? { try await load()[id] }

    /// Returns the asset with this identifier.
    ///
    /// - Throws: `CacheError` with `notFound` if there is no such asset, or `storage`.
    public func requireAsset(_ id: AssetID) async throws -> Asset {
        guard let asset = try await load()[id] else { throw CacheError(.notFound, "there is no asset \(id)") }
        return asset
    }

    /// Returns the asset whose entry is a cached resource; nil if there is none.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func asset(of resource: ResourceInfo) async throws -> Asset? { try await asset(withKey: resource.key) }

    /// Returns the asset whose entry is a cached resource. Adds it if it doesn't exist.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func add(_ resource: ResourceInfo) async throws -> Asset {
        try await add(Asset(key: resource.key, url: resource.url, created: store.now))
    }

    func asset(withKey key: String) async throws -> Asset? {
        let assets = try await load()
        return identifiers[key].flatMap { assets[$0] }
    }

    /// Adds an asset, unless one with the same cache key exists. Returns the asset with that key.
    func add(_ asset: Asset) async throws -> Asset {
        try await changes.runUncancelled {
            if let known = try await self.asset(withKey: asset.key) { return known }
            return try await put(asset)
        }
    }

    /// Updates the fields of an asset's record that a download changes. Does nothing if the asset has been removed.
    func updateRecord(from asset: Asset) async throws {
        try await change(asset.id) { record in
            record.url = asset.url
            record.title = asset.title
            record.titleSource = asset.titleSource
            record.metadata = asset.metadata
            record.kind = asset.kind
            record.duration = asset.duration
            record.download = asset.download
            record.lostCount = asset.lostCount
        }
    }

    /// Counts a playback of an asset. Does nothing if the asset has been removed.
    package func notePlay(of id: AssetID) async throws {
        let now = store.now
        try await change(id) { asset in
            asset.plays = (asset.plays ?? 0) + 1
            asset.lastPlayed = now
        }
    }

    /// Sets the title of an asset. Throws `CacheError` with `notFound` if there is no such asset.
    func setTitle(_ title: String, of id: AssetID) async throws {
        _ = try await requireAsset(id)
        try await change(id) { $0.setTitle(title, from: .user) }
    }

    /// Stores the metadata of an asset's media. Does nothing if the asset has been removed.
    func setMetadata(_ found: FileMetadata, of id: AssetID) async throws { try await change(id) { $0.apply(found) } }

    /// Changes the marks that users give an asset.
    ///
    /// - Returns: The changed asset.
    /// - Throws: `CacheError` with `notFound` if there is no such asset, or `storage`.
    public func setMarks(_ marks: AssetMarks, of id: AssetID) async throws -> Asset {
        _ = try await requireAsset(id)
        let now = store.now
        try await change(id) { asset in
            if let watched = marks.watched { asset.watched = watched ? asset.watched ?? now : nil }
            if let position = marks.position { asset.notePosition(position, of: marks.duration, at: now) }
            if let tags = marks.tags { asset.tags = AssetMarks.normalized(tags) }
        }
        return try await requireAsset(id)
    }

    func removeDownload(of id: AssetID) async throws { try await change(id) { $0.download = nil } }

    private func change(_ id: AssetID, _ change: (inout Asset) -> Void) async throws {
        try await changes.runUncancelled {
            guard let asset = try await load()[id] else { return }
            var changed = asset
            change(&changed)
            if changed != asset { _ = try await put(changed) }
        }
    }

    /// Returns an asset's contents; nil if they haven't been determined yet, or the asset doesn't exist.
    ///
    /// - Throws: `CacheError` with `storage`, also if the file of the contents is damaged.
    public func contents(of id: AssetID) async throws -> AssetContents? {
        guard try await load()[id] != nil, let bytes = try await folder.contents(of: id.rawValue + Self.contentsSuffix)
        else { return nil }
        // Decoding may take a while, so it doesn't run on this actor.
        return try await BlockingOperation.run { try AssetContents(encoded: bytes) }
    }

    /// Returns a number that changes whenever the contents of an asset change, meaningful only for this instance.
    package func contentsVersion(of id: AssetID) -> Int { contentsVersions[id, default: 0] }

    /// Stores an asset's contents. Does nothing if the asset has been removed.
    func setContents(_ contents: AssetContents, of id: AssetID) async throws {
        let bytes = try contents.encoded()
        try await changes.runUncancelled {
            guard try await load()[id] != nil else { return }
            try await folder.write(bytes, to: id.rawValue + Self.contentsSuffix)
            contentsVersions[id, default: 0] += 1
        }
    }

    /// Removes an asset's contents, so that they're determined again.
    func removeContents(of id: AssetID) async throws {
        try await changes.runUncancelled {
            try await folder.remove(id.rawValue + Self.contentsSuffix)
            contentsVersions[id, default: 0] += 1
        }
    }

    /// Removes an asset, its cover and its contents, if the asset exists. Its cached resources remain.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func remove(_ id: AssetID) async throws {
        try await changes.runUncancelled {
            guard let asset = try await load()[id] else { return }
            known?[id] = nil
            do {
                try await willRemove?(id)
                try await folder.remove(id.rawValue + Self.recordSuffix)
            } catch {
                known?[id] = asset
                throw error
            }
            identifiers[asset.key] = nil
            hub.send(.removed(id))
            try await folder.remove(id.rawValue + Self.coverSuffix)
            try await folder.remove(id.rawValue + Self.contentsSuffix)
        }
    }

    /// Removes the assets whose entries have one of the given cache keys.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func remove(withKeys keys: Set<String>) async throws {
        for asset in try await load().values where keys.contains(asset.key) { try await remove(asset.id) }
    }

    // MARK: - Covers

    /// Returns the cover of an asset; nil if the asset has none or doesn't exist.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func cover(of id: AssetID) async throws -> Cover? {
        guard let note = try await load()[id]?.cover,
            let bytes = try await folder.contents(of: id.rawValue + Self.coverSuffix), !bytes.isEmpty
        else { return nil }
        return Cover(bytes: bytes, mediaType: note.mediaType)
    }

    /// Sets or replaces the cover of an asset.
    ///
    /// - Returns: The changed asset.
    /// - Throws: `CacheError` with `notFound` if there is no such asset, or `storage`.
    public func setCover(_ cover: Cover, of id: AssetID) async throws -> Asset {
        try await changes.runUncancelled { try await put(cover, of: try await requireAsset(id)) }
    }

    /// Sets the cover of an asset that has none. Does nothing if it has one, or the asset has been removed.
    package func setFirstCover(_ cover: Cover, of id: AssetID) async throws {
        try await changes.runUncancelled {
            guard let asset = try await load()[id], asset.cover == nil else { return }
            _ = try await put(cover, of: asset)
        }
    }

    private func put(_ cover: Cover, of asset: Asset) async throws -> Asset {
        var asset = asset
        // The image is written first, so that after a crash the record never refers to a missing image.
        try await folder.write(cover.bytes, to: asset.id.rawValue + Self.coverSuffix)
        asset.cover = Asset.CoverNote(mediaType: cover.mediaType, size: cover.bytes.count, changed: store.now)
        return try await put(asset)
    }

    /// Removes the cover of an asset, if it has one.
    ///
    /// - Returns: The changed asset.
    /// - Throws: `CacheError` with `notFound` if there is no such asset, or `storage`.
    @discardableResult
    public func removeCover(of id: AssetID) async throws -> Asset {
        try await changes.runUncancelled {
            var asset = try await requireAsset(id)
            asset.cover = nil
            let changed = try await put(asset)
            try await folder.remove(id.rawValue + Self.coverSuffix)
            return changed
        }
    }

    /// Removes all covers.
    ///
    /// - Returns: The number of removed covers and their size.
    /// - Throws: `CacheError` with `storage`.
    public func removeCovers() async throws -> CoverUsage {
        let usage = try await coverUsage()
        for asset in try await load().values where asset.cover != nil {
            // The asset may have been removed in the meantime.
            guard try await self.asset(asset.id) != nil else { continue }
            try await removeCover(of: asset.id)
        }
        return usage
    }

    /// Returns the number of covers and their size.
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
        identifiers[asset.key] = asset.id
        if let before {
            if before.differsVisibly(from: asset) { hub.send(.changed(asset.id)) }
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
        // If several callers wait, the first one sets `known`, which may have changed by the time the others continue.
        if known == nil {
            known = read
            identifiers = Dictionary(read.values.map { ($0.key, $0.id) }) { first, _ in first }
        }
        return known ?? read
    }

    private static func read(_ folder: SideFolder) async throws -> [AssetID: Asset] {
        var assets: [AssetID: Asset] = [:]
        for name in try await folder.names() where name.hasSuffix(recordSuffix) {
            // A file that can't be read may have been written by another version, so it isn't removed.
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
    /// Returns whether a field differs whose changes ``AssetEvent/changed(_:)`` reports.
    fileprivate func differsVisibly(from other: Asset) -> Bool {
        title != other.title || cover != other.cover || kind != other.kind || duration != other.duration
            || metadata != other.metadata || position != other.position || watched != other.watched
            || tags != other.tags
    }
}

/// A change to the assets of a store. Changes to downloads are reported by ``DownloadEvent``.
public enum AssetEvent: Sendable, Hashable {
    /// An asset was added.
    case added(AssetID)
    /// The title, cover, kind, duration, metadata or marks of an asset changed.
    case changed(AssetID)
    /// An asset was removed.
    case removed(AssetID)
    /// Events were dropped because they weren't read in time.
    case dropped(count: Int)
}
