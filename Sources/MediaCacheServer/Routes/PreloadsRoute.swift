import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/preloads`: `GET` and `POST` for the list; `GET`, `PUT` and `DELETE` for a preload.
struct PreloadsRoute: Route {
    private static let path = "/api/v1/preloads"

    let paths = [PreloadsRoute.path, PreloadsRoute.path + "/"]
    let access = RouteAccess.key
    let store: CacheStore
    let preloads: PreloadStore
    let profiles: HeaderProfileStore

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/")
        switch (parts.count, request.method) {
        case (0, .get), (0, .head):
            let page = try Page(await preloads.records(), of: PageRequest(request)) {
                SortKey($0.created.timeIntervalSinceReferenceDate, $0.id)
            }
            return try .json(PreloadList(preloads: page.items, next: page.next), of: request)
        case (0, .post):
            let body = try request.decode(PreloadRequest.self)
            let (urls, amount) = (try await urls(of: body), try Self.amount(of: body))
            let record = try await preloads.add(urls, amount, selection: try StreamSelection(body))
            return try .json(record, status: 201)
        case (0, _): throw request.methodNotAllowed(.get, .post)
        case (1, _): return try await respondForOne(request, try AssetID(pathPart: parts[0]))
        default: throw Problem.unknownPath
        }
    }

    private func respondForOne(_ request: RouteRequest, _ id: AssetID) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: break
        case .put:
            let body = try request.decode(PreloadRequest.self)
            let (urls, amount) = (try await urls(of: body), try Self.amount(of: body))
            try await preloads.change(id, to: urls, amount)
        case .delete:
            try await preloads.remove(id)
            return RouteResponse(status: 204)
        default: throw request.methodNotAllowed(.get, .put, .delete)
        }
        return try .json(try await preloads.record(id))
    }

    /// Returns the URLs of a request without duplicates. The server remembers user information in them.
    private func urls(of body: PreloadRequest) async throws -> [ResourceURL] {
        guard (1...PreloadRequest.maximumURLs).contains(body.urls.count) else {
            throw Problem.badRequest("urls must have 1 to \(PreloadRequest.maximumURLs) items")
        }
        var urls: [ResourceURL] = []
        for text in body.urls {
            let url = try ResourceURL(text)
            _ = try await profiles.identity(for: url, in: store)
            if !urls.contains(url) { urls.append(url) }
        }
        return urls
    }

    private static func amount(of body: PreloadRequest) throws -> PreloadAmount {
        try Bounds.check(body.seconds, Bounds.seconds, "seconds")
        try Bounds.check(body.bytes, Bounds.bytes, "bytes")
        try Bounds.check(body.segments, 0...1_000_000_000, "segments")
        switch (body.seconds, body.bytes, body.segments) {
        case (let seconds, nil, nil): return .seconds(seconds ?? 10)
        case (nil, let bytes?, nil): return .bytes(bytes)
        case (nil, nil, let segments?): return .segments(segments)
        default: throw Problem.badRequest("only one of seconds, bytes and segments can be set")
        }
    }
}

/// The preloads of a server. The oldest finished one is forgotten when there are too many.
actor PreloadStore {
    private static let maximumCount = 64

    private struct Entry {
        let id: AssetID
        let created: Date
        let preloader: Preloader
    }

    private let store: CacheStore
    private let loader: PlaylistLoader
    private let profiles: HeaderProfileStore
    private var entries: [Entry] = []

    init(store: CacheStore, loader: PlaylistLoader, profiles: HeaderProfileStore) {
        self.store = store
        self.loader = loader
        self.profiles = profiles
    }

    /// - Throws: ``Problem`` with status 409 if too many preloads are running.
    func add(
        _ urls: [ResourceURL], _ amount: PreloadAmount, selection: StreamSelection
    ) async throws -> PreloadRecord {
        // Other calls may add preloads in the meantime.
        while entries.count >= Self.maximumCount { try await forgetOldest() }
        let profiles = profiles
        let preloader = Preloader(store: store, loader: loader, selection: selection) { url in
            profiles.settings(for: url, as: url.credentials.map { profiles.remember($0, for: url) })
        }
        let entry = Entry(id: AssetID(), created: store.now, preloader: preloader)
        entries.append(entry)
        await preloader.rank(urls, amount: amount)
        return await record(entry)
    }

    private func forgetOldest() async throws {
        for entry in entries {
            guard await record(entry).isFinished else { continue }
            return entries.removeAll { $0.id == entry.id }
        }
        throw Problem.conflict("the limit of \(Self.maximumCount) running preloads is reached; remove one first")
    }

    func change(_ id: AssetID, to urls: [ResourceURL], _ amount: PreloadAmount) async throws {
        try await entry(id).preloader.rank(urls, amount: amount)
    }

    func remove(_ id: AssetID) async throws {
        let entry = try entry(id)
        entries.removeAll { $0.id == id }
        await entry.preloader.stop()
    }

    func record(_ id: AssetID) async throws -> PreloadRecord { await record(try entry(id)) }

    func records() async -> [PreloadRecord] {
        var records: [PreloadRecord] = []
        for entry in entries { records.append(await record(entry)) }
        return records
    }

    /// Stops all preloads.
    func stop() async {
        while let entry = entries.popLast() { await entry.preloader.stop() }
    }

    private func entry(_ id: AssetID) throws -> Entry {
        if let entry = entries.first(where: { $0.id == id }) { return entry }
        throw Problem.notFound(
            "there is no preload \(id); the server may have forgotten it, and /api/v1/preloads lists the others")
    }

    private func record(_ entry: Entry) async -> PreloadRecord {
        PreloadRecord(
            id: entry.id.rawValue, created: entry.created,
            items: await entry.preloader.statuses().map { PreloadRecord.Item($0) })
    }
}
