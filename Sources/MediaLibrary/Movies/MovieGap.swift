/// A segment that is a gap in a movie made of a stream.
public struct MovieGap: Sendable, Hashable {
    /// The cause of a gap.
    public enum Cause: String, Sendable, Hashable {
        /// The playlist calls the segment absent (EXT-X-GAP, RFC 8216bis §4.4.4.7), as one that was lost in recording.
        case lost
        /// The segment isn't cached.
        case missing
        /// The segment is damaged, encrypted in a way that can't be decrypted, or of another codec than its track.
        case damaged
    }

    /// The cause.
    public var cause: Cause
    /// Where the segment begins by the playlist's durations, in seconds from the beginning of the first segment.
    public var start: Double
    /// The segment's duration in seconds.
    public var duration: Double
    /// The last component of the segment's path; empty for one that the playlist calls absent.
    public var name: String

    init(_ cause: Cause, start: Double, duration: Double) {
        self.cause = cause
        self.start = start
        self.duration = duration
        name = ""
    }

    init(_ cause: Cause, _ part: StreamPart) {
        self.init(cause, start: part.start, duration: part.duration)
        name = part.name
    }
}
