import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `POST /api/v1/probe`: probes a URL, so that a client can choose what to download. The method is `POST` because it
/// causes origin requests and the body may contain secret header fields.
struct ProbeRoute: Route {
    let paths = ["/api/v1/probe"]
    let access = RouteAccess.key
    let store: CacheStore
    let assetStore: AssetStore
    let loader: PlaylistLoader
    let profiles: HeaderProfileStore

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard request.method == .post else { throw request.methodNotAllowed(.post) }
        let body = try request.decode(ProbeRequest.self)
        let url = try ResourceURL(body.url)
        let fields = try HTTPFields(requested: body.headers ?? [:])
        let identity = try await profiles.identity(for: url, in: store)
        let probe = try await MediaProber(store: store, loader: loader).probe(
            url.withoutUserInfo, settings: profiles.settings(for: url, as: identity, fields: fields),
            selection: try StreamSelection(body))
        let asset = try await assetStore.assets().first { $0.url == probe.url }
        return try .json(
            ProbeRecord(probe, title: asset?.title ?? AssetTitle.title(for: url), asset: asset?.id.rawValue))
    }
}
