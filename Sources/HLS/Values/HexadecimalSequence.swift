/// A sequence of bytes in hexadecimal digits after `0x` (RFC 8216bis §4.2: hexadecimal-sequence).
public struct HexadecimalSequence: Sendable, Hashable, CustomStringConvertible {
    /// The bytes. In parsed text, an odd number of digits is padded with a leading zero.
    public var bytes: [UInt8]

    /// Creates a sequence of bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Parses `0x1F`, with digits and prefix in either case. Returns nil for any other text.
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

    /// The sequence in playlist syntax, with digits in upper case.
    public var description: String {
        let digits = bytes.flatMap { [UInt8.hexDigit($0 >> 4), UInt8.hexDigit($0 & 15)] }
        return "0x" + String(decoding: digits, as: UTF8.self)
    }
}
