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
/// A page elsewhere can have its own name resolve to this machine (DNS rebinding), but it can't make the browser send
/// another name than that.
///
/// A client is local if its connection comes from a loopback address. That a request names a loopback host proves
/// nothing: any client can. What a request says may only make its client remote: a host that isn't loopback, a field
/// that a proxy adds, or a page of another site. No client of an exposed server is local, since its reverse proxy connects from loopback.
struct HostPolicy: Sendable {
    private let allowed: Set<String>
    private let isExposed: Bool

    /// A policy that allows loopback, `boundHost` and the names in `allowedHosts` (each with or without a port).
    init(boundHost: String, allowedHosts: [String], isExposed: Bool) {
        allowed = Set((allowedHosts + [boundHost]).map { Self.name(of: $0) })
        self.isExposed = isExposed
    }

    init(_ configuration: ServerConfiguration) {
        self.init(
            boundHost: configuration.host, allowedHosts: configuration.allowedHosts,
            isExposed: configuration.isExposed)
    }

    /// Judges `host`, the value of a `Host` field if there is one, on a connection made to `localAddress`.
    func verdict(on host: String?, localAddress: String?) -> HostVerdict {
        HostVerdict(
            isAllowed: host.map { allows($0, localAddress: localAddress) } ?? true,
            permitsLocality: !isExposed && host.map(Self.isLoopback) ?? true)
    }

    /// Whether `host`, the value of a `Host` field, may be answered on a connection made to `localAddress`.
    func allows(_ host: String, localAddress: String?) -> Bool {
        let name = Self.name(of: host)
        return Self.meansThisMachine(name) || allowed.contains(name) || (localAddress.map { Self.name(of: $0) } == name)
    }

    /// Whether a request was passed on by a proxy: RFC 7239, RFC 9110 §7.6.3, and what proxies sent before those.
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

    /// Whether a browser says that a page of another site makes the request: Sec-Fetch-Site (Fetch Metadata), or the
    /// Origin field (RFC 6454) of one that doesn't send that. Players that aren't pages send neither.
    static func isOfOtherSite(_ fields: HTTPHeaders) -> Bool {
        if fields[canonicalForm: "sec-fetch-site"].contains(where: { $0.lowercased() == "cross-site" }) { return true }
        return fields["origin"].contains { origin in
            let parts = origin.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            return parts.count != 3 || !isLoopback(String(parts[2]))
        }
    }

    /// Whether `address` is the loopback address of a socket's other end.
    static func isLoopback(_ address: SocketAddress?) -> Bool {
        guard let text = address?.ipAddress else { return false }
        // An IPv4 client of an IPv6 socket (RFC 4291 §2.5.5.2).
        return isLoopback(text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text)
    }

    /// Whether a name or an address always means this machine.
    static func isLoopback(_ host: String) -> Bool { meansThisMachine(name(of: host)) }

    private static func meansThisMachine(_ name: String) -> Bool {
        if name == "127.0.0.1" || name == "localhost" || name == "::1" { return true }
        let octets = name.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.dropFirst().allSatisfy { UInt8($0) != nil }
    }

    /// The host in lower case, without port, brackets and a final dot.
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
