/// A media segment with what its place in the playlist implies.
public struct ResolvedSegment: Sendable, Hashable {
    /// The segment.
    public var segment: MediaSegment
    /// The media sequence number (RFC 8216bis, section 4.4.3.2).
    public var mediaSequence: Int
    /// The discontinuity sequence number (4.4.3.3).
    public var discontinuitySequence: Int
    /// Nanoseconds from the first segment's beginning to this one's.
    public var startNanoseconds: Int64
    /// The wall-clock time of the first sample: the playlist's, or what follows from another segment's and the
    /// durations between; nil where no segment has one (4.4.4.6).
    public var programDateTime: DateTime?
    /// The bit rate in force, in kilobits per second (4.4.4.8); nil for byte ranges, whose rate follows from their
    /// length.
    public var bitrate: Int?
    /// The bytes, with the offset that the previous range of the resource implies (4.4.4.2); nil for a whole resource.
    public var byteRange: Range<Int>?

    /// The vector to decrypt the segment with, 16 bytes, for one of its keys (4.4.4.4 and 5.2).
    public func initializationVector(for key: EncryptionKey) -> [UInt8] {
        key.initializationVector(mediaSequence: mediaSequence)
    }
}
