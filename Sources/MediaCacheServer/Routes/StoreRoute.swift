import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Operations on the whole store: `POST /api/v1/prune`, `POST /api/v1/verify` and `GET /api/v1/usage`.
struct StoreRoute: Route {
    let paths = ["/api/v1/prune", "/api/v1/verify", "/api/v1/usage"]
    let access = RouteAccess.key
    let store: CacheStore
    let assetStore: AssetStore
    let profiles: HeaderProfileStore

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        switch (request.path, request.method) {
        case ("/api/v1/prune", .post):
            try store.requireWritableFolder()
            return try .json(PruneReport(bytesFreed: try await store.prune()))
        case ("/api/v1/verify", .post):
            let options = request.body.isEmpty ? VerifyRequest() : try request.decode(VerifyRequest.self)
            try options.repair ? store.requireWritableFolder() : store.requireReadableFolder()
            let report = try await store.verify(repair: options.repair) { profiles.settings(for: $0, as: $1) }
            return try .json(report)
        case ("/api/v1/usage", .get), ("/api/v1/usage", .head):
            try store.requireReadableFolder()
            return try .json(UsageRecord(try await store.usage(), covers: try await assetStore.coverUsage()))
        case ("/api/v1/usage", _): throw request.methodNotAllowed(.get)
        default: throw request.methodNotAllowed(.post)
        }
    }
}
