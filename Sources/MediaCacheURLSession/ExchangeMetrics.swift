public import MediaCache

/// How one exchange went.
public struct ExchangeMetrics: Sendable {
    /// What was asked for.
    public var url: ResourceURL
    /// From the request to the response's head; nil if none came.
    public var timeToHead: Duration?
    /// From the request to its end.
    public var duration: Duration
    /// How many bytes of the body came.
    public var bytes: Int64
    /// What the system says of the connection; nil off Apple's systems, and where it says nothing.
    public var connection: ConnectionMetrics?
}

/// What the system says of an exchange's connection (`URLSessionTaskTransactionMetrics`).
public struct ConnectionMetrics: Sendable, Hashable {
    /// How long the name took to resolve; nil if it wasn't.
    public var nameLookup: Duration?
    /// How long connecting took, TLS included; nil on a connection that stood already.
    public var connect: Duration?
    /// The protocol's name, as `h2` or `http/1.1` (RFC 7301 §6).
    public var protocolName: String?
    /// Whether the connection stood already.
    public var isReused: Bool
    /// Whether it went over a mobile network.
    public var isCellular: Bool
    /// Whether it went over a network whose bytes cost.
    public var isExpensive: Bool
    /// Whether it went over a network in Low Data Mode.
    public var isConstrained: Bool
}

#if canImport(Darwin)
    import Foundation

    extension ConnectionMetrics {
        /// What is said of the last of a task's transactions.
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
