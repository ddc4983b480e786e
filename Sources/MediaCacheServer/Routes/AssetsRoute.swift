import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/assets`: `GET` and `POST` for the list; `GET`, `PATCH` and `DELETE` for an asset; `GET`, `PUT` and `DELETE`
/// for its `cover`. `DELETE /api/v1/covers` removes all covers.
struct AssetsRoute: Route {
    static let path = "/api/v1/assets"
    private static let coversPath = "/api/v1/covers"

    let paths = [AssetsRoute.path, AssetsRoute.path + "/", AssetsRoute.coversPath]
    let access = RouteAccess.key
    let store: CacheStore
    let assetStore: AssetStore
    let downloads: Downloads?
    let recordings: Recordings?
    let metadataReader: MetadataReader
    let urls: ServerURLs

    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int {
        switch method {
        case .get, .head: 0
        case .put where path.hasSuffix("/cover"): limits.maximumImageBytes
        default: limits.maximumBodyBytes
        }
    }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: try store.requireReadableFolder()
        default: try store.requireWritableFolder()
        }
        if request.path == Self.coversPath {
            guard request.method == .delete else { throw request.methodNotAllowed(.delete) }
            return try .json(try await assetStore.removeCovers())
        }
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/")
        switch parts.count {
        case 0: return try await respondForAll(request)
        case 1: return try await respondForOne(request, try AssetID(pathPart: parts[0]))
        case 2 where parts[1] == "cover": return try await respondForCover(request, try AssetID(pathPart: parts[0]))
        default: throw Problem.unknownPath
        }
    }

    private func respondForAll(_ request: RouteRequest) async throws -> RouteResponse {
        switch request.method {
        case .get, .head:
            let pageRequest = try PageRequest(request)
            if let text = request.queryItem("url") {
                let resource = try await resource(for: text)
                guard let asset = try await assetStore.asset(of: resource) else {
                    throw Problem.notFound(
                        "\(resource.url) is cached but isn't an asset; POST its URL to this path to add it")
                }
                return try .json(try await record(asset))
            }
            var assets = try await assetStore.assets()
            if let tag = request.queryItem("tag") { assets = assets.filter { $0.tags?.contains(tag) ?? false } }
            let page = try Page(assets, of: pageRequest) {
                SortKey(-$0.created.timeIntervalSinceReferenceDate, $0.id.rawValue)
            }
            return try .json(AssetList(assets: try await records(of: page.items), next: page.next), of: request)
        case .post:
            let resource = try await resource(for: try request.decode(AssetRequest.self).url)
            let exists = try await assetStore.asset(of: resource) != nil
            let asset = try await assetStore.add(resource)
            // Metadata that can't be read doesn't affect the asset.
            if !exists { try? await metadataReader.read(asset) }
            return try .json(try await record(try await assetStore.requireAsset(asset.id)), status: exists ? 200 : 201)
        default: throw request.methodNotAllowed(.get, .post)
        }
    }

    private func respondForOne(_ request: RouteRequest, _ id: AssetID) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: break
        case .patch:
            let update = try request.decode(AssetUpdate.self)
            try Bounds.check(title: update.title)
            try Bounds.check(update.position, Bounds.seconds, "position")
            try Bounds.check(update.duration, Bounds.seconds, "duration")
            try Bounds.check(update.tags?.count, 0...AssetMarks.maximumTags, "the number of tags")
            let marks = AssetMarks(
                position: update.position, duration: update.duration, watched: update.watched, tags: update.tags)
            if marks != AssetMarks(duration: update.duration) { _ = try await assetStore.setMarks(marks, of: id) }
            if let title = update.title { try await requireDownloads().setTitle(title, of: id) }
        case .delete:
            let asset = try await assetStore.requireAsset(id)
            try await requireDownloads().removeAsset(id)
            try await recordings?.assetRemoved(asset)
            return RouteResponse(status: 204)
        default: throw request.methodNotAllowed(.get, .patch, .delete)
        }
        return try .json(try await record(try await assetStore.requireAsset(id)))
    }

    private func requireDownloads() throws -> Downloads {
        if let downloads { return downloads }
        throw Problem.downloadsDisabled
    }

    private func respondForCover(_ request: RouteRequest, _ id: AssetID) async throws -> RouteResponse {
        switch request.method {
        case .get, .head:
            guard let cover = try await assetStore.cover(of: try await assetStore.requireAsset(id).id) else {
                throw Problem.notFound("the asset \(id) has no cover")
            }
            return RouteResponse(headerFields: PlayHeaders.fields(of: cover), body: .bytes(cover.bytes))
        case .put:
            guard request.body.count <= Cover.largest, let cover = Cover(recognizing: request.body) else {
                throw Problem(
                    title: "Not an image", status: 415,
                    detail: "the body isn't an image; send JPEG, PNG, GIF, WebP, AVIF or HEIC", code: "notAnImage")
            }
            return try .json(try await record(try await assetStore.setCover(cover, of: id)))
        case .delete: return try .json(try await record(try await assetStore.removeCover(of: id)))
        default: throw request.methodNotAllowed(.get, .put, .delete)
        }
    }

    func records(of assets: [Asset]) async throws -> [AssetRecord] {
        let statuses = Dictionary(uniqueKeysWithValues: await downloads?.statuses().map { ($0.asset.id, $0) } ?? [])
        var files: [String: ResourceInfo] = [:]
        // Assets without a download are described by their cached resource.
        if assets.contains(where: { statuses[$0.id] == nil }) {
            files = Dictionary(try await store.resources().map { ($0.key, $0) }) { first, _ in first }
        }
        return try assets.map {
            AssetRecord($0, statuses[$0.id], file: files[$0.key], libraryURL: try urls.libraryURL(of: $0.id))
        }
    }

    private func record(_ asset: Asset) async throws -> AssetRecord {
        let status = await downloads?.status(of: asset.id)
        let file = status == nil ? try await store.resource(key: asset.key) : nil
        return AssetRecord(asset, status, file: file, libraryURL: try urls.libraryURL(of: asset.id))
    }

    private func resource(for text: String) async throws -> ResourceInfo {
        let url = try ResourceURL(text)
        guard let info = try await store.resource(for: url) else {
            throw Problem.notFound("\(url) isn't cached; play or download it first")
        }
        return info
    }
}
