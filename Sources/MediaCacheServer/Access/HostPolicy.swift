import NIOCore
import NIOHTTP1

/// The result of checking a request's host.
struct HostVerdict: Sendable {
    /// Whether the request is answered.
    let isAllowed: Bool
    /// Whether the host leaves the client local. The connection and the request's other fields decide too.
    let permitsLocality: Bool
}

/// The hosts that a request may name, and the clients that are local.
///
/// The check of hosts prevents DNS rebinding: a page of another site can make its own name resolve to this machine, but
/// the browser still sends that name.
///
/// A client is local if its connection comes from a loopback address. The request can only make it remote: by a host
/// that isn't loopback, a field that a proxy adds, or a page of another site. A loopback host in the request proves
/// nothing. No client of an exposed server is local, since its reverse proxy connects from loopback.
struct HostPolicy: Sendable {
    private let allowed: Set<String>
    private let isExposed: Bool

    /// Creates a policy that allows loopback, `boundHost` and the names in `allowedHosts`, each with or without a port.
    init(boundHost: String, allowedHosts: [String], isExposed: Bool) {
        allowed = Set((allowedHosts + [boundHost]).map { Self.name(of: $0) })
        self.isExposed = isExposed
    }

    init(_ configuration: ServerConfiguration) {
        self.init(
            boundHost: configuration.host, allowedHosts: configuration.allowedHosts,
            isExposed: configuration.isExposed)
    }

    /// Returns the verdict on the value of a `Host` field, on a connection to `localAddress`.
    func verdict(on host: String?, localAddress: String?) -> HostVerdict {
        HostVerdict(
            isAllowed: host.map { allows($0, localAddress: localAddress) } ?? true,
            permitsLocality: !isExposed && host.map(Self.isLoopback) ?? true)
    }

    /// Returns whether a request with this `Host` field is answered on a connection to `localAddress`.
    func allows(_ host: String, localAddress: String?) -> Bool {
        let name = Self.name(of: host)
        return Self.meansThisMachine(name) || allowed.contains(name) || (localAddress.map { Self.name(of: $0) } == name)
    }

    /// Returns whether a proxy forwarded a request: RFC 7239, RFC 9110 §7.6.3, and the older `X-` fields.
    static func wasForwarded(_ fields: HTTPHeaders) -> Bool {
        fields.contains { name, _ in
            switch name.utf8.count {
            case 3: name.lowercased() == "via"
            case 9: ["forwarded", "x-real-ip"].contains(name.lowercased())
            case 11...: name.lowercased().hasPrefix("x-forwarded-")
            default: false
            }
        }
    }

    /// Returns whether a page of another site made the request: by Sec-Fetch-Site (Fetch Metadata), or by the Origin
    /// field (RFC 6454) of browsers without it. Players outside browsers send neither.
    static func isOfOtherSite(_ fields: HTTPHeaders) -> Bool {
        if fields[canonicalForm: "sec-fetch-site"].contains(where: { $0.lowercased() == "cross-site" }) { return true }
        return fields["origin"].contains { origin in
            let parts = origin.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            return parts.count != 3 || !isLoopback(String(parts[2]))
        }
    }

    /// Returns whether a socket address is a loopback address.
    static func isLoopback(_ address: SocketAddress?) -> Bool {
        guard let text = address?.ipAddress else { return false }
        // An IPv4 client of an IPv6 socket (RFC 4291 §2.5.5.2).
        return isLoopback(text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text)
    }

    /// Returns whether a name or an address always means this machine.
    static func isLoopback(_ host: String) -> Bool { meansThisMachine(name(of: host)) }

    private static func meansThisMachine(_ name: String) -> Bool {
        if name == "127.0.0.1" || name == "localhost" || name == "::1" { return true }
        let octets = name.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.dropFirst().allSatisfy { UInt8($0) != nil }
    }

    /// Returns the host in lower case, without port, brackets and final dot.
    private static func name(of host: String) -> String {
        var name = Substring(host.lowercased())
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
            return String(name[name.index(after: name.startIndex)..<end])
        }
        // More than one colon is an IPv6 address without brackets.
        if let colon = name.lastIndex(of: ":"), name.firstIndex(of: ":") == colon { name = name[..<colon] }
        if name.hasSuffix(".") { name = name.dropLast() }
        return String(name)
    }
}
