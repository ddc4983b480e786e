import HTTPTypes
import MediaCache
import MediaLibrary

/// `GET /api/v1/storage`: what uses how much, how much may be kept, and what would be given up next.
struct StorageRoute: Route {
    /// How many of what takes the most are told.
    private static let itemCount = 200
    /// How many of what would go next are told.
    private static let candidateCount = 20

    let paths = ["/api/v1/storage"]
    let access = RouteAccess.key
    let store: CacheStore
    let shelf: AssetShelf
    /// Nil where the folder can't be written.
    let downloads: Downloads?
    /// Nil likewise.
    let recordings: Recordings?

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard request.method == .get || request.method == .head else {
            throw request.methodNotAllowed(.get)
        }
        try store.requireReadableFolder()
        let candidates = try await store.nextToGo(atMost: Self.candidateCount).map { info in
            StorageRecord.Candidate(id: info.id, url: info.url, bytes: info.bytesKept, lastUsed: info.lastUsed)
        }
        let items = try await items().sorted { ($0.bytes, $1.id) > ($1.bytes, $0.id) }
        return try .json(
            StorageRecord(
                usage: UsageRecord(try await store.usage(), covers: try await shelf.coverUsage()),
                limits: StorageRecord.Limits(store.limits), items: Array(items.prefix(Self.itemCount)),
                evictedNext: candidates))
    }

    private func items() async throws -> [StorageRecord.Item] {
        let resources = try await store.resources()
        let assets = try await assets(resources)
        let channels = try await channels()
        let known = Set(assets.map(\.key))
        // What is downloaded or recorded is pinned; the rest was only played.
        let played = resources.filter { !$0.isPinned && !known.contains($0.key) }
        return assets.map(\.item) + channels + Self.folders(of: played)
    }

    private func assets(_ resources: [ResourceInfo]) async throws -> [(key: String, item: StorageRecord.Item)] {
        let statuses = Dictionary(
            await downloads?.statuses().map { ($0.asset.id, $0) } ?? [], uniquingKeysWith: { first, _ in first })
        let files = Dictionary(resources.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        return try await shelf.assets().map { asset in
            let bytes = statuses[asset.id]?.progress.bytes ?? files[asset.key]?.bytesKept ?? 0
            let item = StorageRecord.Item(
                kind: .asset, id: asset.id.rawValue, title: asset.title ?? asset.url, bytes: bytes,
                pinned: asset.download != nil)
            return (asset.key, item)
        }
    }

    private func channels() async throws -> [StorageRecord.Item] {
        try await recordings?.statuses().map { status in
            let name = status.channel.name.rawValue
            return StorageRecord.Item(kind: .channel, id: name, title: name, bytes: status.bytes, pinned: true)
        } ?? []
    }

    /// By the folder that a URL's path names, since a stream's segments say little one by one.
    private static func folders(of resources: [ResourceInfo]) -> [StorageRecord.Item] {
        let folders = Dictionary(grouping: resources) { info in
            let path = info.url.prefix { $0 != "?" }
            return String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
        }
        return folders.map { folder, infos in
            let bytes = infos.reduce(0) { $0 + $1.bytesKept }
            guard infos.count == 1, let only = infos.first else {
                return StorageRecord.Item(
                    kind: .folder, id: folder, title: folder, bytes: bytes, pinned: false, count: infos.count)
            }
            return StorageRecord.Item(kind: .resource, id: "\(only.id)", title: only.url, bytes: bytes, pinned: false)
        }
    }
}
