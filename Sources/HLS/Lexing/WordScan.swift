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
