/// Looks at eight bytes at a time.
extension UnsafeRawBufferPointer {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Whether no byte has its highest bit set.
    var isASCII: Bool {
        var index = 0
        while index &+ 8 <= count {
            if loadUnaligned(fromByteOffset: index, as: UInt64.self) & Self.highs != 0 { return false }
            index &+= 8
        }
        return self[index...].allSatisfy { $0 & 0x80 == 0 }
    }

    /// Whether a control character but for line ends and tabs stands anywhere (RFC 8216bis, section 4.1).
    var hasForbiddenControl: Bool {
        // Without a branch, so that the compiler makes it look at many bytes at a time.
        var found: UInt8 = 0
        for byte in self {
            let isAllowed: UInt8 = byte == .lineFeed ? 1 : byte == .carriageReturn ? 1 : byte == .tab ? 1 : 0
            found |= (byte < 0x20 ? 1 : 0) & ~isAllowed | (byte == 0x7F ? 1 : 0)
        }
        return found != 0
    }

    /// Whether a byte stands anywhere.
    func contains(_ byte: UInt8) -> Bool {
        let pattern = Self.ones &* UInt64(byte)
        var index = 0
        while index &+ 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ pattern
            if (word &- Self.ones) & ~word & Self.highs != 0 { return true }
            index &+= 8
        }
        return self[index...].contains { $0 == byte }
    }
}
