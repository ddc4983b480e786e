import HLS

/// A media segment in JSON, with what its place in the playlist implies.
struct SegmentRecord: Encodable, Sendable {
    /// Where the segment is.
    @Nullable var uri: String?
    /// Seconds.
    var duration: Double
    /// What people read.
    @Nullable var title: String?
    /// Its media sequence number.
    var mediaSequence: Int
    /// Its discontinuity sequence number.
    var discontinuitySequence: Int
    /// Whether a discontinuity stands before it.
    var discontinuity: Bool
    /// Its bytes; null for a whole resource.
    @Nullable var byteRange: ByteRangeRecord?
    /// The wall-clock time of its first sample (ISO 8601): as it is written, else as it follows from other segments'.
    @Nullable var programDateTime: String?
    /// The media initialization section it needs.
    @Nullable var map: MapRecord?
    /// The keys in force.
    var keys: [KeyRecord]
    /// Whether it is absent.
    var gap: Bool
    /// The bit rate in force, in kilobits per second.
    @Nullable var bitrate: Int?
    /// Its parts.
    var parts: [PartRecord]

    /// The record of a segment; `ranges` has seen the parts of those before.
    init(_ resolved: ResolvedSegment, ranges: inout PartByteRanges) {
        let segment = resolved.segment
        uri = segment.uri.unlessEmpty
        duration = segment.duration.doubleValue
        title = segment.title.unlessEmpty
        mediaSequence = resolved.mediaSequence
        discontinuitySequence = resolved.discontinuitySequence
        discontinuity = segment.isDiscontinuous
        byteRange = resolved.byteRange.map(ByteRangeRecord.init)
        programDateTime = resolved.programDateTime?.text
        map = segment.map.map { MapRecord($0) }
        keys = segment.keys.map { KeyRecord($0) }
        gap = segment.isGap
        bitrate = resolved.bitrate
        parts = segment.parts.map { PartRecord($0, byteRange: ranges.next($0).map(ByteRangeRecord.init)) }
    }
}
