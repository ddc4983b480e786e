import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/resources`: `GET` and `DELETE` for all cached resources or for one; `PUT` and `DELETE` for its `pin`.
struct ResourcesRoute: Route {
    static let path = "/api/v1/resources"

    let paths = [ResourcesRoute.path, ResourcesRoute.path + "/"]
    let access = RouteAccess.key
    let store: CacheStore
    let assetStore: AssetStore
    let downloads: Downloads?

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: try store.requireReadableFolder()
        default: try store.requireWritableFolder()
        }
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/")
        switch parts.count {
        case 0: return try await respondForAll(request)
        case 1: return try await respondForOne(request, id: try Self.id(parts[0]))
        case 2 where parts[1] == "pin": return try await respondForPin(request, id: try Self.id(parts[0]))
        default: throw Problem.unknownPath
        }
    }

    private func respondForAll(_ request: RouteRequest) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: return try await read(request)
        case .delete:
            let pinned = try request.flag("pinned")
            let keys = Set(try await store.resources().filter { pinned || !$0.isPinned }.map(\.key))
            return try await removed(
                try await store.removeAll(includingPinned: pinned), withKeys: keys, sparingDownloads: !pinned)
        default: throw request.methodNotAllowed(.get, .delete)
        }
    }

    private func read(_ request: RouteRequest) async throws -> RouteResponse {
        let pageRequest = try PageRequest(request)
        let isIncluded = try Self.filter(request.queryItem("state"))
        // `file` applies to a single resource, but an invalid value is refused for lists as well.
        _ = try request.flag("file")
        if let text = request.queryItem("url") {
            let url = try ResourceURL(text)
            guard let info = try await store.resource(for: url) else { throw Problem.notFound("\(url) isn't cached") }
            return try .json(try await record(of: info, request))
        }
        let page = try Page(try await store.resources().filter(isIncluded), of: pageRequest) {
            SortKey(-$0.lastUsed.timeIntervalSinceReferenceDate, -$0.id)
        }
        return try .json(ResourceList(resources: page.items.map { ResourceRecord($0) }, next: page.next), of: request)
    }

    private static func filter(_ state: String?) throws -> (ResourceInfo) -> Bool {
        switch state {
        case nil: { _ in true }
        case "complete": { $0.isComplete }
        case "partial": { !$0.isComplete }
        case .some(let other): throw Problem.badRequest("state must be complete or partial, not “\(other)”")
        }
    }

    private func respondForOne(_ request: RouteRequest, id: Int64) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: return try .json(try await record(of: try await info(id), request))
        case .delete:
            let info = try await info(id)
            // Without this check, an asset could lose a part and still be reported as complete.
            if try !request.flag("pinned"), info.isPinned, try await assetStore.asset(of: info) == nil {
                throw Problem.conflict(
                    "\(info.url) is pinned and may belong to a download or a recording; remove that, or repeat the request "
                        + "with pinned=true")
            }
            return try await removed([try await store.remove(id: id)], withKeys: [info.key])
        default: throw request.methodNotAllowed(.get, .delete)
        }
    }

    /// Removes the assets of removed resources, and returns a response that lists the removals.
    ///
    /// - Parameter sparingDownloads: Whether assets with downloads remain.
    private func removed(
        _ removals: [Removal], withKeys keys: Set<String>, sparingDownloads: Bool = false
    ) async throws -> RouteResponse {
        if let downloads {
            try await downloads.removeAssets(withKeys: keys, sparingDownloads: sparingDownloads)
        } else {
            try await assetStore.remove(withKeys: keys)
        }
        return try .json(RemovalList(removed: removals))
    }

    private func respondForPin(_ request: RouteRequest, id: Int64) async throws -> RouteResponse {
        switch request.method {
        case .put: try await store.setPinned(true, id: id)
        case .delete: try await store.setPinned(false, id: id)
        default: throw request.methodNotAllowed(.put, .delete)
        }
        return try .json(ResourceRecord(try await info(id)))
    }

    private func info(_ id: Int64) async throws -> ResourceInfo {
        guard let info = try await store.resource(id: id) else {
            throw Problem.notFound("there is no cached resource with the ID \(id)")
        }
        return info
    }

    /// Returns the record of a resource. For a playlist, it includes the state of the stream. For a complete resource,
    /// it includes the path of its file if the request has `file=true`.
    ///
    /// Creating the path may add a second link to the blob. From then on, it can only be evicted as a whole. The file
    /// isn't held after the response, because the server doesn't know how long the client uses the path. Clients can
    /// pin the resource instead.
    private func record(of info: ResourceInfo, _ request: RouteRequest) async throws -> ResourceRecord {
        var record = ResourceRecord(info)
        if MediaType.isPlaylist(record.type) {
            record.stream = try await StreamStatus(of: ResourceURL(record.url), as: info.identity, in: store)
        }
        guard try request.flag("file"), record.complete else { return record }
        record.localFile = try await store.localFile(id: info.id)?.path
        return record
    }

    static func id(_ text: Substring) throws -> Int64 {
        guard let id = Int64(text) else {
            throw Problem.notFound("there is no resource “\(text)”; IDs of resources are numbers")
        }
        return id
    }
}
