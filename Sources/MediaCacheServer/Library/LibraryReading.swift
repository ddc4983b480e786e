import HTTPTypes
import MediaCache
import MediaLibrary
import Synchronization

/// The settings of origin requests when parts of assets are read, and the link to the assets' downloads.
struct LibraryReading: Sendable {
    /// Returns the settings of requests for missing parts of an asset.
    var settings: @Sendable (Asset) -> TransferSettings
    private let downloads: Downloads?

    init(profiles: HeaderProfileStore, downloads: Downloads?) {
        settings = { asset in
            guard let url = try? ResourceURL(asset.url) else { return profiles.base }
            let fields = asset.download.flatMap { try? HTTPFields(named: $0.headers) } ?? [:]
            return profiles.settings(for: url, as: asset.identity, fields: fields) ?? profiles.base
        }
        self.downloads = downloads
    }

    /// Reports that the playback of a part begins, cached or not, so that the download continues there.
    func begins(_ name: String, of asset: AssetID) { downloads?.notePlayback(name, of: asset) }

    /// Returns the recording of a live stream that is being downloaded; nil for any other asset.
    func recording(of asset: AssetID) -> Recording? { downloads?.recording(of: asset) }

    /// Returns the settings for a read of an asset. No origin is contacted unless the asset's download is unfinished.
    func settings(reading asset: Asset) -> TransferSettings {
        let settings = settings(asset)
        switch asset.download?.state {
        case nil, .complete, .completeWithHoles: return settings.withoutOriginRequests
        case .queued, .running, .paused, .waiting, .failed:
            // The settings match those of the download, so that both share fills.
            var settings = settings
            settings.storesNoStoreResponses = true
            settings.refreshFromDocument = { [downloads, id = asset.id] in
                try await downloads?.refreshedURL(for: $0, of: id)
            }
            return settings
        }
    }
}

/// A recorder of asset plays. Players open an asset several times, so plays within a minute count as one.
final class PlayCountRecorder: Sendable {
    private static let interval = Duration.seconds(60)
    /// The number of remembered assets at which those not played within the interval are forgotten.
    private static let capacity = 1024

    private let store: CacheStore
    private let assetStore: AssetStore
    private let recorded = Mutex<[AssetID: Duration]>([:])

    init(store: CacheStore, assetStore: AssetStore) {
        self.store = store
        self.assetStore = assetStore
    }

    /// Records a play of an asset, without waiting for the store.
    func record(_ asset: AssetID) {
        let now = store.monotonicTime
        let isNew = recorded.withLock { recorded in
            if let last = recorded[asset], now - last < Self.interval { return false }
            if recorded.count >= Self.capacity { recorded = recorded.filter { now - $0.value < Self.interval } }
            recorded[asset] = now
            return true
        }
        guard isNew, store.isWritable else { return }
        Task { try? await assetStore.notePlay(of: asset) }
    }
}
