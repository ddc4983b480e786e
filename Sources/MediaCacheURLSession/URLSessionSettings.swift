import Foundation
public import MediaCache

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Which networks a ``URLSessionOrigin`` may use, and how.
public struct URLSessionSettings: Sendable {
    /// Whether networks whose bytes cost may be used: mobile ones, personal hotspots. True unless set. Apple's systems only.
    public var allowsExpensiveNetworkAccess = true
    /// Whether networks may be used for which the user has turned on Low Data Mode. True unless set. Apple's systems only.
    public var allowsConstrainedNetworkAccess = true
    /// Whether mobile networks may be used. True unless set.
    public var allowsCellularAccess = true
    /// Whether a request without a network waits for one, without a limit, where it would fail otherwise. False unless
    /// set: the engine retries by itself. Apple's systems only.
    public var waitsForConnectivity = false
    /// How many connections to one host may stand. 64 unless set: the transfer scheduler's own limit is to be the one that
    /// counts.
    public var connectionsPerHost = 64
    /// Local networks that may be asked in spite of `AddressScope.publicOnly`.
    public var allowedNetworks: [AddressRange] = []
    /// Called once for each exchange that is over, on a queue of the session's.
    public var onMetrics: (@Sendable (ExchangeMetrics) -> Void)?

    /// Creates settings.
    public init() {}
}

extension URLSessionSettings {
    /// Has a session use these networks, and keep nothing by itself.
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
