internal import HLS
public import MediaCache
internal import MediaContainers

/// A reader of the metadata of assets. It only reads cached bytes, and never contacts an origin.
///
/// Downloads and imports read the metadata of their assets when they complete. This reader does so for assets that were
/// added to the library after they were played, and for those of earlier versions.
public struct MetadataReader: Sendable {
    private static let maximumPlaylistLength = 64 << 20

    private let store: CacheStore
    private let assetStore: AssetStore
    private let downloads: Downloads?

    /// Creates a reader.
    ///
    /// - Parameter downloads: The downloads of the store; nil if there are none in this process. In that case, assets
    ///   with a download are skipped, because the downloads of another process would overwrite their records.
    public init(store: CacheStore, assetStore: AssetStore, downloads: Downloads? = nil) {
        self.store = store
        self.assetStore = assetStore
        self.downloads = downloads
    }

    /// Reads the metadata of all assets without any, and then that of each asset whose file becomes complete, until the
    /// task is cancelled or the store is closed. Skips assets that can't be read.
    public func run() async {
        let completions = store.events {
            if case .progress(let progress) = $0 { progress.length == progress.bytesCached } else { false }
        }
        for asset in (try? await assetStore.assets()) ?? [] where asset.metadata == nil {
            if Task.isCancelled { return }
            try? await read(asset)
        }
        for await event in completions {
            guard case .progress(let progress) = event,
                let asset = try? await assetStore.asset(withKey: progress.key)
            else { continue }
            try? await read(asset)
        }
    }

    /// Reads the metadata of an asset and stores it. Does nothing if the asset's file isn't complete, or its download
    /// is unfinished.
    ///
    /// - Throws: `CacheError` with `storage`; `ContainerError` if the cached file can't be read; `CancellationError`.
    public func read(_ asset: Asset) async throws {
        guard asset.download.map({ downloads != nil && $0.state.isEnded }) ?? true,
            let found = try await metadata(of: asset)
        else { return }
        if let downloads {
            try await downloads.setMetadata(found, of: asset.id)
        } else {
            try await assetStore.setMetadata(found, of: asset.id)
        }
    }

    /// Returns the metadata of an asset; nil if its file isn't complete, or its stream is live.
    package func metadata(of asset: Asset) async throws -> FileMetadata? {
        let contents = try await assetStore.contents(of: asset.id)
        if let contents, let playlist = contents.playlists.first {
            guard !contents.isGrowing else { return nil }
            return FileMetadata(contents.metadata ?? Self.metadata(ofPlaylist: Array(playlist.text.utf8)))
        }
        let entry = try ResourceURL(contents?.parts.first?.url ?? asset.url)
        let settings = store.transfers.requesting(entry, as: asset.identity)
        guard let info = try await store.resource(of: ReadRequest(url: entry, settings: settings)), info.isComplete
        else { return nil }
        let isPlaylist = MediaType.isPlaylist(info.contentType)
        return try await BlockingOperation.run { [store] control in
            let resources = StoreResources(store, settings: settings, control: control, countsAsUse: false)
            guard isPlaylist else { return try FileMetadata(of: try resources.bytes(of: "\(entry)", range: nil)) }
            let bytes = try resources.contents(of: "\(entry)", limit: Self.maximumPlaylistLength).bytes
            return FileMetadata(Self.metadata(ofPlaylist: bytes))
        }
    }

    /// Returns the metadata of a playlist; empty if it can't be parsed.
    static func metadata(ofPlaylist bytes: [UInt8]) -> MediaMetadata {
        guard let parsed = try? PlaylistParser(context: PlaylistContext(playlistURL: ContentsIndex.base)).parse(bytes)
        else { return MediaMetadata() }
        return MediaMetadata(parsed.playlist, bytes: bytes)
    }
}
