import HTTPTypes
import MediaCache

/// `/api/v1/gets`: keeping whole resources, as jobs.
struct GetsRoute: Route {
    static let path = "/api/v1/gets"

    let paths = [GetsRoute.path, GetsRoute.path + "/"]
    let access = RouteAccess.key
    let jobs: GetJobs

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/")
        switch (parts.count, request.method) {
        case (0, .post):
            let wanted = try request.decode(GetRequest.self)
            let url = try ResourceURL(wanted.url)
            let fields = try HTTPFields(named: wanted.headers ?? [:])
            return try .json(GetReference(id: try await jobs.start(url, fields: fields)), status: 202)
        case (1, .get), (1, .head):
            let wait = request.queryItem("wait").flatMap(Int.init) ?? 0
            return try .json(
                try await jobs.status(of: String(parts[0]), waiting: .milliseconds(max(0, min(wait, 10_000)))))
        case (1, .delete):
            let status = try await jobs.status(of: String(parts[0]), waiting: .zero)
            jobs.stop(status.id)
            return try .json(status)
        case (0, _), (1, _):
            throw Problem.methodNotAllowed(request.method.rawValue)
        default:
            throw Problem.notFound("there is nothing at this path")
        }
    }
}
