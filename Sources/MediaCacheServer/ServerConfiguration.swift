public import Logging
public import MediaCacheAPI
public import MediaLibrary

/// How a server listens, and to whom.
public struct ServerConfiguration: Sendable {
    /// The name or address to listen at. A loopback name or address means IPv4 and IPv6 loopback both.
    public var host: String
    /// The port; 0 picks a free one.
    public var port: Int
    /// Further names that requests may give in `Host`, for use behind a proxy or in a LAN.
    public var allowedHosts: [String]
    /// Where a reverse proxy shows this server: a path as `/cache`, put before every URL made, or empty.
    public var publicPath: String
    /// How many segments of an HLS stream are fetched beyond the one a player asks for; 0 fetches none.
    public var segmentsAhead: Int
    /// Whether MP4 files whose index comes last are served as if it came first, also where a play URL doesn't ask for
    /// that (`faststart=1`).
    public var fastStart: Bool
    /// Whether remote clients may read `/library/…` and `/live/…` without a token.
    public var publicRead: Bool
    /// What takes pictures out of films; nil where nothing does.
    public var frames: (any FrameTaker)?
    /// Whether assets get a picture when their download is complete: the one in the file, else a frame.
    public var keepsCovers: Bool
    /// What encodes programmes anew (3GP); nil where nothing does.
    public var encoder: (any FilmEncoder)?
    /// Whether the server has downloads and recordings of its own. An app that has its own `Downloads` of the store says no:
    /// two would get in each other's way.
    public var runsDownloads: Bool
    /// Whether downloads that earlier processes left go on; else those alone run that somebody asks for. Likewise
    /// recordings, and exports of programmes.
    public var goesOnWithDownloads: Bool
    /// How many downloads run and under which conditions, over what the API set for the folder.
    public var downloads: DownloadSettingsUpdate?
    /// Channels that are recorded from the start on, made where they aren't there.
    public var channels: [ChannelRequest]
    /// What is taken from clients.
    public var limits: ServerLimits
    /// The cache folder, told by the API.
    public var cacheFolder: String?
    /// How long `run()` lets running responses go on when it is to stop.
    public var grace: Duration
    /// Where the log goes. The access key is never in it.
    public var logger: Logger

    /// The port that `serve` listens at unless told otherwise.
    public static let defaultPort = 9479

    /// Whether clients on other machines may reach the server: at the address that it listens at, or through the reverse
    /// proxy that its public path or its allowed hosts stand for. No client of an exposed server is local, and its store
    /// contacts public addresses alone.
    public var isExposed: Bool {
        !HostPolicy.isLoopback(host) || !publicPath.isEmpty || !allowedHosts.allSatisfy(HostPolicy.isLoopback)
    }

    /// Creates a configuration.
    public init(
        host: String = "127.0.0.1",
        port: Int = ServerConfiguration.defaultPort,
        allowedHosts: [String] = [],
        publicPath: String = "",
        segmentsAhead: Int = 2,
        fastStart: Bool = false,
        publicRead: Bool = false,
        frames: (any FrameTaker)? = nil,
        keepsCovers: Bool = false,
        encoder: (any FilmEncoder)? = nil,
        runsDownloads: Bool = true,
        goesOnWithDownloads: Bool = true,
        downloads: DownloadSettingsUpdate? = nil,
        channels: [ChannelRequest] = [],
        limits: ServerLimits = ServerLimits(),
        cacheFolder: String? = nil,
        grace: Duration = .seconds(10),
        logger: Logger = Logger(label: "MediaCacheServer")
    ) {
        self.host = host
        self.port = port
        self.allowedHosts = allowedHosts
        self.publicPath = publicPath
        self.segmentsAhead = segmentsAhead
        self.fastStart = fastStart
        self.publicRead = publicRead
        self.frames = frames
        self.keepsCovers = keepsCovers
        self.encoder = encoder
        self.runsDownloads = runsDownloads
        self.goesOnWithDownloads = goesOnWithDownloads
        self.downloads = downloads
        self.channels = channels
        self.limits = limits
        self.cacheFolder = cacheFolder
        self.grace = grace
        self.logger = logger
    }
}
