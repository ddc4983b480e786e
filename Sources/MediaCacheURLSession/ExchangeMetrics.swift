public import MediaCache

/// The metrics of one exchange.
public struct ExchangeMetrics: Sendable {
    /// The requested URL.
    public var url: ResourceURL
    /// The time from the request to the response head; nil if none was received.
    public var timeToHead: Duration?
    /// The time from the request to the end of the exchange.
    public var duration: Duration
    /// The number of body bytes received, after the system has decoded a content coding.
    public var bytes: Int64
    /// The metrics of the connection; nil if the system doesn't report them, as on Linux.
    public var connection: ConnectionMetrics?
}

/// The metrics of the connection of an exchange, from `URLSessionTaskTransactionMetrics`.
public struct ConnectionMetrics: Sendable, Hashable {
    /// The time to resolve the host's name; nil if no name was resolved.
    public var nameLookup: Duration?
    /// The time to connect, including TLS; nil for a reused connection.
    public var connect: Duration?
    /// The name of the protocol, such as `h2` or `http/1.1` (RFC 7301 §6).
    public var protocolName: String?
    /// Whether the exchange reused a connection.
    public var isReused: Bool
    /// Whether the connection used a cellular network.
    public var isCellular: Bool
    /// Whether the connection used a network that the system considers expensive, such as a personal hotspot.
    public var isExpensive: Bool
    /// Whether the connection used a network in Low Data Mode.
    public var isConstrained: Bool
}

#if canImport(Darwin)
    import Foundation

    extension ConnectionMetrics {
        /// Reads the metrics of a task's last transaction.
        init?(_ metrics: URLSessionTaskMetrics) {
            guard let last = metrics.transactionMetrics.last else { return nil }
            nameLookup = Self.time(from: last.domainLookupStartDate, to: last.domainLookupEndDate)
            connect = Self.time(from: last.connectStartDate, to: last.connectEndDate)
            protocolName = last.networkProtocolName
            isReused = last.isReusedConnection
            isCellular = last.isCellular
            isExpensive = last.isExpensive
            isConstrained = last.isConstrained
        }

        private static func time(from start: Date?, to end: Date?) -> Duration? {
            guard let start, let end else { return nil }
            return .seconds(end.timeIntervalSince(start))
        }
    }
#endif
