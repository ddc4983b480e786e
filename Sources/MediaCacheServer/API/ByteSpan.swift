/// A run of bytes that is kept: from `start` up to, not including, `end`.
public struct ByteSpan: Codable, Sendable, Hashable {
    /// The first byte's offset.
    public var start: Int64
    /// One past the last byte's offset.
    public var end: Int64

    /// Creates a span.
    public init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }

    /// The span of a range.
    init(_ range: Range<Int64>) { self.init(start: range.lowerBound, end: range.upperBound) }
}
