/// What a reload of a live media playlist brought (RFC 8216bis, section 6.3.4).
public struct PlaylistReload: Sendable, Hashable {
    /// How the reload stands to what was known.
    public enum Outcome: Sendable, Hashable {
        /// Something is new.
        case updated
        /// Nothing is new.
        case unchanged
        /// It is an older copy, as caches hand out, or it is empty: what was known stays.
        case stale
        /// The media sequence began anew: nothing that was known belongs to it.
        case reset
    }

    /// A partial segment and its place.
    public struct PlacedPart: Sendable, Hashable {
        /// The media sequence number of the segment that the part belongs to.
        public var mediaSequence: Int
        /// The part's index within its segment, from 0.
        public var index: Int
        /// The part.
        public var part: PartialSegment
        /// The part's bytes; nil where it's a whole resource.
        public var byteRange: Range<Int>?
    }

    /// How the reload stands to what was known.
    public var outcome: Outcome
    /// What is known now. It is complete: what a delta update left out is filled in.
    public var playlist: MediaPlaylist
    /// The media sequence numbers of segments that weren't known.
    public var newSegments: Range<Int>
    /// The media sequence numbers of segments that are no longer in the playlist.
    public var removedSegments: Range<Int>
    /// The media sequence numbers that the playlist moved past between two loads: they were never seen.
    public var missedSegments: Range<Int>
    /// The partial segments that weren't known, in order.
    public var newParts: [PlacedPart]
    /// The IDs of date ranges that are no longer in the playlist.
    public var removedDateRanges: [String]

    /// Whether the playlist ends here: nothing will be added.
    public var hasEnded: Bool { playlist.hasEndList }
}

/// Why a reload can't be applied.
public enum PlaylistReloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A delta update leaves out segments that aren't known, by media sequence number: the whole playlist has to be
    /// loaded (section 6.2.5.1).
    case unknownSegments(Range<Int>)

    /// One sentence for people.
    public var description: String {
        switch self {
        case .unknownSegments(let range):
            "The update leaves out segments \(range.lowerBound) to \(range.upperBound - 1), which aren't all known."
        }
    }
}
