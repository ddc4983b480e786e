public import MediaCache

/// Where a media segment, a partial segment, or what they need (a key, a media initialization section) comes in the
/// playlist that was asked for last.
public struct SegmentPlace: Sendable, Hashable {
    /// What it is to its stream: a key or a segment.
    public var kind: ResourceKind
    /// Since when the URL means this segment, by the clock of the store: when a live playlist first gave it this media
    /// sequence number. What was fetched before may be another's. Nil on demand, unless the playlist has become another.
    public var namedSince: Duration?
    /// Whether the resource is this segment and nothing else, so that all of it is wanted. A byte range of a resource
    /// isn't (RFC 8216bis §4.4.4.2), nor is a gap.
    public var isWholeResource: Bool
    /// Whether the playlist says that there's nothing to be had (RFC 8216bis §4.4.4.7).
    public var isGap: Bool
    /// Whether it isn't there yet, so that the origin holds requests for it (RFC 8216bis §4.4.5.3).
    public var isHint: Bool
    /// The place of the playlist's view in the book, and the segment's in that.
    var view: Int
    var index: Int
}
