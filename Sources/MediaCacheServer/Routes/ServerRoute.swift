import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI

/// `GET /api/v1/server`: the running server. `GET /api/v1/throughput`: the recent throughput from origins. `GET
/// /api/v1/urls?url=`: the play URL of a URL. `PUT /api/v1/header-profiles`: sets the header fields and the user of
/// requests to an origin.
struct ServerRoute: Route {
    let paths = ["/api/v1/server", "/api/v1/throughput", "/api/v1/urls", "/api/v1/header-profiles"]
    let access = RouteAccess.key
    let store: CacheStore
    let profiles: HeaderProfileStore
    let urls: ServerURLs
    let cacheFolder: String?

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        switch (request.path, request.method) {
        case ("/api/v1/server", .get), ("/api/v1/server", .head):
            let own = urls.addresses.urls
            let network = urls.addresses.urls(in: await NetworkAddress.all()).filter { !own.contains($0) }
            return try .json(
                ServerInfo(
                    version: CacheServer.version, pid: ProcessInfo.processInfo.processIdentifier,
                    addresses: own + network, cacheFolder: cacheFolder))
        case ("/api/v1/throughput", .get), ("/api/v1/throughput", .head):
            return try .json(ThroughputRecord(total: store.throughput, origins: store.throughputByOrigin))
        case ("/api/v1/urls", .get), ("/api/v1/urls", .head):
            guard let text = request.queryItem("url") else { throw Problem.badRequest("the query item url is missing") }
            let url = try ResourceURL(text)
            let options = PlayOptions(identity: try await profiles.identity(for: url, in: store))
            return try .json(PlayLink(playURL: try urls.playURL(for: url, options: options)))
        case ("/api/v1/header-profiles", .put):
            try setProfile(try request.decode(HeaderProfileUpdate.self))
            return RouteResponse(status: 204)
        case ("/api/v1/header-profiles", _): throw request.methodNotAllowed(.put)
        default: throw request.methodNotAllowed(.get)
        }
    }

    private func setProfile(_ update: HeaderProfileUpdate) throws {
        let origin = try ResourceURL(update.origin)
        guard !update.headers.isEmpty else { return profiles.set(nil, for: origin) }
        let fields = try HTTPFields(requested: update.headers)
        let identity = update.identity.map(ProfileIdentity.init(user:))
        profiles.set(HeaderProfiles.Profile(fields: fields, identity: identity), for: origin)
    }
}

extension HTTPFields {
    /// Creates header fields from a request's JSON object.
    ///
    /// - Throws: ``Problem`` for an invalid name or value.
    init(requested headers: [String: String]) throws {
        do {
            try self.init(named: headers)
        } catch {
            throw Problem.badRequest(error.message)
        }
    }
}
