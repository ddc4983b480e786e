import HTTPTypes
import MediaCache
import MediaCacheAPI

/// `/api/v1/settings/downloads`: `GET`, `PUT` and `PATCH` for the limits and conditions of downloads.
struct DownloadSettingsRoute: Route {
    let paths = ["/api/v1/settings/downloads"]
    let access = RouteAccess.key
    let store: CacheStore
    let settings: DownloadSettingsStore?

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard let settings else {
            try store.requireWritableFolder()
            throw Problem.downloadsDisabled
        }
        switch request.method {
        case .get, .head: break
        case .put, .patch:
            try await settings.change(
                try request.decode(DownloadSettingsUpdate.self), isReplacement: request.method == .put)
        default: throw request.methodNotAllowed(.get, .put, .patch)
        }
        return try .json(await settings.current)
    }
}
