public import MediaCache

/// What is to be downloaded, and how.
public struct DownloadRequest: Sendable {
    /// The URL of a file, or of a multivariant or media playlist.
    public var url: ResourceURL
    /// In whose name it's asked for, where its origin tells users apart.
    public var identity: ProfileIdentity?
    /// What a person calls it; nil takes a name from the URL.
    public var title: String?
    /// Which variant streams and renditions, where it's a stream.
    public var selection: StreamSelection
    /// Header fields for the URL's origin, by name. They are kept with the asset, since they're needed after a restart.
    public var headers: [String: String]
    /// What goes first: the greater.
    public var priority: Int
    /// Whether it waits until somebody resumes it.
    public var startsPaused: Bool
    /// How long a stream that grows is followed; nil follows it to its end.
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

/// How many downloads and transfers of theirs run at once.
public struct DownloadLimits: Sendable, Hashable, Codable {
    /// Assets at once. 3 unless set.
    public var assets: Int
    /// Transfers of each asset at once. 6 unless set. Limits of the whole store are `TransferScheduler.Limits`.
    public var transfersPerAsset: Int

    /// Creates limits.
    public init(assets: Int = 3, transfersPerAsset: Int = 6) {
        self.assets = assets
        self.transfersPerAsset = transfersPerAsset
    }
}

/// A download at a moment: its asset, and how far it is.
public struct DownloadStatus: Sendable, Hashable {
    /// The asset, with its ``Asset/download``.
    public var asset: Asset
    /// How far it is.
    public var progress: DownloadProgress

    /// Creates a status.
    public init(asset: Asset, progress: DownloadProgress) {
        self.asset = asset
        self.progress = progress
    }
}
