import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `GET /api/v1/storage`: the storage usage, the limits, the largest items, and the resources that would be evicted
/// next.
struct StorageRoute: Route {
    private static let itemCount = 200
    private static let candidateCount = 20

    let paths = ["/api/v1/storage"]
    let access = RouteAccess.key
    let store: CacheStore
    let assetStore: AssetStore
    let downloads: Downloads?
    let recordings: Recordings?

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        try request.requireRead()
        try store.requireReadableFolder()
        let candidates = try await store.evictionCandidates(atMost: Self.candidateCount).map { info in
            StorageRecord.Candidate(id: info.id, url: info.url, bytes: info.bytesCached, lastUsed: info.lastUsed)
        }
        let items = try await items().sorted { ($0.bytes, $1.id) > ($1.bytes, $0.id) }
        return try .json(
            StorageRecord(
                usage: UsageRecord(try await store.usage(), covers: try await assetStore.coverUsage()),
                limits: StorageRecord.Limits(store.limits), items: Array(items.prefix(Self.itemCount)),
                evictedNext: candidates))
    }

    private func items() async throws -> [StorageRecord.Item] {
        let assets = try await assetStore.assets()
        let keys = Set(assets.map(\.key))
        let resources = try await store.resources()
        let titles = try await PlayedTitles(store: store, assetStore: assetStore).all(among: resources)
        // A title includes all its resources. Pinned resources belong to no title.
        let bytes = Dictionary(
            resources.map { ($0.key, $0.bytesCached) } + titles.map { ($0.main.key, $0.bytesCached) },
            uniquingKeysWith: { _, last in last })
        let played = titles.filter { !keys.contains($0.main.key) }.map { title in
            let record = PlayedRecord(title)
            return StorageRecord.Item(
                kind: StorageRecord.Item.Kind(title.kind), id: "\(record.id)", title: record.url, bytes: record.bytes,
                pinned: false, count: record.count)
        }
        return try await items(of: assets, bytesCached: bytes) + channels() + played
    }

    /// - Parameter bytesCached: The cached bytes of assets without a download, by cache key.
    private func items(of assets: [Asset], bytesCached: [String: Int64]) async throws -> [StorageRecord.Item] {
        let statuses = Dictionary(
            await downloads?.statuses().map { ($0.asset.id, $0) } ?? [], uniquingKeysWith: { first, _ in first })
        return assets.map { asset in
            let bytes = statuses[asset.id]?.progress.bytes ?? bytesCached[asset.key] ?? 0
            return StorageRecord.Item(
                kind: .asset, id: asset.id.rawValue, title: asset.title ?? asset.url, bytes: bytes,
                pinned: asset.download != nil)
        }
    }

    private func channels() async -> [StorageRecord.Item] {
        await recordings?.statuses().map { status in
            let name = status.channel.name.rawValue
            return StorageRecord.Item(kind: .channel, id: name, title: name, bytes: status.bytes, pinned: true)
        } ?? []
    }
}
