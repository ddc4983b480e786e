/// A media playlist: a list of media segments (RFC 8216bis, section 4.1).
public struct MediaPlaylist: Sendable, Hashable {
    /// The protocol version that the playlist declares (4.4.1.2); nil where it doesn't. See ``requiredVersion``.
    public var version: Int?
    /// The variables that the playlist defines (4.4.2.3). URIs and attributes hold their values already.
    public var variables: [VariableDefinition] = []
    /// Whether every segment starts with an independent frame (4.4.2.1).
    public var hasIndependentSegments = false
    /// Where to start playing (4.4.2.2).
    public var start: StartPoint?
    /// The upper bound of segment durations, in seconds (4.4.3.1); nil where the playlist lacks it.
    public var targetDuration: Int?
    /// The media sequence number of the first segment, skipped ones included (4.4.3.2). Some servers write a negative
    /// one, against the RFC.
    public var mediaSequence = 0
    /// The discontinuity sequence number of the first segment (4.4.3.3).
    public var discontinuitySequence = 0
    /// Whether nothing will be added (4.4.3.4).
    public var hasEndList = false
    /// How the playlist may change (4.4.3.5).
    public var type: MediaPlaylistType?
    /// Whether each segment is one I-frame (4.4.3.6).
    public var hasIFramesOnly = false
    /// What partial segments have in common (4.4.3.7).
    public var partInformation: PartInformation?
    /// What the server can do (4.4.3.8).
    public var serverControl: ServerControl?
    /// What a delta update leaves out, before the first of ``segments`` (4.4.5.2).
    public var skip: SkippedSegments?
    /// Tags that the RFC doesn't define and that stand before all segments.
    public var unknownTags: [UnknownTag] = []
    /// The segments, in order.
    public var segments: [MediaSegment] = []
    /// What stands after the last segment: the parts of the next one, date ranges, keys and unknown tags.
    public var upcoming: MediaSegment?
    /// Resources that will be needed (4.4.5.3).
    public var preloadHints: [PreloadHint] = []
    /// How far other renditions are (4.4.5.4).
    public var renditionReports: [RenditionReport] = []
    /// How the tags before the first URI were read.
    var tagOrder = TagOrder()

    /// An empty playlist.
    public init(targetDuration: Int? = nil) {
        self.targetDuration = targetDuration
    }

    /// The media sequence number of the first of ``segments``: after those that a delta update leaves out.
    public var firstMediaSequence: Int { mediaSequence.addingClamped(skip?.count ?? 0) }

    /// The media sequence number after the last of ``segments``: that of the segment to come.
    public var nextMediaSequence: Int { firstMediaSequence.addingClamped(segments.count) }

    /// All date ranges of the playlist, in order (4.4.5.1).
    public var dateRanges: [DateRange] {
        segments.flatMap(\.dateRanges) + (upcoming?.dateRanges ?? [])
    }

    /// All unknown tags of the playlist, in order.
    public var allUnknownTags: [UnknownTag] {
        unknownTags + segments.flatMap(\.unknownTags) + (upcoming?.unknownTags ?? [])
    }

    /// The media initialization sections, in order, each once where it begins to apply (4.4.4.5).
    public var maps: [MediaInitializationSection] {
        var maps: [MediaInitializationSection] = []
        var previous: MediaInitializationSection?
        for segment in segments + (upcoming.map { [$0] } ?? []) where segment.map != previous {
            previous = segment.map
            if let map = previous { maps.append(map) }
        }
        return maps
    }

    /// The sum of the durations in nanoseconds, kept within 64 bits.
    public var durationNanoseconds: Int64 {
        segments.reduce(0) { $0.addingClamped($1.duration.nanoseconds) }
    }
}

extension FixedWidthInteger {
    /// The sum, kept within 64 bits: a playlist may count from anywhere.
    func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
