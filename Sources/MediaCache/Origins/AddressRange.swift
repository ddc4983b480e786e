/// A block of IP addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), such as `10.0.0.0/8`, `fd00::/8` or the
/// single address `192.168.1.20`.
public struct AddressRange: Sendable, Hashable, LosslessStringConvertible {
    private let base: IPAddress
    private let prefixLength: Int

    /// Parses `address` or `address/length`. Bits of the address past the length count for nothing.
    ///
    /// - Returns: nil if the text is no address, or the length isn't 0…32 for IPv4 and 0…128 for IPv6.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let isMapped = address.bytes.count == 4 && text.contains(":")
        var length = address.bytes.count * 8
        if parts.count == 2 {
            let digits = parts[1]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), var given = Int(digits)
            else {
                return nil
            }
            // `::ffff:10.0.0.0/104` is written with a length of IPv6.
            if isMapped { given -= 96 }
            guard (0...length).contains(given) else { return nil }
            length = given
        }
        var bytes = address.bytes
        for index in bytes.indices {
            let kept = min(8, max(0, length - index * 8))
            bytes[index] &= UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
        base = IPAddress(bytes: bytes)
        prefixLength = length
    }

    /// The range as it's written, without bits past the length.
    public var description: String { "\(base)/\(prefixLength)" }

    /// Whether `address`, itself or as what it's translated to, lies in the range.
    package func contains(_ address: IPAddress) -> Bool {
        if let translated = address.translated, contains(translated) { return true }
        guard address.bytes.count == base.bytes.count else { return false }
        for index in base.bytes.indices {
            let kept = min(8, max(0, prefixLength - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            if address.bytes[index] & mask != base.bytes[index] { return false }
        }
        return true
    }
}
