/// What the server takes from clients, in bytes, numbers and time.
public struct ServerLimits: Sendable, Hashable {
    /// Connections at once; more are told 503 and closed. 1,024 unless set.
    public var maximumConnections: Int
    /// Connections at once of one address, or of one IPv6 network of 64 bits; more are told 503 and closed. Loopback
    /// addresses have no limit of their own: all clients of a reverse proxy share one. 64 unless set.
    public var maximumConnectionsPerAddress: Int
    /// The longest header section in bytes, request line included. 32 KiB unless set.
    public var maximumHeadBytes: Int
    /// The longest body of a request in bytes, for a route that sets no other limit. 1 MiB unless set.
    public var maximumBodyBytes: Int
    /// The longest body in bytes of a request that sends a picture or a part of a bundle. 32 MiB unless set.
    public var maximumPictureBytes: Int
    /// How long a client may take for a header section. 10 s unless set.
    public var headTimeout: Duration
    /// How long a client may take for a request body. 30 s unless set.
    public var bodyTimeout: Duration
    /// How long a connection may stay open without a request. 60 s unless set.
    public var idleTimeout: Duration
    /// How long a client may take nothing of a running response, as a paused player does. 10 min unless set.
    public var stallTimeout: Duration

    /// Creates limits.
    public init(
        maximumConnections: Int = 1024,
        maximumConnectionsPerAddress: Int = 64,
        maximumHeadBytes: Int = 32 << 10,
        maximumBodyBytes: Int = 1 << 20,
        maximumPictureBytes: Int = 32 << 20,
        headTimeout: Duration = .seconds(10),
        bodyTimeout: Duration = .seconds(30),
        idleTimeout: Duration = .seconds(60),
        stallTimeout: Duration = .seconds(600)
    ) {
        self.maximumConnections = maximumConnections
        self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        self.maximumHeadBytes = maximumHeadBytes
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumPictureBytes = maximumPictureBytes
        self.headTimeout = headTimeout
        self.bodyTimeout = bodyTimeout
        self.idleTimeout = idleTimeout
        self.stallTimeout = stallTimeout
    }
}
