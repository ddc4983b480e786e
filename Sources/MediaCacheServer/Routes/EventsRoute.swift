import HTTPTypes

/// `GET /api/v1/events`: a stream of server-sent events, which lasts until the client disconnects, the server stops or
/// the key is replaced.
struct EventsRoute: Route {
    static let contentType = "text/event-stream"

    let paths = ["/api/v1/events"]
    let access = RouteAccess.key
    let feeds: EventFeeds

    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int { 0 }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let fields: HTTPFields = [.contentType: Self.contentType, .cacheControl: "no-store"]
        switch request.method {
        case .get: return RouteResponse(headerFields: fields, body: .stream(try feeds.open().text()))
        case .head: return RouteResponse(headerFields: fields)
        default: throw request.methodNotAllowed(.get)
        }
    }
}
