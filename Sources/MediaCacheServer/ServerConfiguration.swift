public import Logging
public import MediaCacheAPI
public import MediaLibrary

/// The configuration of a server: its address, its clients and its features.
public struct ServerConfiguration: Sendable {
    /// The name or address to listen on. A loopback name or address means both IPv4 and IPv6 loopback.
    public var host: String
    /// The port; 0 means any free port.
    public var port: Int
    /// Additional host names that requests may use, for servers behind a proxy or in a local network. A name other than
    /// a loopback one makes the server exposed (``isExposed``).
    public var allowedHosts: [String]
    /// The path at which a reverse proxy exposes this server, such as `/cache`, and which the proxy removes. It is part
    /// of every generated URL. The server removes it too, from requests that clients on this machine send without the
    /// proxy. It makes the server exposed (``isExposed``). Empty by default.
    public var publicPath: String
    /// The number of segments to prefetch after the requested segment of an HLS stream.
    public var segmentsAhead: Int
    /// Whether MP4 files with their index at the end are served with the index at the front even without `faststart=1`
    /// in the play URL, if the URL has an extension of MP4 or QuickTime files.
    public var fastStart: Bool
    /// Whether remote clients may read `/library/…` and `/live/…` without a token.
    public var publicRead: Bool
    /// Whether the library token is valid (``CacheServer/libraryToken``), with which other devices list and play the
    /// library's items. The page on such a device needs no key.
    public var sharesLibrary: Bool
    /// The extractor of video frames; nil if there is none.
    public var frames: (any FrameExtractor)?
    /// Whether completed downloads get a cover: the one embedded in the file, or a frame of the video.
    public var keepsCovers: Bool
    /// The encoder of programmes (3GP); nil if there is none.
    public var encoder: (any MediaFileEncoder)?
    /// Whether the server has its own downloads and recordings. Set it to false in an app that has its own `Downloads`
    /// of the store, since the two would conflict.
    public var runsDownloads: Bool
    /// Whether downloads, recordings and exports of earlier processes continue when the server starts. Otherwise,
    /// downloads and recordings continue on request, and exports when a recording is started.
    public var resumesDownloads: Bool
    /// The limits and conditions of downloads. They take precedence over the stored ones until they are changed through
    /// the API.
    public var downloads: DownloadSettingsUpdate?
    /// The limits of the cache and of transfers. They take precedence over the stored ones until they are changed
    /// through the API. The stored ones take precedence over the store's configuration.
    public var cacheSettings: CacheSettingsUpdate?
    /// Whether any network counts as metered. Otherwise the system decides.
    public var isMetered: Bool
    /// The source of whether the network is metered, for systems that don't know; nil if there is none.
    public var meteredNetworks: (any MeteredNetworkSource)?
    /// The channels to record from the start. Channels that don't exist yet are added; existing ones get these settings
    /// (``CacheServer/declare(_:)``).
    public var channels: [ChannelRequest]
    /// The limits for clients.
    public var limits: ServerLimits
    /// The cache folder to report in the API; nil to report none.
    public var cacheFolder: String?
    /// The time for which running responses may continue when ``CacheHost/close(grace:)`` stops the server.
    public var grace: Duration
    /// The logger. The API key is never logged.
    public var logger: Logger

    /// The default port of `mediacache serve`.
    public static let defaultPort = 9479

    /// Whether clients on other machines may reach the server, either at its address or through a reverse proxy, which
    /// a public path or allowed hosts indicate. Clients of an exposed server are never local, and its store contacts
    /// only public addresses and permitted networks.
    public var isExposed: Bool {
        !HostPolicy.isLoopback(host) || !publicPath.isEmpty || !allowedHosts.allSatisfy(HostPolicy.isLoopback)
    }

    /// The public path with a slash at the beginning and none at the end; or empty.
    var publicPrefix: String {
        var path = Substring(publicPath)
        while path.hasSuffix("/") { path = path.dropLast() }
        return path.isEmpty || path.hasPrefix("/") ? String(path) : "/\(path)"
    }

