import MediaCacheAPI
import MediaCacheServer

/// `/demo/state`: what the page needs besides the API. It wants the key, as the API does.
struct DemoStateRoute: Route {
    let paths = ["/demo/state"]
    let access = RouteAccess.key
    /// The origin that counts.
    let origin: DemoOrigin

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let counts = origin.counts
        return try .json(
            DemoState(
                clipURL: origin.clipURL,
                clipLength: origin.clipLength,
                originBytesSent: counts.bytesSent,
                originRequests: counts.requests))
    }
}
