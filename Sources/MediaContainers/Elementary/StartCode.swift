/// The start code prefix 00 00 01 of video byte streams (ISO/IEC 14496-10, annex B; 13818-2, 6.2.1).
enum StartCode {
    /// The length of the prefix.
    static let length = 3

    /// Where the first prefix at or after `start` begins, or nil. Bytes from `limit` on aren't looked at.
    static func first(in bytes: UnsafeRawBufferPointer, from start: Int, to limit: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let end = min(limit, bytes.count)
        var index = max(0, start)
        while index + length <= end {
            // Most runs of 16 bytes of coded video hold no zero, and so no prefix begins in them.
            while index + 16 <= end {
                let low = base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let high = base.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self)
                guard zeroes(low) | zeroes(high) == 0 else { break }
                index += 16
            }
            let stop = min(index + 16, end - 2)
            while index < stop {
                let third = base.load(fromByteOffset: index + 2, as: UInt8.self)
                if third > 1 {
                    index += 3
                } else if third == 1, base.loadUnaligned(fromByteOffset: index, as: UInt16.self) == 0 {
                    return index
                } else {
                    index += 1
                }
            }
        }
        return nil
    }

    /// Not 0 if one of the eight bytes is 0.
    @inline(__always)
    private static func zeroes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }
}
