import HTTPTypes

/// `GET /healthz`: a check that the server responds. It requires no key and reveals nothing else.
struct HealthRoute: Route {
    let paths = ["/healthz"]
    let access = RouteAccess.open

    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int { 0 }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        try request.requireRead()
        var response = RouteResponse(contentType: "text/plain; charset=utf-8", text: "ok\n")
        response.headerFields[.cacheControl] = "no-store"
        return response
    }
}
