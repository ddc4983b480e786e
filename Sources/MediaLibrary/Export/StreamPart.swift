public import MediaContainers

/// A media segment of a stream, or a file.
public struct StreamPart: Sendable, Hashable {
    /// A media initialization section (EXT-X-MAP).
    public struct Section: Sendable, Hashable {
        /// The URL of the section.
        public var url: String
        /// The byte range of the section; nil means the whole resource.
        public var range: Range<Int64>?
        /// The key that decrypts the section; nil if it isn't encrypted.
        public var key: SegmentKey?
    }

    /// The URL of the part.
    public var url: String
    /// The byte range of the part; nil means the whole resource.
    public var range: Range<Int64>?
    /// The media initialization section that the part needs.
    public var section: Section?
    /// The key that decrypts the part; nil if it isn't encrypted.
    public var key: SegmentKey?
    /// The kind of transition from the previous part.
    public var join: SegmentJoin
    /// The number of discontinuities before the part. Parts with the same number share a clock (RFC 8216bis §4.4.3.3).
    public var discontinuities: Int
    /// The start in seconds from the stream's beginning, according to the playlist.
    public var start: Double
    /// The duration in seconds; 0 if unknown.
    public var duration: Double
    /// Whether the part is a media segment of a playlist, which becomes a gap if it's damaged.
    public internal(set) var isSegment = false
    /// A description of the encryption that makes the part unreadable, so that it becomes a gap; nil if it's readable.
    public internal(set) var obstacle: String?

    /// Creates a part that is a whole file.
    public init(url: String, join: SegmentJoin = .continuous) {
        self.init(url: url, range: nil, section: nil, key: nil, join: join, discontinuities: 0, start: 0, duration: 0)
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

    /// The last path component of the URL, for messages.
    var name: String {
        let path = url.prefix { $0 != "?" }
        return path.split(separator: "/").last.map(String.init) ?? url
    }
}

/// A part of a stream that became a gap, completely or partially.
public struct DamagedPart: Sendable, Hashable {
    /// The part.
    public var part: StreamPart
    /// The reason, for display.
    public var reason: String
}

/// A WebVTT rendition of a stream: its subtitles in one language.
public struct SubtitleRendition: Sendable, Hashable {
    /// The language (RFC 5646); nil if unknown.
    public var language: String?
    /// The name for display.
    public var name: String
    /// Whether the rendition only contains text that all viewers need (FORCED, RFC 8216bis §4.4.6.1).
    public var isForced: Bool
    /// The segments, in order.
    public var parts: [StreamPart]
    /// The reason why the rendition can't be converted; nil if it can.
    public var problem: String?
}
