import HLS

/// Bytes of a resource in JSON, with the offset that the ranges before imply.
struct ByteRangeRecord: Encodable, Sendable {
    /// How many bytes.
    var length: Int
    /// The first byte.
    var offset: Int

    /// The record of bytes.
    init(_ range: Range<Int>) {
        length = range.count
        offset = range.lowerBound
    }

    /// The record of a range that stands alone: without an offset it begins at the first byte.
    init(_ range: ByteRange) {
        length = range.length
        offset = range.offset ?? 0
    }
}
