import HLS

/// EXT-X-PART in JSON.
struct PartRecord: Encodable, Sendable {
    /// Where the part is.
    @Nullable var uri: String?
    /// Seconds.
    var duration: Double
    /// Whether it holds an independent frame.
    var independent: Bool
    /// Its bytes; null for a whole resource.
    @Nullable var byteRange: ByteRangeRecord?
    /// Whether it is absent.
    var gap: Bool

    /// The record of a part whose bytes are known.
    init(_ part: PartialSegment, byteRange: ByteRangeRecord?) {
        uri = part.uri.unlessEmpty
        duration = part.duration.doubleValue
        independent = part.isIndependent
        self.byteRange = byteRange
        gap = part.isGap
    }
}
