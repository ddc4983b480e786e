/// A proxy between this machine and all origins.
public struct UpstreamProxy: Sendable, Hashable {
    /// The protocol of a proxy.
    public enum Kind: Sendable, Hashable {
        /// HTTP. Requests to `https` origins use CONNECT (RFC 9110 §9.3.6). The proxy forwards those to `http` origins
        /// (RFC 9112 §3.2.2), because many proxies permit CONNECT only to port 443.
        case http
        /// HTTP over TLS, otherwise like ``http``. The proxy's certificate is checked like an origin's.
        case https
        /// SOCKS version 5 (RFC 1928).
        case socks5
    }

    /// The credentials for the proxy.
    public enum Authorization: Sendable, Hashable {
        /// A user name and password (RFC 7617 for HTTP, RFC 1929 for SOCKS).
        case basic(user: String, password: String)
        /// A token (RFC 6750). Not supported by SOCKS.
        case bearer(String)
    }

    /// The protocol.
    public var kind: Kind
    /// The proxy's name or address; an IPv6 address without brackets.
    public var host: String
    /// The proxy's port, 1…65535.
    public var port: Int
    /// The credentials; nil if the proxy doesn't require any.
    public var authorization: Authorization?

    /// Creates a proxy.
    public init(kind: Kind = .http, host: String, port: Int, authorization: Authorization? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.authorization = authorization
    }
}

extension UpstreamProxy: CustomStringConvertible {
    /// The URL of the proxy, without credentials.
    public var description: String { "\(kind)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
