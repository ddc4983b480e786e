import MediaCacheAPI
import MediaCacheServer

/// The state that the demo's page shows, at `/demo/state`. Like the API, it requires the key.
struct DemoStateRoute: Route {
    let paths = ["/demo/state"]
    let access = RouteAccess.key
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

/// The JSON of `/demo/state`.
struct DemoState: Codable, Sendable, Hashable {
    var clipURL: String
    var clipLength: Int64
    var originBytesSent: Int64
    var originRequests: Int
}
