/// The start code prefix 00 00 01 of video byte streams (ISO/IEC 14496-10, annex B; 13818-2, 6.2.1).
enum StartCode {
    static let length = 3

    /// The number of positions tested in one step.
    private static let stride = 32

    /// Returns the index of the first prefix at or after `start`, or nil. Bytes at or after `limit` aren't read.
    static func first(in bytes: UnsafeRawBufferPointer, from start: Int, to limit: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let end = min(limit, bytes.count)
        var index = max(0, start)
        while index + stride + length <= end, !hasPrefixSoon(base + index) { index += stride }
        while index + length <= end {
            let third = base.load(fromByteOffset: index + 2, as: UInt8.self)
            if third > 1 {
                index += 3
            } else if third == 1, base.loadUnaligned(fromByteOffset: index, as: UInt16.self) == 0 {
                return index
            } else {
                index += 1
            }
        }
        return nil
    }

    /// Returns whether a prefix begins at one of the next ``stride`` positions.
    @inline(__always)
    private static func hasPrefixSoon(_ bytes: UnsafeRawPointer) -> Bool {
        let ones = SIMD4<UInt64>(repeating: 0x0101_0101_0101_0101)
        let (first, second, third) = (words(bytes), words(bytes + 1), words(bytes + 2))
        // A byte of this value is 0 exactly where a prefix begins.
        let differences = first | second | (third ^ ones)
        let zeros = (differences &- ones) & ~differences
        return (zeros[0] | zeros[1] | zeros[2] | zeros[3]) & 0x8080_8080_8080_8080 != 0
    }

    @inline(__always)
    private static func words(_ bytes: UnsafeRawPointer) -> SIMD4<UInt64> {
        bytes.loadUnaligned(as: SIMD4<UInt64>.self)
    }
}
