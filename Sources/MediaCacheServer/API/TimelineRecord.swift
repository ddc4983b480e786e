/// What `GET /api/v1/channels/<name>/timeline` and `gaps` give.
public struct TimelineRecord: PagedList, Hashable {
    /// A segment.
    public struct Segment: Codable, Sendable, Hashable {
        /// Its track's folder.
        public var track: String
        /// Its media sequence number in all playlists.
        public var number: Int64
        /// When it begins, in milliseconds since 1970.
        public var start: Int64
        /// How long it lasts in seconds.
        public var duration: Double
        /// Whether it's absent.
        public var gap: Bool
        /// Whether a discontinuity stands before it.
        public var discontinuity: Bool
        /// How many bytes it has.
        public var bytes: Int64
    }

    /// The segments, by track and time; 10,000 at most.
    public var segments: [Segment]
    /// What `?after=` takes to go on after this page; null where it's the last.
    public var next: String?

    /// The same.
    public var items: [Segment] { segments }
}
