import HTTPTypes
import MediaCache
import MediaLibrary

/// How assets are read by their names: who is told of it, and what is asked of origins.
struct LibraryReading: Sendable {
    /// How an asset's origins are asked for what isn't here.
    var settings: @Sendable (Asset) -> TransferSettings
    /// Is told what of an asset is read, before it's known whether it's here.
    var onRead: @Sendable (_ asset: AssetID, _ name: String) -> Void = { _, _ in }

    /// Reading by header profiles, and by the header fields that an asset's download has.
    init(
        profiles: HeaderProfileBook, base: TransferSettings,
        onRead: @escaping @Sendable (_ asset: AssetID, _ name: String) -> Void = { _, _ in }
    ) {
        settings = { asset in
            guard let url = try? ResourceURL(asset.url) else { return base }
            let fields = asset.download.flatMap { try? HTTPFields(named: $0.headers) } ?? [:]
            return profiles.settings(for: url, as: asset.identity, fields: fields) ?? base
        }
        self.onRead = onRead
    }

    /// How one is read now: what is complete, or was never to be, asks no origin for anything.
    func settings(reading asset: Asset) -> TransferSettings {
        let settings = settings(asset)
        switch asset.download?.state {
        case nil, .complete, .completeWithHoles: return settings.askingNoOrigins
        case .queued, .running, .paused, .waiting, .failed:
            // As the download reads it: once for both.
            var settings = settings
            settings.keepsNoStore = true
            return settings
        }
    }
}
