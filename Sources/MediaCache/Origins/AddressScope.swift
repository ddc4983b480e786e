/// The addresses that a request may be sent to.
public enum AddressScope: String, Sendable, Hashable, Codable {
    /// Every address: the user or a local document named the target.
    case any
    /// No loopback, private, link-local or otherwise special address, so that neither a name nor a redirect from
    /// outside can reach what stands behind this machine's firewall.
    case publicOnly
}

extension AddressScope {
    /// Returns the narrower of two scopes.
    public func narrowed(to other: AddressScope) -> AddressScope { self == .publicOnly ? self : other }

    /// The scope of everything that a document names: its references, and the target if it's a redirect.
    ///
    /// A local document may name local and public targets, if it was requested with scope ``any`` itself; every other
    /// document may name public targets alone. A document whose peer is unknown counts as public, unless its URL alone
    /// says that its host is local.
    ///
    /// - Parameters:
    ///   - url: the document's URL after redirects.
    ///   - peer: the kind of address that the document came from.
    ///   - scope: the scope that the document was requested with.
    package init(ofReferencesAt url: ResourceURL, from peer: AddressKind, requestedWith scope: AddressScope) {
        let kind = peer == .unknown ? url.hostKind : peer
        self = kind == .local ? scope : .publicOnly
    }
}

/// What kind of address answered.
public enum AddressKind: String, Sendable, Hashable, Codable {
    /// Reachable from anywhere.
    case global
    /// Loopback, private, link-local or otherwise special.
    case local
    /// The transport can't tell, as behind an upstream proxy.
    case unknown
}

extension ResourceURL {
    /// Top-level names that lead to hosts of the local network: RFC 6761, RFC 6762, RFC 8375, and names that ICANN has
    /// reserved or that home routers give out.
    private static let localDomains: Set<Substring> = [
        "localhost", "local", "internal", "localdomain", "lan", "home", "corp", "intranet", "private",
    ]

    /// The kind of the host, as far as the URL alone tells: unknown for a name that has to be resolved.
    package var hostKind: AddressKind {
        if let literal = IPAddress(host: host) { return literal.kind }
        var name = host[...]
        while name.hasSuffix(".") { name.removeLast() }
        // A name without a dot is found by a search list or on the local link.
        guard let dot = name.lastIndex(of: ".") else { return .local }
        return Self.localDomains.contains(name[name.index(after: dot)...]) || name.hasSuffix(".home.arpa")
            ? .local : .unknown
    }
}

extension ResourceHead {
    /// The kind of address that the version came from; where the peer is unknown, as far as the URL alone tells.
    ///
    /// - Parameter url: the URL that was requested.
    package func addressKind(at url: ResourceURL) -> AddressKind {
        peer == .unknown ? (location ?? url).hostKind : peer
    }
}
