internal import MediaCache

extension RangeSet<Int64> {
    /// As bytes, with a checksum at their end. Its numbers aren't negative.
    var encoded: [UInt8] {
        var writer = VarintWriter()
        var last: Int64 = 0
        for range in ranges {
            writer.write(UInt64(range.lowerBound - last))
            writer.write(UInt64(range.count))
            last = range.upperBound
        }
        writer.write(fixed: writer.bytes.withUnsafeBytes { CRC32C.extend(with: $0) })
        return writer.bytes
    }

    /// Reads what ``encoded`` wrote; nil for anything else.
    init?(encoded bytes: [UInt8]) {
        var checksum = VarintReader(bytes.suffix(4))
        guard bytes.count >= 4,
            checksum.readFixed() == bytes.withUnsafeBytes({ CRC32C.extend(with: .init(rebasing: $0.dropLast(4))) })
        else { return nil }
        self.init()
        var reader = VarintReader(bytes.dropLast(4))
        var last: Int64 = 0
        while !reader.isAtEnd {
            guard let distance = reader.read(), let count = reader.read() else { return nil }
            let lower = last.clampedSum(Int64(clamping: distance))
            last = lower.clampedSum(Int64(clamping: count))
            insert(contentsOf: lower..<last)
        }
    }
}
