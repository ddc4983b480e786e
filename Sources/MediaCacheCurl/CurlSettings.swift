public import MediaCache

/// The connection settings of ``CurlOrigin``.
public struct CurlSettings: Sendable {
    /// PEM files with certificate authorities that are trusted in addition to the system's.
    public var certificateAuthorityFiles: [String]
    /// The proxy for all requests, which also resolves the names of origins. Nil for none.
    public var proxy: UpstreamProxy?
    /// The maximum number of connections to one host and port, 64 by default. It should be well above the limit of the
    /// transfer scheduler, so that only the scheduler orders requests.
    public var connectionsPerHost: Int
    /// The idle time after which a connection isn't used again, in whole seconds, at least 1 s. 60 s by default. The
    /// connection is closed when another request starts, or on shutdown.
    public var idleConnectionLimit: Duration
    /// The local networks that requests with `AddressScope.publicOnly` may reach.
    public var allowedNetworks: [AddressRange]

    /// Creates settings.
    public init(
        certificateAuthorityFiles: [String] = [],
        proxy: UpstreamProxy? = nil,
        connectionsPerHost: Int = 64,
        idleConnectionLimit: Duration = .seconds(60),
        allowedNetworks: [AddressRange] = []
    ) {
        self.certificateAuthorityFiles = certificateAuthorityFiles
        self.proxy = proxy
        self.connectionsPerHost = connectionsPerHost
        self.idleConnectionLimit = idleConnectionLimit
        self.allowedNetworks = allowedNetworks
    }
}
