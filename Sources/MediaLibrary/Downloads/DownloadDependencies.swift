internal import Foundation
internal import HLS
internal import MediaCache

struct DownloadDependencies: Sendable {
    let store: CacheStore
    let assetStore: AssetStore
    let loader: PlaylistLoader
    let events: EventHub<DownloadEvent>
    let policy: DownloadPolicy
    let transferSettings: Downloads.SettingsSource
    let refreshSource: (@Sendable (Asset) async throws -> ResourceURL?)?
    let waitForTransfers: (@Sendable (ResourceURL) async -> Void)?

    var parts: PartFetch { PartFetch(store: store) }

    var liveDownloads: LiveDownloads { LiveDownloads(self) }

    var resources: AssetResources { AssetResources(store: store, assetStore: assetStore, settings: transferSettings) }

    func settings(for asset: Asset) throws -> TransferSettings {
        var settings = try transferSettings(try ResourceURL(asset.url), asset.identity, asset.download?.headers ?? [:])
        // The user requested the download, so `Cache-Control: no-store` doesn't apply.
        settings.storesNoStoreResponses = true
        return settings
    }

    /// Returns the contents of the asset at `url`, determined from its playlists. Those of a live stream have no parts,
    /// and ``AssetContents/isGrowing`` is true.
    ///
    /// - Parameters:
    ///   - copy: The preferred redundant copy of each media playlist, counted from 0.
    ///   - isFresh: Whether new responses from the origin are required.
    func contents(
        of url: ResourceURL, selection: StreamSelection?, _ settings: TransferSettings, copy: Int = 0,
        isFresh: Bool = false
    ) async throws -> AssetContents {
        // Without this check, a large file would be read into memory as a playlist.
        guard loader.expectsPlaylist(at: url) else { return AssetContents(file: url) }
        let contents = try await StreamContents.plan(
            url, selection: selection ?? StreamSelection(), copy: copy
        ) { url, scope, _ in
            try await loader.load(url, scope: scope, settings: settings, transferClass: .download, isFresh: isFresh)
        }
        guard contents.isGrowing, let entry = contents.playlists.first else { return contents }
        // A live stream is recorded. Its contents are determined after its end.
        var live = AssetContents(
            playlists: [.init(name: AssetContents.entryName, url: entry.url, text: "")], parts: [],
            notes: contents.notes)
        live.isGrowing = true
        return live
    }

    /// Returns the obstacle that an error indicates; nil if waiting can't resolve it.
    func obstacle(by error: CacheError) -> DownloadObstacle? {
        if let wait = error.retryAfter {
            return DownloadObstacle(
                .retryAfter, "the origin requested a delay of \(Int(wait.seconds.rounded(.up))) s",
                until: store.now.addingTimeInterval(wait.seconds))
        }
        switch error.code {
        case .unreachable, .timedOut: return DownloadObstacle(.network, error.message)
        case .closed: return DownloadObstacle(.cache, "the cache is suspended")
        // More space doesn't help if a rule forbids storing the resource.
        case .storage where store.folderFailure == nil && !error.isByRule:
            return DownloadObstacle(.space, error.description)
        default: return nil
        }
    }
}
