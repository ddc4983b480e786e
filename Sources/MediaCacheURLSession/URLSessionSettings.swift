import Foundation
public import MediaCache

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The networks that a ``URLSessionOrigin`` or ``BackgroundTransfers`` may use, and how.
public struct URLSessionSettings: Sendable {
    /// Whether networks that the system considers expensive may be used, such as cellular networks and personal
    /// hotspots. True by default. Apple platforms only.
    public var allowsExpensiveNetworkAccess = true
    /// Whether networks in Low Data Mode may be used. True by default. Apple platforms only.
    public var allowsConstrainedNetworkAccess = true
    /// Whether cellular networks may be used. True by default.
    public var allowsCellularAccess = true
    /// Whether a request waits for a network without a time limit if none is available, instead of failing. A request
    /// with `AddressScope.publicOnly` still fails if its host's name can't be resolved. False by default, because the
    /// engine retries. Background transfers always wait. Apple platforms only.
    public var waitsForConnectivity = false
    /// The maximum number of connections to one host. 64 by default, so that only the transfer scheduler limits them.
    public var connectionsPerHost = 64
    /// The private networks that may be contacted despite `AddressScope.publicOnly`.
    public var allowedNetworks: [AddressRange] = []
    /// A closure that is called with the metrics of each finished exchange, on a queue of the session.
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
