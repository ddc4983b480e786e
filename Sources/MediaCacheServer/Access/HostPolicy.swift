/// What a `Host` field means for who is to be answered.
struct HostVerdict: Sendable {
    /// Whether it's answered at all.
    let isAllowed: Bool
    /// Whether only this machine can have asked.
    let isLocal: Bool
}

/// Which `Host` a request may name. A page elsewhere can have its own name resolve to this machine (DNS rebinding),
/// but it can't make the browser send another name than that.
struct HostPolicy: Sendable {
    private let allowed: Set<String>
    private let isBoundToLoopback: Bool

    /// A policy that allows loopback, `boundHost` and the names in `allowedHosts` (each with or without a port).
    init(boundHost: String, allowedHosts: [String]) {
        allowed = Set((allowedHosts + [boundHost]).map { Self.name(of: $0) })
        isBoundToLoopback = Self.isLoopback(boundHost)
    }

    /// What is to be made of `host`, the value of a `Host` field if there is one, on a connection made to `localAddress`.
    func verdict(on host: String?, localAddress: String?) -> HostVerdict {
        HostVerdict(isAllowed: host.map { allows($0, localAddress: localAddress) } ?? true, isLocal: isLocal(host))
    }

    /// Whether `host`, the value of a `Host` field, may be answered on a connection made to `localAddress`.
    func allows(_ host: String, localAddress: String?) -> Bool {
        let name = Self.name(of: host)
        return Self.meansThisMachine(name) || allowed.contains(name) || (localAddress.map { Self.name(of: $0) } == name)
    }

    /// Whether only this machine can have asked: nobody else reaches the server, and no proxy before it was asked under
    /// another name.
    func isLocal(_ host: String?) -> Bool { isBoundToLoopback && host.map(Self.isLoopback) ?? true }

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
