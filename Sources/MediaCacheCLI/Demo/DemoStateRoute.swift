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
    /// The clip's URL at the origin.
    var clipURL: String
    /// The clip's length in bytes.
    var clipLength: Int64
    /// The number of body bytes that the origin has sent since the start.
    var originBytesSent: Int64
    /// The number of requests for the clip since the start.
    var originRequests: Int
}
