import HTTPTypes
import MediaCacheAPI

/// A route whose answers are media: read by ranges, under conditions, at the pace of who reads.
protocol MediaRoute: Route {
    /// What opens readers for a request.
    ///
    /// - Throws: ``Problem`` for a request that means nothing here.
    func opener(for request: RouteRequest) throws -> any ReaderOpener
}

extension MediaRoute {
    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int { 0 }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        throw Problem.notFound("there is nothing at this path")
    }
}
