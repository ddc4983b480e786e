public import MediaCache
public import NIOCore
import NIOPosix

/// How ``AsyncHTTPClientOrigin`` connects.
public struct AsyncHTTPClientSettings: Sendable {
    /// PEM files with certificate authorities that are trusted beside the system's.
    public var certificateAuthorityFiles: [String]
    /// The HTTP proxy that all requests go through, by CONNECT (RFC 9110 §9.3.6).
    public var proxy: UpstreamProxy?
    /// The most connections to one host and port. It should be well above what the transfer scheduler admits, so that
    /// the scheduler alone decides who waits. 64 unless set.
    public var connectionsPerHost: Int
    /// How long an unused connection is kept. 60 s unless set.
    public var idleConnectionLimit: Duration
    /// Networks that a request of `AddressScope.publicOnly` may reach although they are local.
    public var allowedNetworks: [AddressRange]
    /// The event loops to run on; nil takes SwiftNIO's own.
    public var eventLoopGroup: (any EventLoopGroup)?

    /// Creates settings.
    public init(
        certificateAuthorityFiles: [String] = [],
        proxy: UpstreamProxy? = nil,
        connectionsPerHost: Int = 64,
        idleConnectionLimit: Duration = .seconds(60),
        allowedNetworks: [AddressRange] = [],
        eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.certificateAuthorityFiles = certificateAuthorityFiles
        self.proxy = proxy
        self.connectionsPerHost = connectionsPerHost
        self.idleConnectionLimit = idleConnectionLimit
        self.allowedNetworks = allowedNetworks
        self.eventLoopGroup = eventLoopGroup
    }
}
