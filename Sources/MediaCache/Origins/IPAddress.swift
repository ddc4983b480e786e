#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An IPv4 or IPv6 address. An IPv4 address inside an IPv6 one (`::ffff:a.b.c.d`) is taken for what it is.
package struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes, in network order.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    /// Parses the text forms of RFC 4291 §2.2 and four decimal numbers; nothing else, so no `127.1`.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes: bytes)
        } else if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes: Array(bytes[..<4]))
        } else {
            return nil
        }
    }

    /// The host of a URL, if it's an address and no name. The forms that resolvers take for addresses too (`127.1`,
    /// `0x7f000001`) aren't seen here, but as the connected address.
    package init?(host: String) {
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isLiteral ? host.dropFirst().dropLast() : host[...]
        // A zone (RFC 6874) names an interface, not another address.
        self.init(bare.prefix { $0 != "%" })
    }

    /// The IPv4 address that a translator will reach in the end: NAT64 (RFC 6052), 6to4 (RFC 3056).
    package var translated: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return IPAddress(bytes: Array(bytes[12...]))
        }
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes: Array(bytes[2..<6])) }
        return nil
    }

    /// Whether the address can be reached from anywhere, by the registries of special-purpose addresses (RFC 6890).
    package var kind: AddressKind {
        if let translated { return translated.kind }
        if bytes.count == 4 {
            return Self.specialIPv4.contains { $0.contains(self) } ? .local : .global
        }
        // All of IPv6 that is given out lies in 2000::/3 (RFC 4291 §2.4).
        let isUnicast = bytes[0] & 0xE0 == 0x20
        return isUnicast && !Self.specialIPv6.contains { $0.contains(self) } ? .global : .local
    }

    private static let specialIPv4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    ].compactMap { AddressRange($0) }

    private static let specialIPv6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].compactMap { AddressRange($0) }
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "\(bytes)" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
