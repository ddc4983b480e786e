/// The bytes of partial segments, one part after the other: a range without an offset begins where the range of the
/// previous part ended (RFC 8216bis, section 4.4.4.9).
public struct PartByteRanges: Sendable {
    private var end = 0

    /// Ranges before the first part of a playlist.
    public init() {}

    /// Returns the bytes of the next part.
    ///
    /// - Returns: nil for a whole resource, and for a range whose end is past what can be counted.
    public mutating func next(_ part: PartialSegment) -> Range<Int>? {
        guard let range = part.byteRange else {
            end = 0
            return nil
        }
        let offset = range.offset ?? end
        let (end, overflow) = offset.addingReportingOverflow(range.length)
        guard !overflow else { return nil }
        self.end = end
        return offset..<end
    }
}
