import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/items`: `GET` for the items that other devices can play. The page without the key reads it, with the library token
/// before the path. It refers only to `/library` and `/live`, and contains no URL of an origin.
struct ItemsRoute: Route {
    static let path = "/items"

    let paths = [ItemsRoute.path]
    let access = RouteAccess.library
    let assets: AssetsRoute
    let contents: AssetContentsCache

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        try request.requireRead()
        try assets.store.requireReadableFolder()
        let pageRequest = try PageRequest(request)
        var items: [PlayableItem] = []
        for record in try await assets.records(of: try await assets.assetStore.assets()) {
            guard let item = PlayableItem(record), await isPlayable(record) else { continue }
            items.append(item)
        }
        items += await channels()
        items.sort { Self.key(of: $0) < Self.key(of: $1) }
        let page = try Page(items, of: pageRequest, by: Self.key)
        return try .json(PlayableItemList(items: page.items, next: page.next), of: request)
    }

    private static func key(of item: PlayableItem) -> SortKey<Double, String> {
        SortKey(-item.created.timeIntervalSinceReferenceDate, "\(item.kind.rawValue) \(item.id)")
    }

    /// Returns whether `/library` serves an asset. Without a download, it must have been analyzed.
    private func isPlayable(_ record: AssetRecord) async -> Bool {
        guard record.state == nil else { return true }
        guard let id = AssetID(rawValue: record.id), (try? await contents.index(of: id)) != nil else { return false }
        // No origin is contacted for such an asset.
        return record.kind == .stream || (record.isLengthExact && record.bytes == record.length)
    }

    /// Returns the channels with recorded data. A recording that has ended is an asset.
    private func channels() async -> [PlayableItem] {
        let statuses = await assets.recordings?.statuses() ?? []
        return statuses.map { ChannelRecord($0, base: "") }
            .filter { $0.state != .ended && !$0.recordedRanges.isEmpty }
            .map { PlayableItem($0) }
    }
}
