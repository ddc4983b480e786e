import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/downloads`: `GET` and `POST` for the list; `GET`, `PATCH` and `DELETE` for a download, by its asset's ID;
/// `POST` to `pause` and `resume` for all downloads; `PUT` for their `order`.
struct DownloadsRoute: Route {
    static let path = "/api/v1/downloads"
    /// The maximum time that a response waits for a change, in milliseconds.
    private static let maximumWait = 10_000

    let paths = [DownloadsRoute.path, DownloadsRoute.path + "/"]
    let access = RouteAccess.key
    let store: CacheStore
    let downloads: Downloads?
    let profiles: HeaderProfileStore

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard let downloads else {
            try store.requireWritableFolder()
            throw Problem.downloadsDisabled
        }
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/")
        switch (parts.count, request.method) {
        case (0, .get), (0, .head):
            if let limit = try Self.wait(request) { await waitForChange(of: nil, downloads, within: limit) { true } }
            let page = try Page(await downloads.statuses(), of: PageRequest(request)) {
                SortKey(
                    ($0.asset.download?.added ?? $0.asset.created).timeIntervalSinceReferenceDate, $0.asset.id.rawValue)
            }
            return try .json(
                DownloadList(downloads: page.items.map { DownloadRecord($0, inFull: false) }, next: page.next),
                of: request)
        case (0, .post): return try await add(request, downloads)
        case (1, .put) where parts[0] == "order":
            let order = try request.decode(DownloadOrder.self)
            try await downloads.setOrder(try order.ids.map(Self.id))
            return try .json(await list(downloads))
        case (1, .post) where parts[0] == "pause":
            await downloads.pauseAll()
            return try .json(await list(downloads))
        case (1, .post) where parts[0] == "resume":
            await downloads.resumeAll()
            return try .json(await list(downloads))
        case (1, _) where parts[0] == "pause" || parts[0] == "resume": throw request.methodNotAllowed(.post)
        case (1, _) where parts[0] == "order": throw request.methodNotAllowed(.put)
        case (1, _): return try await respondForOne(request, downloads, try AssetID(pathPart: parts[0]))
        case (0, _): throw request.methodNotAllowed(.get, .post)
        default: throw Problem.unknownPath
        }
    }

    private static func id(_ text: String) throws -> AssetID {
        guard let id = AssetID(rawValue: text) else { throw Problem.badRequest("“\(text)” isn't the ID of an asset") }
        return id
    }

    private func list(_ downloads: Downloads) async -> DownloadList {
        DownloadList(downloads: await downloads.statuses().map { DownloadRecord($0, inFull: false) })
    }

    private func add(_ request: RouteRequest, _ downloads: Downloads) async throws -> RouteResponse {
        let addition = try request.decode(DownloadAddition.self)
        let url = try ResourceURL(addition.url)
        // Invalid fields are refused here rather than when they are sent.
        _ = try HTTPFields(requested: addition.headers ?? [:])
        try Bounds.check(title: addition.title)
        try Bounds.check(addition.priority, Bounds.priority, "priority")
        try Bounds.check(addition.seconds, Bounds.seconds, "seconds")
        let download = DownloadRequest(
            url: url, identity: try await profiles.identity(for: url, in: store), title: addition.title,
            selection: try StreamSelection(addition), headers: addition.headers ?? [:],
            priority: addition.priority ?? 0, startsPaused: addition.paused ?? false,
            followsFor: addition.seconds.map { .seconds($0) })
        let existing = Set(await downloads.statuses().map(\.asset.id))
        do {
            let asset = try await downloads.add(download)
            return try .json(try await record(asset.id, downloads), status: existing.contains(asset.id) ? 200 : 201)
        } catch let error as CacheError where error.code == .invalidSetting {
            // The selection of a stream with recorded media can't be changed.
            throw Problem.conflict(error.message)
        }
    }

    private func respondForOne(
        _ request: RouteRequest, _ downloads: Downloads, _ id: AssetID
    ) async throws -> RouteResponse {
        switch request.method {
        case .get, .head:
            if let limit = try Self.wait(request) {
                await waitForChange(of: id, downloads, within: limit) {
                    await downloads.status(of: id).map { !DownloadRecord($0, inFull: false).state.isEnded } ?? false
                }
            }
        case .patch:
            let update = try request.decode(DownloadUpdate.self)
            try Bounds.check(update.priority, Bounds.priority, "priority")
            if let priority = update.priority { try await downloads.setPriority(priority, of: id) }
            switch update.state {
            case .paused: try await downloads.pause(id)
            case .running: try await downloads.resume(id)
            case .finished: try await downloads.finish(id)
            case nil: break
            }
        case .delete:
            try await downloads.cancel(id, keepingData: try request.flag("keepData"))
            return RouteResponse(status: 204)
        default: throw request.methodNotAllowed(.get, .patch, .delete)
        }
        return try .json(try await record(id, downloads))
    }

    private func record(_ id: AssetID, _ downloads: Downloads) async throws -> DownloadRecord {
        guard let status = await downloads.status(of: id) else {
            throw Problem.notFound("the asset \(id) has no download")
        }
        return DownloadRecord(status, inFull: true)
    }

    private static func wait(_ request: RouteRequest) throws -> Duration? {
        guard let text = request.queryItem("wait") else { return nil }
        guard let milliseconds = Int(text), milliseconds >= 0 else {
            throw Problem.badRequest("wait must be a number of milliseconds, not “\(text)”")
        }
        return milliseconds == 0 ? nil : .milliseconds(min(milliseconds, maximumWait))
    }

    /// Waits until the state of a download changes, but at most for `limit`.
    ///
    /// - Parameters:
    ///   - id: The asset of the download; nil for any download.
    ///   - isNeeded: Returns whether to wait. It is called after the observation of changes has started.
    private func waitForChange(
        of id: AssetID?, _ downloads: Downloads, within limit: Duration, if isNeeded: () async -> Bool
    ) async {
        let events = downloads.events()
        guard await isNeeded() else { return }
        let time = store.time
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for await event in events {
                    switch event {
                    case .state(let other, _), .removed(let other), .added(let other):
                        if id == nil || other == id { return }
                    case .dropped: return
                    case .progress, .playable, .partStarted, .partDone, .partFailed: continue
                    }
                }
            }
            tasks.addTask { try? await time.sleep(for: limit) }
            await tasks.next()
            tasks.cancelAll()
        }
    }
}

extension AssetID {
    /// Creates an ID from a path component.
    ///
    /// - Throws: ``Problem`` with 404 if the text isn't an ID.
    init(pathPart: Substring) throws {
        guard let id = AssetID(rawValue: String(pathPart)) else {
            throw Problem.notFound("there is no asset “\(pathPart)”; an ID has twelve letters and digits")
        }
        self = id
    }
}
