import MediaCache
import MediaCacheServer

/// `/demo/state`: what the page has to know besides the API, for who has the key.
struct DemoStateRoute: Route {
    let paths = ["/demo/state"]
    let access = RouteAccess.key
    /// The origin that counts.
    let origin: DemoOrigin
    /// Where the cache's key lies. It may be replaced while the server runs.
    let location: CacheLocation

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard let key = try AccessKeyFile(location: location).load() else {
            throw Problem(title: "No key", status: 500, detail: "the cache folder has no key", code: "noKey")
        }
        let counts = origin.counts
        return try .json(
            DemoState(
                clipURL: origin.clipURL,
                playURL: PlayTarget.path(for: try ResourceURL(origin.clipURL), key: key.value),
                clipLength: origin.clipLength,
                originBytesSent: counts.bytesSent,
                originRequests: counts.requests))
    }
}
