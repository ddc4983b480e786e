/// A media segment: its URI and the tags that apply to it (RFC 8216bis, section 4.4.4).
///
/// What most segments don't have is kept apart in ``tags``, and keys and maps are shared by the segments that they
/// apply to, so that a plain segment costs 80 bytes and its URI.
public struct MediaSegment: Sendable, Hashable {
    /// Where the segment is; empty in ``MediaPlaylist/upcoming``, of which only parts are there.
    public var uri: String
    /// The title as it is written, blanks before it included.
    var writtenTitle: String
    /// Seconds.
    public var duration: DecimalValue
    /// Whether a discontinuity stands before the segment (4.4.4.3).
    public var isDiscontinuous: Bool
    /// Whether the segment is absent (4.4.4.7).
    public var isGap: Bool
    /// The byte range in two words, -1 for what is absent: an optional range would take three.
    private var rangeLength: Int
    private var rangeOffset: Int
    /// The other tags before the segment, in order.
    public var tags: [SegmentTag]
    private(set) var conditions: SegmentConditions?

    /// A segment of a duration in seconds.
    public init(uri: String, duration: DecimalValue) {
        self.uri = uri
        self.duration = duration
        writtenTitle = ""
        isDiscontinuous = false
        isGap = false
        rangeLength = -1
        rangeOffset = -1
        tags = []
        conditions = nil
    }

    /// What people read; empty where there is none.
    public var title: String {
        get { writtenTitle.trimmedBlanks }
        set { writtenTitle = newValue }
    }

    /// The segment's bytes, where it isn't the whole resource (4.4.4.2).
    public var byteRange: ByteRange? {
        get {
            rangeLength < 0 ? nil : ByteRange(length: rangeLength, offset: rangeOffset < 0 ? nil : rangeOffset)
        }
        set {
            rangeLength = newValue.map { max(0, $0.length) } ?? -1
            rangeOffset = newValue?.offset.map { max(0, $0) } ?? -1
        }
    }

    var hasByteRange: Bool { rangeLength >= 0 }

    /// The keys in force: empty, or one with the method NONE, where nothing is encrypted (4.4.4.4).
    public var keys: [EncryptionKey] {
        get { conditions?.keys ?? [] }
        set { conditions = MediaSegment.conditions(keys: newValue, map: map) }
    }

    /// The media initialization section that the segment needs (4.4.4.5).
    public var map: MediaInitializationSection? {
        get { conditions?.map }
        set { conditions = MediaSegment.conditions(keys: keys, map: newValue) }
    }

    /// Takes over the keys and the map of other segments.
    mutating func share(_ conditions: SegmentConditions?) {
        self.conditions = conditions
    }

    static func conditions(keys: [EncryptionKey], map: MediaInitializationSection?) -> SegmentConditions? {
        keys.isEmpty && map == nil ? nil : SegmentConditions(keys: keys, map: map)
    }
}
