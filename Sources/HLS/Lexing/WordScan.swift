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
        var index = 0
        while index &+ 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let allowed =
                Self.zeros(word ^ Self.ones &* UInt64(UInt8.lineFeed))
                | Self.zeros(word ^ Self.ones &* UInt64(UInt8.carriageReturn))
                | Self.zeros(word ^ Self.ones &* UInt64(UInt8.tab))
            let controls = Self.zeros(word & Self.ones &* 0xE0) | Self.zeros(word ^ Self.ones &* 0x7F)
            if controls & ~allowed != 0 { return true }
            index &+= 8
        }
        return self[index...].contains(where: \.isForbiddenControl)
    }

    /// The highest bit of each byte that is zero.
    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 {
        ~(((word & ~highs) &+ ~highs) | word | ~highs)
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
