/// A four-character code, such as a box type, brand or sample entry (ISO/IEC 14496-12, 4.2).
public struct FourCC: RawRepresentable, Hashable, Sendable {
    /// The four characters as a big-endian integer.
    public var rawValue: UInt32

    /// Creates a code from a big-endian integer.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension FourCC: ExpressibleByStringLiteral {
    /// Creates a code from a literal of up to four characters, ASCII or ©, padded with spaces.
    @inlinable
    public init(stringLiteral value: StaticString) {
        var raw: UInt32 = 0
        var count = 0
        value.withUTF8Buffer { bytes in
            // QuickTime's © (0xA9) is encoded in two bytes in UTF-8.
            var index = 0
            while index < bytes.count, count < 4 {
                var byte = bytes[index]
                if byte == 0xC2, index + 1 < bytes.count {
                    index += 1
                    byte = bytes[index]
                }
                raw = raw << 8 | UInt32(byte)
                index += 1
                count += 1
            }
        }
        while count < 4 {
            raw = raw << 8 | 0x20
            count += 1
        }
        self.init(rawValue: raw)
    }
}

extension FourCC: CustomStringConvertible {
    /// The four characters in Latin-1; control characters appear as `.`.
    public var description: String {
        var text = ""
        for shift in [24, 16, 8, 0] as [UInt32] {
            let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
            let isControl = byte < 0x20 || (0x7F..<0xA0).contains(byte)
            text.unicodeScalars.append(Unicode.Scalar(isControl ? 0x2E : byte))
        }
        return text
    }
}
