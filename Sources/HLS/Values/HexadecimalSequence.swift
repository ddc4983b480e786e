/// A hexadecimal-sequence: `0x` and hexadecimal digits (RFC 8216bis, section 4.2).
public struct HexadecimalSequence: Sendable, Hashable, CustomStringConvertible {
    /// The bytes, most significant first. An odd number of digits is filled with a zero in front.
    public var bytes: [UInt8]

    /// A sequence of bytes.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads `0x1F`; an upper-case `0X` and lower-case digits are taken too.
    public init?(_ text: String) {
        let utf8 = Array(text.utf8)
        guard utf8.count > 2, utf8[0] == .zero, utf8[1] | 0x20 == UInt8(ascii: "x") else { return nil }
        var digits: [UInt8] = utf8.count % 2 == 0 ? [] : [0]
        for byte in utf8[2...] {
            guard let digit = byte.hexValue else { return nil }
            digits.append(digit)
        }
        bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The sequence as a playlist writes it, in upper case.
    public var description: String {
        let digits = bytes.flatMap { [UInt8.hexDigit($0 >> 4), UInt8.hexDigit($0 & 15)] }
        return "0x" + String(decoding: digits, as: UTF8.self)
    }
}
