import HTTPTypes
import MediaCache
import MediaCacheAPI

/// `/api/v1/settings/downloads`: how many downloads run, and under which conditions.
struct DownloadSettingsRoute: Route {
    let paths = ["/api/v1/settings/downloads"]
    let access = RouteAccess.key
    let store: CacheStore
    /// Nil where the folder can't be written.
    let keeper: DownloadSettingsKeeper?

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard let keeper else {
            try store.requireWritableFolder()
            throw CacheError(.storage, "nothing is downloaded here: the cache folder couldn't be written")
        }
        switch request.method {
        case .get, .head: break
        case .put, .patch:
            try await keeper.change(
                try request.decode(DownloadSettingsUpdate.self), isWhole: request.method == .put)
        default: throw request.methodNotAllowed(.get, .put, .patch)
        }
        return try .json(await keeper.settings)
    }
}
