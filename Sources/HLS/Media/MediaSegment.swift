/// A media segment: its URI and the tags that apply to it (RFC 8216bis, section 4.4.4).
///
/// What most segments don't have is kept apart in ``tags``, so that a plain segment costs its URI and some 100 bytes.
public struct MediaSegment: Sendable, Hashable {
    /// Where the segment is; empty in ``MediaPlaylist/upcoming``, of which only parts are there.
    public var uri: String
    /// Seconds.
    public var duration: DecimalValue
    /// What people read; empty where there is none.
    public var title: String
    /// The segment's bytes, where it isn't the whole resource (4.4.4.2).
    public var byteRange: ByteRange?
    /// Whether a discontinuity stands before the segment (4.4.4.3).
    public var isDiscontinuous: Bool
    /// Whether the segment is absent (4.4.4.7).
    public var isGap: Bool
    /// The keys in force: empty, or one with the method NONE, where nothing is encrypted (4.4.4.4).
    public var keys: [EncryptionKey]
    /// The other tags before the segment, in order.
    public var tags: [SegmentTag]
    private var sharedMap: Shared<MediaInitializationSection>?

    /// A segment of a duration in seconds.
    public init(uri: String, duration: DecimalValue) {
        self.uri = uri
        self.duration = duration
        title = ""
        byteRange = nil
        isDiscontinuous = false
        isGap = false
        keys = []
        tags = []
        sharedMap = nil
    }

    init(keys: [EncryptionKey], sharedMap: Shared<MediaInitializationSection>?) {
        self.init(uri: "", duration: .zero)
        self.keys = keys
        self.sharedMap = sharedMap
    }

    /// The media initialization section that the segment needs (4.4.4.5).
    public var map: MediaInitializationSection? {
        get { sharedMap?.value }
        set { sharedMap = newValue.map { Shared($0) } }
    }

    /// Takes over another segment's map, so that both share it.
    mutating func share(_ map: Shared<MediaInitializationSection>?) {
        sharedMap = map
    }

    func hasSameMap(as other: MediaSegment) -> Bool {
        sharedMap === other.sharedMap || map == other.map
    }

    /// Equal segments have equal values; whether they share their map doesn't matter.
    public static func == (left: MediaSegment, right: MediaSegment) -> Bool {
        left.uri == right.uri && left.duration == right.duration && left.title == right.title
            && left.byteRange == right.byteRange && left.isDiscontinuous == right.isDiscontinuous
            && left.isGap == right.isGap && left.keys == right.keys && left.tags == right.tags
            && left.hasSameMap(as: right)
    }

    /// Feeds what tells most segments apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(uri)
        hasher.combine(duration)
        hasher.combine(byteRange)
    }
}
