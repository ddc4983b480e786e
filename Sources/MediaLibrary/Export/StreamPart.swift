public import MediaContainers

/// One media segment of a stream, or a whole file, as it's read and joined to the one before.
public struct StreamPart: Sendable, Hashable {
    /// A media initialization section (EXT-X-MAP).
    public struct Section: Sendable, Hashable {
        /// Where it is.
        public var url: String
        /// Its bytes, where it isn't the whole resource.
        public var range: Range<Int64>?
        /// What decrypts it; nil where it's in the clear.
        public var key: SegmentKey?
    }

    /// Where it is.
    public var url: String
    /// Its bytes, where it isn't the whole resource.
    public var range: Range<Int64>?
    /// The section that it needs.
    public var section: Section?
    /// What decrypts it; nil where it's in the clear.
    public var key: SegmentKey?
    /// How it goes on from the part before.
    public var join: SegmentJoin
    /// How many discontinuities come before it: parts of all inputs behind the same number of them are on one clock
    /// (RFC 8216bis, 4.4.3.3).
    public var discontinuities: Int
    /// When it begins, in seconds from the stream's beginning, by the playlist's durations.
    public var start: Double
    /// How long it lasts in seconds; 0 where nothing says.
    public var duration: Double
    /// Whether it's a media segment of a playlist. Damage in one costs that segment alone.
    public internal(set) var isSegment = false
    /// The encryption that keeps it from being read, for people; nil where nothing does. It stays a gap.
    public internal(set) var obstacle: String?

    /// A whole file.
    public init(url: String, join: SegmentJoin = .continuous) {
        self.init(
            url: url, range: nil, section: nil, key: nil, join: join, discontinuities: 0, start: 0, duration: 0)
    }

    init(
        url: String, range: Range<Int64>?, section: Section?, key: SegmentKey?, join: SegmentJoin,
        discontinuities: Int, start: Double, duration: Double
    ) {
        self.url = url
        self.range = range
        self.section = section
        self.key = key
        self.join = join
        self.discontinuities = discontinuities
        self.start = start
        self.duration = duration
    }
}

extension StreamPart {
    /// The last component of its path, which tells it from the others.
    var name: String {
        let path = url.prefix { $0 != "?" }
        return path.split(separator: "/").last.map(String.init) ?? url
    }
}
