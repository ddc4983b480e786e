public import MediaCache
internal import NIOCore
internal import NIOHTTP1

extension APIClient {
    private static let downloadsPath = "/api/v1/downloads"

    /// All downloads, in the order in which they were asked for.
    ///
    /// - Parameter limit: how long to wait for a download to change its state, 10 s at most; the answer comes as soon as
    ///   one does.
    public func downloads(waiting limit: Duration = .zero) async throws -> [DownloadRecord] {
        try await all(DownloadList.self, "\(Self.downloadsPath)?wait=\(Int(limit / .milliseconds(1)))")
    }

    /// One download with its holes; nil if there is none of this asset.
    ///
    /// - Parameters:
    ///   - id: the asset's name.
    ///   - limit: how long to wait for it to change its state; see ``downloads(waiting:)``.
    public func download(_ id: String, waiting limit: Duration = .zero) async throws -> DownloadRecord? {
        do {
            return try await call(.GET, "\(path(of: id))?wait=\(Int(limit / .milliseconds(1)))")
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// Asks for an asset to be made complete.
    ///
    /// - Parameters:
    ///   - url: its URL. User information in it is told to the owner.
    ///   - addition: all else; its URL doesn't count.
    public func addDownload(of url: ResourceURL, _ addition: DownloadAddition) async throws -> DownloadRecord {
        var addition = addition
        addition.url = Self.text(of: url)
        return try await call(.POST, Self.downloadsPath, content: try .json(addition))
    }

    /// Pauses a download, lets it go on, or changes what goes first.
    @discardableResult
    public func updateDownload(_ id: String, _ update: DownloadUpdate) async throws -> DownloadRecord {
        try await call(.PATCH, path(of: id), content: try .json(update))
    }

    /// Ends a download: what came is removed, or stays as what was played does.
    public func cancelDownload(_ id: String, keepingData: Bool = false) async throws {
        try await send(.DELETE, "\(path(of: id))?keep=\(keepingData)")
    }

    /// Pauses all downloads.
    @discardableResult
    public func pauseDownloads() async throws -> [DownloadRecord] {
        let list: DownloadList = try await call(.POST, "\(Self.downloadsPath)/pause")
        return list.downloads
    }

    /// Lets all downloads go on, those that failed too.
    @discardableResult
    public func resumeDownloads() async throws -> [DownloadRecord] {
        let list: DownloadList = try await call(.POST, "\(Self.downloadsPath)/resume")
        return list.downloads
    }

    /// Says which download goes before which; those that aren't named keep their priority.
    ///
    /// - Parameter ids: the assets' names, the first goes first.
    /// - Returns: all downloads, as they are then.
    @discardableResult
    public func orderDownloads(_ ids: [String]) async throws -> [DownloadRecord] {
        let list: DownloadList = try await call(
            .PUT, "\(Self.downloadsPath)/order", content: try .json(DownloadOrder(ids: ids)))
        return list.downloads
    }

    /// How many downloads run, and under which conditions.
    public func downloadSettings() async throws -> DownloadSettings {
        try await call(.GET, "/api/v1/settings/downloads")
    }

    /// Changes how many downloads run, and under which conditions; what the update doesn't name stays as it is.
    @discardableResult
    public func updateDownloadSettings(_ update: DownloadSettingsUpdate) async throws -> DownloadSettings {
        try await call(.PATCH, "/api/v1/settings/downloads", content: try .json(update))
    }

    private func path(of id: String) -> String { "\(Self.downloadsPath)/\(Self.escape(id))" }
}
