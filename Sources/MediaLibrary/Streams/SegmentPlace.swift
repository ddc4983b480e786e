/// Where a media segment or partial segment comes in the media playlist that was asked for last.
public struct SegmentPlace: Sendable, Hashable {
    /// What tells a live segment from an older one of the same name: the media sequence number, and for a partial
    /// segment its place within (RFC 8216bis §4.4.3.2). Nil on demand, where names aren't used again.
    public struct Sequence: Sendable, Hashable {
        /// The media sequence number.
        public var number: Int
        /// The place of a partial segment, counted from 1; 0 is the whole segment.
        public var part: Int

        /// Creates a number.
        public init(number: Int, part: Int = 0) {
            self.number = number
            self.part = part
        }
    }

    /// See ``Sequence``.
    public var sequence: Sequence?
    /// Whether the resource is this segment and nothing else, so that all of it is wanted. A byte range of a resource
    /// isn't, nor is a gap (RFC 8216bis §4.4.4.2 and §4.4.4.7).
    public var isWholeResource: Bool
    /// The playlist's place in the book, and the segment's in the playlist.
    var playlist: Int
    var index: Int
}
