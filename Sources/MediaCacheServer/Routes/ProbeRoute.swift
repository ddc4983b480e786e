import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `POST /api/v1/probe`: what a URL is, for who is to choose what to download of it. By `POST`, since the origin is asked,
/// and header fields for it may be secrets.
struct ProbeRoute: Route {
    let paths = ["/api/v1/probe"]
    let access = RouteAccess.key
    let store: CacheStore
    let shelf: AssetShelf
    let loader: PlaylistLoader
    let profiles: HeaderProfileBook

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard request.method == .post else { throw request.methodNotAllowed(.post) }
        let wanted = try request.decode(ProbeRequest.self)
        let url = try ResourceURL(wanted.url)
        let fields = try HTTPFields(asked: wanted.headers ?? [:])
        let identity = try await profiles.identity(for: url, in: store)
        let probe = try await MediaProber(store: store, loader: loader).probe(
            url.withoutUserInfo, settings: profiles.settings(for: url, as: identity, fields: fields))
        let asset = try await shelf.assets().first { $0.url == probe.url }
        return try .json(
            ProbeRecord(probe, title: asset?.title ?? AssetTitle.title(for: url), asset: asset?.id.rawValue))
    }
}
