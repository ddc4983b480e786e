import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/played`: `GET` for the titles that were played and aren't in the library; `GET` and `DELETE` for a title. A
/// stream is one title that includes all its resources.
struct PlayedRoute: Route {
    static let path = "/api/v1/played"

    let paths = [PlayedRoute.path, PlayedRoute.path + "/"]
    let access = RouteAccess.key
    let store: CacheStore
    let assetStore: AssetStore

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/")
        switch (parts.count, request.method) {
        case (0, .get), (0, .head):
            try store.requireReadableFolder()
            let pageRequest = try PageRequest(request)
            let page = try Page(try await titles.all(), of: pageRequest) {
                SortKey(-$0.lastUsed.timeIntervalSinceReferenceDate, -$0.main.id)
            }
            return try .json(PlayedList(played: page.items.map { PlayedRecord($0) }, next: page.next), of: request)
        case (1, .get), (1, .head):
            try store.requireReadableFolder()
            return try .json(PlayedRecord(try await title(parts[0])))
        case (1, .delete):
            try store.requireWritableFolder()
            let keys = try await title(parts[0]).resources.map(\.key)
            return try .json(RemovalList(removed: try await store.remove(keys: keys)))
        case (0, _): throw request.methodNotAllowed(.get)
        case (1, _): throw request.methodNotAllowed(.get, .delete)
        default: throw Problem.unknownPath
        }
    }

    private var titles: PlayedTitles { PlayedTitles(store: store, assetStore: assetStore) }

    private func title(_ text: Substring) async throws -> PlayedTitle {
        let id = try ResourcesRoute.id(text)
        guard let title = try await titles.all().first(where: { $0.main.id == id }) else {
            throw Problem.notFound("there is no played title with the ID \(id); it may have been added to the library")
        }
        return title
    }
}