    /// Creates a configuration.
    public init(
        host: String = "127.0.0.1", port: Int = ServerConfiguration.defaultPort, allowedHosts: [String] = [],
        publicPath: String = "", segmentsAhead: Int = 2, fastStart: Bool = false, publicRead: Bool = false,
        sharesLibrary: Bool = false, frames: (any FrameExtractor)? = nil, keepsCovers: Bool = false,
        encoder: (any MediaFileEncoder)? = nil, runsDownloads: Bool = true, resumesDownloads: Bool = true,
        downloads: DownloadSettingsUpdate? = nil, cacheSettings: CacheSettingsUpdate? = nil, isMetered: Bool = false,
        meteredNetworks: (any MeteredNetworkSource)? = nil, channels: [ChannelRequest] = [],
        limits: ServerLimits = ServerLimits(), cacheFolder: String? = nil, grace: Duration = .seconds(10),
        logger: Logger = Logger(label: "MediaCacheServer")
    ) {
        self.host = host
        self.port = port
        self.allowedHosts = allowedHosts
        self.publicPath = publicPath
        self.segmentsAhead = segmentsAhead
        self.fastStart = fastStart
        self.publicRead = publicRead
        self.sharesLibrary = sharesLibrary
        self.frames = frames
        self.keepsCovers = keepsCovers
        self.encoder = encoder
        self.runsDownloads = runsDownloads
        self.resumesDownloads = resumesDownloads
        self.downloads = downloads
        self.cacheSettings = cacheSettings
        self.isMetered = isMetered
        self.meteredNetworks = meteredNetworks
        self.channels = channels
        self.limits = limits
        self.cacheFolder = cacheFolder
        self.grace = grace
        self.logger = logger
    }
}

/// The limits for a server's clients.
public struct ServerLimits: Sendable, Hashable {
    /// The maximum number of open connections. Further connections are refused with 503.
    public var maximumConnections: Int
    /// The maximum number of open connections from one IPv4 address or one 64-bit IPv6 network. Further connections
    /// are refused with 503. Loopback addresses are exempt, since all clients of a reverse proxy share one.
    public var maximumConnectionsPerAddress: Int
    /// The maximum total length of a request's target and the names and values of its header fields, in bytes.
    /// Longer ones, and more than 100 fields, are refused with 431.
    public var maximumHeadBytes: Int
    /// The maximum length of a request body in bytes. Routes can set other limits.
    public var maximumBodyBytes: Int
    /// The maximum length of a request body with an image, or with the contents or bytes of a bundle, in bytes.
    public var maximumImageBytes: Int
    /// The time limit for sending a header section.
    public var headTimeout: Duration
    /// The time limit for sending a whole request body.
    public var bodyTimeout: Duration
    /// The time limit for the next request on an idle connection.
    public var idleTimeout: Duration
    /// The time within which a client must read at least 64 KiB of a running response. Otherwise, for example if a
    /// player is paused, it is disconnected.
    public var stallTimeout: Duration

    /// Creates limits.
    public init(
        maximumConnections: Int = 1024, maximumConnectionsPerAddress: Int = 64, maximumHeadBytes: Int = 32 << 10,
        maximumBodyBytes: Int = 1 << 20, maximumImageBytes: Int = 32 << 20, headTimeout: Duration = .seconds(10),
        bodyTimeout: Duration = .seconds(30), idleTimeout: Duration = .seconds(60),
        stallTimeout: Duration = .seconds(600)
    ) {
        self.maximumConnections = maximumConnections
        self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        self.maximumHeadBytes = maximumHeadBytes
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumImageBytes = maximumImageBytes
        self.headTimeout = headTimeout
        self.bodyTimeout = bodyTimeout
        self.idleTimeout = idleTimeout
        self.stallTimeout = stallTimeout
    }
}
