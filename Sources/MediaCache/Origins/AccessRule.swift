/// The rule that decides whether a target may be contacted, based on the scope of the request and the target's address.
package struct AccessRule: Sendable {
    /// Local networks that the user allows to be contacted regardless of the scope.
    package var grants: [AddressRange]

    package init(grants: [AddressRange] = []) {
        self.grants = grants
    }

    /// Returns whether a URL may be requested.
    ///
    /// The address of a name is checked after connecting. A proxy resolves names itself and doesn't report the address,
    /// so names that are known to be local are refused here if `isProxied` is true.
    package func permits(_ url: ResourceURL, scope: AddressScope, isProxied: Bool) -> Bool {
        guard scope == .publicOnly else { return true }
        if let literal = IPAddress(host: url.host) { return permits(connected: literal, scope: scope) }
        // A proxy may map non-ASCII digits and dots to those of an address.
        return !isProxied
            || url.hostKind == .unknown && url.host.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") }
    }

    /// Returns whether the address of a connection may be contacted. Scope `publicOnly` refuses an unknown address.
    package func permits(connected address: IPAddress?, scope: AddressScope) -> Bool {
        guard scope == .publicOnly else { return true }
        guard let address else { return false }
        return address.kind == .global || grants.contains { $0.contains(address) }
    }
}

/// The addresses that a request may be sent to.
public enum AddressScope: String, Sendable, Hashable, Codable {
    /// Any address, for targets given by the user or by a local document.
    case any
    /// Only public addresses, and those that the user allows: no other loopback, private, link-local or otherwise
    /// special ones. Thus, external names and redirects can't lead to hosts behind this machine's firewall.
    case publicOnly
}

extension AddressScope {
    /// Returns the narrower of two scopes.
    public func narrowed(to other: AddressScope) -> AddressScope { self == .publicOnly ? self : other }

    /// Creates the scope for references of a document, including the target of a redirect.
    ///
    /// A local document may reference local and public targets if it was requested with scope ``any``; any other
    /// document may reference public targets only. A document from an unknown peer counts as public unless its URL has
    /// a local host.
    ///
    /// - Parameters:
    ///   - url: The document's URL after redirects.
    ///   - peer: The kind of address from which the document was received.
    ///   - scope: The scope of the request for the document.
    package init(ofReferencesAt url: ResourceURL, from peer: AddressKind, requestedWith scope: AddressScope) {
        let kind = peer == .unknown ? url.hostKind : peer
        self = kind == .local ? scope : .publicOnly
    }
}

/// The kind of an address.
public enum AddressKind: String, Sendable, Hashable, Codable {
    /// A global address, reachable from anywhere.
    case global
    /// A loopback, private, link-local or otherwise special address.
    case local
    /// An unknown address, for example behind an upstream proxy.
    case unknown
}

extension ResourceURL {
    /// Top-level domains of local hosts: `localhost` (RFC 6761 §6.3), `local` and other private ones (RFC 6762 §3 and
    /// appendix G), and `localdomain`, which some home routers use.
    private static let localDomains: Set<Substring> = [
        "localhost", "local", "internal", "localdomain", "lan", "home", "corp", "intranet", "private",
    ]

    /// The kind of the host according to the URL alone; unknown for a name that must be resolved.
    package var hostKind: AddressKind {
        if let literal = IPAddress(host: host) { return literal.kind }
        var name = host[...]
        while name.hasSuffix(".") { name.removeLast() }
        // A name without a dot is resolved with a search list or on the local link.
        guard let dot = name.lastIndex(of: ".") else { return .local }
        return Self.localDomains.contains(name[name.index(after: dot)...]) || name.hasSuffix(".home.arpa")
            ? .local : .unknown
    }
}

extension ResourceHead {
    /// Returns the kind of address that sent the version or, if it's unknown, of the host of ``location`` or `url`.
    package func addressKind(at url: ResourceURL) -> AddressKind {
        peer == .unknown ? (location ?? url).hostKind : peer
    }
}

/// A block of IP addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), such as `10.0.0.0/8`, `fd00::/8` or the
/// single address `192.168.1.20`.
public struct AddressRange: Sendable, Hashable, LosslessStringConvertible {
    private let base: IPAddress
    private let prefixLength: Int

    /// Parses `address` or `address/length`. Bits beyond the length are ignored.
    ///
    /// - Returns: nil if the text isn't an address, or the length isn't in 0…32 for IPv4 or 0…128 for IPv6.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let isMapped = address.bytes.count == 4 && text.contains(":")
        var length = address.bytes.count * 8
        if parts.count == 2 {
            guard parts[1].isDecimal, var given = Int(parts[1]) else { return nil }
            // A mapped address such as `::ffff:10.0.0.0/104` has the prefix length of IPv6.
            if isMapped { given -= 96 }
            guard (0...length).contains(given) else { return nil }
            length = given
        }
        base = IPAddress(bytes: Self.prefix(of: address.bytes, length: length))
        prefixLength = length
    }

    /// Returns `bytes` with zeros after the first `length` bits.
    private static func prefix(of bytes: [UInt8], length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            byte & UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, length - index * 8)))
        }
    }

    /// The range in CIDR notation, without bits beyond the length.
    public var description: String { "\(base)/\(prefixLength)" }

    /// Returns whether the range contains `address` or the IPv4 address embedded in it (``IPAddress/translated``).
    package func contains(_ address: IPAddress) -> Bool {
        if let translated = address.translated, contains(translated) { return true }
        return Self.prefix(of: address.bytes, length: prefixLength) == base.bytes
    }
}
