import HLS

/// What a media playlist has, in JSON; lengths of time are seconds.
struct MediaPlaylistRecord: Encodable, Sendable {
    /// The upper bound of segments' durations.
    @Nullable var targetDuration: Int?
    /// The media sequence number of the first segment, skipped ones included.
    var mediaSequence: Int
    /// The discontinuity sequence number of the first segment.
    var discontinuitySequence: Int
    /// VOD or EVENT.
    @Nullable var playlistType: String?
    /// Whether nothing will be added.
    var endList: Bool
    /// Whether each segment is one I-frame.
    var iFramesOnly: Bool
    /// The upper bound of parts' durations.
    @Nullable var partTarget: Double?
    /// What the server can do.
    @Nullable var serverControl: ServerControlRecord?
    /// The segments, in order.
    var segments: [SegmentRecord]
    /// The parts of the segment to come, which isn't among ``segments`` yet.
    var parts: [PartRecord]
    /// The date ranges, in order.
    var dateRanges: [DateRangeRecord]
    /// What a delta update leaves out.
    @Nullable var skip: SkipRecord?
    /// Resources that will be needed.
    var preloadHints: [PreloadHintRecord]
    /// How far other renditions are.
    var renditionReports: [RenditionReportRecord]

    /// The record of a playlist.
    init(_ playlist: MediaPlaylist) {
        targetDuration = playlist.targetDuration
        mediaSequence = playlist.mediaSequence
        discontinuitySequence = playlist.discontinuitySequence
        playlistType = playlist.type?.rawValue
        endList = playlist.hasEndList
        iFramesOnly = playlist.hasIFramesOnly
        partTarget = playlist.partInformation?.partTarget.doubleValue
        serverControl = playlist.serverControl.map(ServerControlRecord.init)
        var ranges = PartByteRanges()
        segments = playlist.resolvedSegments.map { SegmentRecord($0, ranges: &ranges) }
        parts = (playlist.upcoming?.parts ?? []).map {
            PartRecord($0, byteRange: ranges.next($0).map(ByteRangeRecord.init))
        }
        dateRanges = playlist.dateRanges.map { DateRangeRecord($0) }
        skip = playlist.skip.map(SkipRecord.init)
        preloadHints = playlist.preloadHints.map { PreloadHintRecord($0) }
        renditionReports = playlist.renditionReports.map { RenditionReportRecord($0) }
    }
}
