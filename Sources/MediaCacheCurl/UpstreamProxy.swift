/// An HTTP proxy between this machine and all origins.
public struct UpstreamProxy: Sendable, Hashable {
    /// The credentials for the proxy (`Proxy-Authorization`, RFC 9110 §11.7.2).
    public enum Authorization: Sendable, Hashable {
        /// A name and a password (RFC 7617).
        case basic(user: String, password: String)
        /// A token (RFC 6750).
        case bearer(String)
    }

    /// The proxy's name or address; an IPv6 address without brackets.
    public var host: String
    /// The proxy's port, 1…65535.
    public var port: Int
    /// The credentials; nil if the proxy doesn't require any.
    public var authorization: Authorization?

    /// Creates a proxy.
    public init(host: String, port: Int, authorization: Authorization? = nil) {
        self.host = host
        self.port = port
        self.authorization = authorization
    }
}
