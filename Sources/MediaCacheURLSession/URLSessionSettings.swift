import Foundation
public import MediaCache

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The networks that a ``URLSessionOrigin`` may use, and how.
public struct URLSessionSettings: Sendable {
    /// Whether networks that the system considers expensive may be used, such as cellular networks and personal
    /// hotspots. True unless set. Apple platforms only.
    public var allowsExpensiveNetworkAccess = true
    /// Whether networks in Low Data Mode may be used. True unless set. Apple platforms only.
    public var allowsConstrainedNetworkAccess = true
    /// Whether cellular networks may be used. True unless set.
    public var allowsCellularAccess = true
    /// Whether a request waits without a limit for a network if none is available, instead of failing. False unless
    /// set, because the engine retries. Apple platforms only.
    public var waitsForConnectivity = false
    /// The maximum number of connections to one host. 64 unless set, so that the limit of the transfer scheduler
    /// applies.
    public var connectionsPerHost = 64
    /// The private networks that requests may contact despite `AddressScope.publicOnly`.
    public var allowedNetworks: [AddressRange] = []
    /// A closure that receives the metrics of each finished exchange, called on a queue of the session.
    public var onMetrics: (@Sendable (ExchangeMetrics) -> Void)?

    /// Creates settings with the default values.
    public init() {}
}

extension URLSessionSettings {
    /// Applies the settings to a configuration, and disables its caches, credentials and cookies.
    func apply(to configuration: URLSessionConfiguration) {
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        configuration.allowsCellularAccess = allowsCellularAccess
        #if canImport(Darwin)
            configuration.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
            configuration.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
            configuration.waitsForConnectivity = waitsForConnectivity
        #endif
    }
}
