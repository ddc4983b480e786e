internal import Foundation
internal import HLS
internal import MediaCache

/// What every run of a download works with.
struct DownloadWork: Sendable {
    let store: CacheStore
    let shelf: AssetShelf
    let loader: PlaylistLoader
    let events: EventHub<DownloadEvent>
    let policy: DownloadPolicy
    /// How an origin is asked for a URL, in somebody's name, with header fields of the asset's own.
    let transferSettings: Downloads.SettingsSource
    /// Gives an asset's own URL anew, where its link is over.
    let refreshSource: (@Sendable (Asset) async throws -> ResourceURL?)?

    /// How a part is fetched, and looked at.
    var parts: PartFetch { PartFetch(store: store) }

    /// The recordings behind downloads of live streams.
    var liveDownloads: LiveDownloads { LiveDownloads(self) }

    /// What belongs to which asset.
    var resources: AssetResources { AssetResources(store: store, shelf: shelf, settings: transferSettings) }

    func settings(for asset: Asset) throws -> TransferSettings {
        var settings = try transferSettings(try ResourceURL(asset.url), asset.identity, asset.download?.headers ?? [:])
        // A person has asked for it to be kept.
        settings.keepsNoStore = true
        return settings
    }

    /// What the asset at `url` consists of, by its playlists.
    ///
    /// - Parameter copy: the redundant copy of each media playlist that is preferred, counted from 0.
    func contents(
        of url: ResourceURL, selection: StreamSelection?, _ settings: TransferSettings, copy: Int = 0,
        isFresh: Bool = false
    ) async throws -> AssetContents {
        // A film must not be read whole into memory to learn that it's one.
        guard loader.expectsPlaylist(at: url) else { return AssetContents(file: url) }
        let contents = try await StreamContents.plan(
            url, selection: selection ?? StreamSelection(), copy: copy
        ) { url, scope, _ in
            try await loader.load(
                url, scope: scope, settings: settings, transferClass: .download, isFresh: isFresh)
        }
        guard contents.isGrowing, let entry = contents.playlists.first else { return contents }
        // A live stream is recorded; its contents are known when it has ended.
        var live = AssetContents(
            playlists: [.init(name: AssetContents.entryName, url: entry.url, text: "")], parts: [],
            notes: contents.notes)
        live.isGrowing = true
        return live
    }

    // MARK: - Obstacles

    /// What an error says a download has to wait for; nil if waiting wouldn't help.
    func obstacle(by error: CacheError) -> DownloadObstacle? {
        if let wait = error.retryAfter, error.code == .originStatus {
            return DownloadObstacle(
                .retryAfter, "the origin asked to wait for \(Int(wait.seconds.rounded(.up))) s",
                until: store.now.addingTimeInterval(wait.seconds))
        }
        switch error.code {
        case .unreachable, .timedOut: return DownloadObstacle(.network, error.message)
        case .closed: return DownloadObstacle(.cache, "the cache is suspended")
        // What isn't kept by a rule wouldn't be with more room.
        case .storage where store.folderFailure == nil && !error.isByRule:
            return DownloadObstacle(.space, error.description)
        default: return nil
        }
    }
}
