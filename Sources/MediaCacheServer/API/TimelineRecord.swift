/// What `GET /api/v1/channels/<name>/timeline` and `gaps` give.
public struct TimelineRecord: Codable, Sendable, Hashable {
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

    /// The segments, by track and time.
    public var segments: [Segment]
}
