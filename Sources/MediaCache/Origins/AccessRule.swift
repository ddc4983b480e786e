/// The rule that decides whether a target may be contacted, by the scope of the request and the address that the
/// connection leads to. Every origin over a network asks it twice: with the URL before anything is connected, and with
/// the connected address before the first byte of the request.
package struct AccessRule: Sendable {
    /// A target that may not be contacted.
    package struct Refusal: Error, Hashable {
        /// The address or the name that led to the refusal.
        package var address: String
    }

    /// Local networks that the user has granted: they may be contacted whatever the scope.
    package var grants: [AddressRange]

    /// Creates a rule.
    package init(grants: [AddressRange] = []) {
        self.grants = grants
    }

    /// Checks what the URL alone tells.
    ///
    /// A direct connection to a name is checked when it stands. A proxy resolves names by itself, and the address that
    /// it connects to isn't known here. Names that are known to be local are therefore refused in front of a proxy.
    ///
    /// - Parameters:
    ///   - url: the target.
    ///   - scope: the scope of the request.
    ///   - isProxied: whether a proxy connects to the target.
    package func check(_ url: ResourceURL, scope: AddressScope, isProxied: Bool) throws(Refusal) {
        guard scope == .publicOnly else { return }
        if let literal = IPAddress(host: url.host) { return try check(connected: literal, scope: scope) }
        guard isProxied else { return }
        // A proxy may map other scripts' digits and dots to those of an address.
        guard url.hostKind == .unknown, url.host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) else {
            throw Refusal(address: "the local name \(url.host)")
        }
    }

    /// Checks the address of a connection. An address that isn't known is refused.
    package func check(connected address: IPAddress?, scope: AddressScope) throws(Refusal) {
        guard scope == .publicOnly else { return }
        guard let address else { throw Refusal(address: "an unknown address") }
        guard address.kind != .global, !grants.contains(where: { $0.contains(address) }) else { return }
        throw Refusal(address: address.description)
    }
}
