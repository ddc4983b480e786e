/// A media playlist: a list of media segments (RFC 8216bis §4.1).
@dynamicMemberLookup
public struct MediaPlaylist: Sendable, Hashable {
    /// The tags that multivariant playlists may also have. They can be accessed like properties of the playlist.
    public var common = CommonTags()
    /// The upper bound of rounded segment durations in seconds (RFC 8216bis §4.4.3.1); nil if there is none.
    public var targetDuration: Int?
    /// The media sequence number of the first segment, including skipped ones (RFC 8216bis §4.4.3.2). Some servers
    /// write a negative number, which the RFC forbids.
    public var mediaSequence = 0
    /// The number of discontinuities before the first segment and its tags (RFC 8216bis §4.4.3.3).
    public var discontinuitySequence = 0
    /// Whether no more segments will be added (RFC 8216bis §4.4.3.4).
    public var hasEndList = false
    /// The restriction on how the playlist may change (RFC 8216bis §4.4.3.5); nil if it declares none.
    public var type: MediaPlaylistType?
    /// Whether each segment is a single I-frame (RFC 8216bis §4.4.3.6).
    public var hasIFramesOnly = false
    /// The common properties of partial segments (RFC 8216bis §4.4.3.7).
    public var partInformation: PartInformation?
    /// The capabilities of the server (RFC 8216bis §4.4.3.8).
    public var serverControl: ServerControl?
    /// The segments that a delta update omits before the first of ``segments`` (RFC 8216bis §4.4.5.2).
    public var skip: SkippedSegments?
    /// The unknown tags before the first segment and its tags.
    public var unknownTags: [UnknownTag] = []
    /// The segments in order.
    public var segments: [MediaSegment] = []
    /// The tags after the last segment, such as parts, as a segment with an empty URI; nil if there are none.
    public var upcoming: MediaSegment?
    /// The resources that clients will soon need (RFC 8216bis §4.4.5.3).
    public var preloadHints: [PreloadHint] = []
    /// The live edges of other renditions (RFC 8216bis §4.4.5.4).
    public var renditionReports: [RenditionReport] = []

    /// Creates a playlist without segments. The target duration is in seconds.
    public init(targetDuration: Int? = nil) { self.targetDuration = targetDuration }

    /// Accesses a tag that multivariant playlists may also have.
    public subscript<Value>(dynamicMember path: WritableKeyPath<CommonTags, Value>) -> Value {
        get { common[keyPath: path] }
        set { common[keyPath: path] = newValue }
    }

    /// The media sequence number of the first of ``segments``, after any skipped segments.
    public var firstMediaSequence: Int { mediaSequence.addingClamped(skip?.count ?? 0) }

    /// The media sequence number after the last of ``segments``.
    public var nextMediaSequence: Int { firstMediaSequence.addingClamped(segments.count) }

    /// All date ranges in playlist order (RFC 8216bis §4.4.5.1).
    public var dateRanges: [DateRange] { segments.flatMap(\.dateRanges) + (upcoming?.dateRanges ?? []) }

    /// All unknown tags in playlist order.
    public var allUnknownTags: [UnknownTag] {
        unknownTags + segments.flatMap(\.unknownTags) + (upcoming?.unknownTags ?? [])
    }

    /// The media initialization sections in the order in which they begin to apply (RFC 8216bis §4.4.4.5).
    public var maps: [MediaInitializationSection] {
        var maps: [MediaInitializationSection] = []
        var previous: MediaInitializationSection?
        for segment in segments + (upcoming.map { [$0] } ?? []) where segment.map != previous {
            previous = segment.map
            if let map = previous { maps.append(map) }
        }
        return maps
    }

    /// The sum of the segment durations in nanoseconds, clamped to 64 bits.
    public var durationNanoseconds: Int64 { segments.reduce(0) { $0.addingClamped($1.duration.nanoseconds) } }
}

extension FixedWidthInteger {
    /// Returns the sum, clamped to the type's range. A playlist may contain any sequence number.
    func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

// MARK: - URIs

extension MediaPlaylist {
    /// Returns the playlist with every URI replaced by `transform`. Empty URIs and unknown tags stay unchanged.
    public func mappingURIs(_ transform: (ReferenceRole, String) -> String) -> MediaPlaylist {
        var playlist = self
        var last: (old: SegmentConditions, new: SegmentConditions)?
        for index in playlist.segments.indices {
            MediaPlaylist.mapURIs(of: &playlist.segments[index], transform, &last)
        }
        if var upcoming {
            MediaPlaylist.mapURIs(of: &upcoming, transform, &last)
            playlist.upcoming = upcoming
        }
        playlist.preloadHints = preloadHints.map { $0.mappingURIs(of: .preloadHint, transform) }
        playlist.renditionReports = renditionReports.map { $0.mappingURIs(of: .renditionReport, transform) }
        return playlist
    }

    /// Returns the playlist with every URI resolved against the URL of the playlist (RFC 8216bis §4.1).
    public func resolvingURIs(against base: String) -> MediaPlaylist {
        let base = URLReference(base)
        return mappingURIs { _, uri in URLReference(uri).resolved(against: base).description }
    }

    private static func mapURIs(
        of segment: inout MediaSegment, _ transform: (ReferenceRole, String) -> String,
        _ last: inout (old: SegmentConditions, new: SegmentConditions)?
    ) {
        if !segment.uri.isEmpty { segment.uri = transform(.mediaSegment, segment.uri) }
        if let conditions = segment.conditions {
            let shared = last?.old === conditions ? last?.new : nil
            let mapped = shared ?? SegmentConditions(mapping: conditions, transform)
            last = (conditions, mapped)
            segment.conditions = mapped
        }
        guard !segment.tags.isEmpty else { return }
        segment.tags = segment.tags.map { $0.mappingURIs(transform) }
    }
}
