/// How much of a recording is kept. Each limit that is set holds; without any, all of it is kept.
public struct Retention: Sendable, Hashable, Codable {
    /// How long a segment is kept after it arrived, in seconds.
    public var seconds: Double?
    /// How many bytes all tracks may have together.
    public var bytes: Int64?
    /// How many segments may be kept of each track; gaps don't count.
    public var segments: Int?
    /// How many bytes are to stay free on the disk.
    public var freeBytes: Int64?

    /// Limits; without arguments none.
    public init(seconds: Double? = nil, bytes: Int64? = nil, segments: Int? = nil, freeBytes: Int64? = nil) {
        self.seconds = seconds
        self.bytes = bytes
        self.segments = segments
        self.freeBytes = freeBytes
    }
}
