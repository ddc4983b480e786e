public import MediaCache

/// A request to download an asset.
public struct DownloadRequest: Sendable {
    /// The URL of a file, or of a multivariant or media playlist.
    public var url: ResourceURL
    /// The identity under which the asset is requested; nil if the origin doesn't distinguish users.
    public var identity: ProfileIdentity?
    /// The title; nil means the asset's existing title, or one derived from the URL.
    public var title: String?
    /// The variant streams and renditions, for a stream.
    public var selection: StreamSelection
    /// Header fields for requests to the URL's origin, by name. They're stored with the asset, for use after a restart.
    public var headers: [String: String]
    /// The priority. Higher values run first. Values outside −1,000,000 to 1,000,000 are clamped.
    public var priority: Int
    /// Whether the download is initially paused.
    public var startsPaused: Bool
    /// The time for which a live stream is recorded; nil means until the stream ends.
    public var followsFor: Duration?

    /// Creates a request.
    public init(
        url: ResourceURL, identity: ProfileIdentity? = nil, title: String? = nil,
        selection: StreamSelection = StreamSelection(), headers: [String: String] = [:], priority: Int = 0,
        startsPaused: Bool = false, followsFor: Duration? = nil
    ) {
        self.url = url
        self.identity = identity
        self.title = title
        self.selection = selection
        self.headers = headers
        self.priority = priority
        self.startsPaused = startsPaused
        self.followsFor = followsFor
    }
}

/// Limits on concurrent downloads and transfers.
public struct DownloadLimits: Sendable, Hashable, Codable {
    /// The maximum number of assets downloaded at once; 3 by default.
    public var assets: Int
    /// The maximum number of concurrent transfers for each asset; 6 by default.
    public var transfersPerAsset: Int

    /// Creates limits.
    public init(assets: Int = 3, transfersPerAsset: Int = 6) {
        self.assets = assets
        self.transfersPerAsset = transfersPerAsset
    }
}

/// A snapshot of a download and its progress.
public struct DownloadStatus: Sendable, Hashable {
    /// The asset, with its ``Asset/download``.
    public var asset: Asset
    /// The progress.
    public var progress: DownloadProgress

    /// Creates a status.
    public init(asset: Asset, progress: DownloadProgress) {
        self.asset = asset
        self.progress = progress
    }
}
