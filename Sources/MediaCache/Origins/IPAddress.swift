import Foundation

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) is stored as IPv4.
package struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    /// Parses the text forms of RFC 4291 §2.2 and dotted-decimal IPv4, but not short forms such as `127.1`.
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

    /// Parses the host of a URL; returns nil for a name. IPv4 addresses are accepted in all forms that resolvers and
    /// browsers accept (`127.1`, `0x7f000001`, `0177.0.0.1`, `2130706433`, with a trailing dot or percent-encoded).
    package init?(host: String) {
        let host = host.utf8.contains(UInt8(ascii: "%")) ? host.removingPercentEncoding ?? host : host
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
        var bare = isLiteral ? host.dropFirst().dropLast() : host[...]
        // A zone identifier (RFC 6874) selects an interface and isn't part of the address.
        bare = bare.prefix { $0 != "%" }
        if let address = IPAddress(bare) {
            self = address
        } else if !isLiteral, let bytes = Self.numberedIPv4(bare) {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    /// Returns the bytes of an IPv4 address written as one to four numbers, each decimal, octal (`0…`) or hexadecimal
    /// (`0x…`). The last number fills the rest of the address (WHATWG URL §3.5, `inet_aton`).
    private static func numberedIPv4(_ text: Substring) -> [UInt8]? {
        let text = text.hasSuffix(".") ? text.dropLast() : text
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        var value: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = Self.number(part) else { return nil }
            let isLast = index == parts.count - 1
            let bits = UInt64(isLast ? 8 * (4 - index) : 8)
            guard number < 1 << bits else { return nil }
            value = value << bits | number
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt64(24 - 8 * $0)) }
    }

    private static func number(_ text: Substring) -> UInt64? {
        guard text.utf8.first?.isASCIIDigit == true else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            let digits = text.dropFirst(2)
            return digits.isEmpty ? 0 : digits.hasPrefix("+") || digits.hasPrefix("-") ? nil : UInt64(digits, radix: 16)
        }
        return UInt64(text, radix: text.hasPrefix("0") && text.count > 1 ? 8 : 10)
    }

    /// The IPv4 address embedded in a NAT64 (RFC 6052) or 6to4 (RFC 3056) address; nil for other addresses.
    package var translated: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return IPAddress(bytes: Array(bytes[12...]))
        }
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes: Array(bytes[2..<6])) }
        return nil
    }

    /// The kind of the address according to the registries of special-purpose addresses (RFC 6890). Multicast addresses
    /// are local. A translated address has the kind of its IPv4 address.
    package var kind: AddressKind {
        if let translated { return translated.kind }
        if bytes.count == 4 {
            return Self.specialIPv4.contains { $0.contains(self) } ? .local : .global
        }
        // IANA allocates global unicast addresses only from 2000::/3.
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
