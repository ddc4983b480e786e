import HTTPTypes
import MediaCache
import MediaLibrary

/// How assets are read by their names: what is asked of origins, and that downloads go on from where somebody plays.
struct LibraryReading: Sendable {
    /// How an asset's origins are asked for what isn't here.
    var settings: @Sendable (Asset) -> TransferSettings
    private let downloads: Downloads?

    /// Reading by header profiles, and by the header fields that an asset's download has.
    init(profiles: HeaderProfileBook, base: TransferSettings, downloads: Downloads?) {
        settings = { asset in
            guard let url = try? ResourceURL(asset.url) else { return base }
            let fields = asset.download.flatMap { try? HTTPFields(named: $0.headers) } ?? [:]
            return profiles.settings(for: url, as: asset.identity, fields: fields) ?? base
        }
        self.downloads = downloads
    }

    /// Somebody reads a part of an asset; it isn't known yet whether it's here.
    func begins(_ name: String, of asset: AssetID) { downloads?.plays(name, of: asset) }

    /// The recording of a live stream that is being downloaded; nil for any other asset.
    func recording(of asset: AssetID) -> Recording? { downloads?.recording(of: asset) }

    /// How one is read now: what is complete, or was never to be, asks no origin for anything.
    func settings(reading asset: Asset) -> TransferSettings {
        let settings = settings(asset)
        switch asset.download?.state {
        case nil, .complete, .completeWithHoles: return settings.askingNoOrigins
        case .queued, .running, .paused, .waiting, .failed:
            // As the download reads it: once for both.
            var settings = settings
            settings.keepsNoStore = true
            settings.refreshFromDocument = { [downloads, id = asset.id] in
                try await downloads?.freshURL(for: $0, of: id)
            }
            return settings
        }
    }
}
