import MediaCache
import NIOCore
import NIOHTTP1

/// The result of checking a request's host.
struct HostVerdict: Sendable {
    let isAllowed: Bool
    /// Whether a client that names this host can be local, depending on its connection and other header fields.
    let permitsLocality: Bool
}

/// The rules for the hosts that a request may name and for the clients that count as local.
///
/// The check of the host prevents DNS rebinding: a page from another site can make its domain resolve to this machine,
/// but the browser still sends that domain as the host. An address isn't resolved, so an exposed server accepts every
/// address, such as that of a container's host.
///
/// A client is local if it connects from a loopback address. A request can only make its client remote: by naming a
/// host that isn't loopback, by a header field that a proxy adds, or by originating from a page of another site. A
/// loopback host in the request proves nothing. Clients of an exposed server are never local, since its reverse proxy
/// connects from loopback.
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

    /// Returns the verdict on the host of a request on a connection to `localAddress`.
    func verdict(on host: String?, localAddress: String?) -> HostVerdict {
        HostVerdict(
            isAllowed: host.map { allows($0, localAddress: localAddress) } ?? true,
            permitsLocality: !isExposed && host.map(Self.isLoopback) ?? true)
    }

    func allows(_ host: String, localAddress: String?) -> Bool {
        let name = Self.name(of: host)
        return Self.refersToThisMachine(name) || allowed.contains(name)
            || (localAddress.map { Self.name(of: $0) } == name) || (isExposed && IPAddress(name) != nil)
    }

    /// Returns whether a request has a field of proxies: those of RFC 7239, RFC 9110 §7.6.3, or the older `X-` fields.
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

    /// Returns whether a page from another site sent the request, according to Sec-Fetch-Site (Fetch Metadata) or
    /// Origin (RFC 6454), since older browsers send only the latter. Players other than browsers send neither.
    static func isCrossSite(_ fields: HTTPHeaders) -> Bool {
        if fields[canonicalForm: "sec-fetch-site"].contains(where: { $0.lowercased() == "cross-site" }) { return true }
        return fields["origin"].contains { origin in
            let parts = origin.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            return parts.count != 3 || !isLoopback(String(parts[2]))
        }
    }

    static func isLoopback(_ address: SocketAddress?) -> Bool {
        guard let text = address?.ipAddress else { return false }
        // An IPv4 client of an IPv6 socket (RFC 4291 §2.5.5.2).
        return isLoopback(text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text)
    }

    /// Returns whether a name or an address always means this machine.
    static func isLoopback(_ host: String) -> Bool { refersToThisMachine(name(of: host)) }

    private static func refersToThisMachine(_ name: String) -> Bool {
        if name == "127.0.0.1" || name == "localhost" || name == "::1" { return true }
        let octets = name.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.dropFirst().allSatisfy { UInt8($0) != nil }
    }

    /// Returns the host in lower case, without port, brackets and trailing dot.
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
