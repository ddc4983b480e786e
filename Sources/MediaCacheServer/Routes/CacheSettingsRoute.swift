import HTTPTypes
import MediaCache
import MediaCacheAPI

/// `/api/v1/settings/cache`: `GET` and `PATCH` for the limits of the cache and of transfers.
struct CacheSettingsRoute: Route {
    let paths = ["/api/v1/settings/cache"]
    let access = RouteAccess.key
    let store: CacheStore
    let settings: CacheSettingsStore

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: break
        case .patch: try await settings.change(try request.decode(CacheSettingsUpdate.self))
        default: throw request.methodNotAllowed(.get, .patch)
        }
        return try .json(CacheSettings(store))
    }
}
