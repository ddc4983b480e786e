/// Copies runs of bits that begin anywhere in a byte.
enum BitCopy {
    /// The bits from `start` on, as bytes; the last is filled up with zeroes. What lies past the end is zero.
    static func bytes(of source: UnsafeRawBufferPointer, from start: Int, count: Int) -> [UInt8] {
        var target: [UInt8] = []
        append(source, from: start, count: count, to: &target)
        return target
    }

    /// Appends the bits from `start` on as bytes; the last is filled up with zeroes.
    static func append(_ source: UnsafeRawBufferPointer, from start: Int, count: Int, to target: inout [UInt8]) {
        guard start >= 0, count > 0 else { return }
        let shift = UInt16(start % 8)
        var index = start / 8
        var left = count
        while left > 0 {
            let high = index < source.count ? UInt16(source[index]) : 0
            let low = index + 1 < source.count ? UInt16(source[index + 1]) : 0
            var byte = UInt8(truncatingIfNeeded: ((high << 8 | low) << shift) >> 8)
            if left < 8 { byte &= 0xFF << UInt8(8 - left) }
            target.append(byte)
            index += 1
            left -= 8
        }
    }
}
