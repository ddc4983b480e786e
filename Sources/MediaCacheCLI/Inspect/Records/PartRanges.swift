import HLS

/// The byte ranges of partial segments, one after the other: one without an offset goes on where the range before it in
/// the same resource ended (RFC 8216bis, section 4.4.4.9).
struct PartRanges: Sendable {
    private var uri = ""
    private var end = 0

    /// The bytes of the part that comes next; nil for a whole resource, and where they end past what can be counted.
    mutating func next(_ part: PartialSegment) -> ByteRangeRecord? {
        guard let range = part.byteRange else {
            uri = ""
            return nil
        }
        let offset = range.offset ?? (part.uri == uri ? end : 0)
        let (end, overflow) = offset.addingReportingOverflow(range.length)
        guard !overflow else { return nil }
        uri = part.uri
        self.end = end
        return ByteRangeRecord(offset..<end)
    }
}
