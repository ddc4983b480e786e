/// The tracks of a stream for a player that appends fragments: `media.json` below the URL of a playlist.
public struct StreamRecord: Codable, Sendable, Hashable {
    /// The zero of the times of segments.
    public enum Axis: String, Codable, Sendable, Hashable {
        /// The start of the first segment.
        case start
        /// The start of the first segment that the playlist lists now, which changes.
        case window
        /// The year 1970, in UTC.
        case wallClock
    }

    /// Whether segments may be added.
    public var isLive: Bool
    /// The duration in seconds of the segments that are listed now.
    public var duration: Double
    /// The zero of the times in ``SegmentList`` and ``CueList``.
    public var axis: Axis
    /// The seconds by which the times in fragments exceed those of their segment's clock.
    public var timeOffset: Double
    /// The variant streams; empty for a stream without a choice.
    public var variants: [VariantRecord]
    /// The index of the variant stream whose tracks are listed; null if there is no choice.
    public var variant: Int?
    /// The tracks: video, audio, then subtitles.
    public var tracks: [StreamTrackRecord]

    /// Creates a record.
    public init(
        isLive: Bool, duration: Double, axis: Axis, timeOffset: Double, variants: [VariantRecord], variant: Int?,
        tracks: [StreamTrackRecord]
    ) {
        self.isLive = isLive
        self.duration = duration
        self.axis = axis
        self.timeOffset = timeOffset
        self.variants = variants
        self.variant = variant
        self.tracks = tracks
    }
}

/// A variant stream.
public struct VariantRecord: Codable, Sendable, Hashable {
    /// The peak bit rate in bits per second.
    public var bandwidth: Int
    /// The width in pixels; null if unknown.
    public var width: Int?
    /// The height in pixels; null if unknown.
    public var height: Int?
    /// The frames per second; null if unknown.
    public var frameRate: Double?
    /// The declared codecs (RFC 6381); empty if there are none.
    public var codecs: [String]

    /// The URL of the ``StreamRecord`` with the tracks of this variant stream.
    public var media: String

    /// Creates a record.
    public init(
        bandwidth: Int, width: Int?, height: Int?, frameRate: Double?, codecs: [String], media: String
    ) {
        self.bandwidth = bandwidth
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.codecs = codecs
        self.media = media
    }
}

/// A track of a stream.
public struct StreamTrackRecord: Codable, Sendable, Hashable {
    /// The kind of a track.
    public enum Kind: String, Codable, Sendable, Hashable {
        /// Video.
        case video
        /// Audio.
        case audio
        /// Subtitles.
        case text
    }

    /// The kind.
    public var kind: Kind
    /// The codec (RFC 6381); null if it's unknown until a fragment is read.
    public var codec: String?
    /// The media type of the fragments, with the codec if it's known; null for subtitles.
    public var type: String?
    /// The width in pixels; null if unknown.
    public var width: Int?
    /// The height in pixels; null if unknown.
    public var height: Int?
    /// The frames per second; null if unknown.
    public var frameRate: Double?
    /// The number of audio channels; null if unknown.
    public var channels: Int?
    /// The sample rate in Hz; null if unknown.
    public var sampleRate: Int?
    /// The language (RFC 5646); null if unknown.
    public var language: String?
    /// The name for display; null if there is none.
    public var name: String?
    /// Whether players select the track by default.
    public var isDefault: Bool
    /// Whether a subtitle track only contains text that all viewers need.
    public var isForced: Bool
    /// The reason why the server can't convert the track; null if it can.
    public var obstacle: String?
    /// The URL of the track's ``SegmentList``, with `{query}` for the query: `from` and `to` in seconds on the axis,
    /// and the number `after`, all optional and separated by `&`.
    public var segments: String
    /// The URL of a segment's fragment, with `{segment}` for its number; null for subtitles.
    public var fragments: String?
    /// The URL of the ``CueList``, with `{query}` as in ``segments``; null for other tracks than subtitles.
    public var cues: String?

    /// Creates a record of a track without properties.
    public init(kind: Kind, segments: String) {
        self.kind = kind
        self.segments = segments
        isDefault = false
        isForced = false
    }
}

/// The segments of a track: `segments.json` below the URL of a media playlist.
public struct SegmentList: Codable, Sendable, Hashable {
    /// Whether segments may be added.
    public var isLive: Bool
    /// The maximum duration of a segment in seconds.
    public var targetDuration: Int
    /// The start of the playlist's first segment and the end of its last. In a recording, only the part that the query
    /// selects is read. Null if there are no segments.
    public var range: SegmentRange?
    /// Whether only the first of the requested segments are listed, because there are too many.
    public var isTruncated: Bool
    /// The segments in order.
    public var segments: [SegmentRecord]

    /// Creates a list.
    public init(
        isLive: Bool, targetDuration: Int, range: SegmentRange?, isTruncated: Bool, segments: [SegmentRecord]
    ) {
        self.isLive = isLive
        self.targetDuration = targetDuration
        self.range = range
        self.isTruncated = isTruncated
        self.segments = segments
    }
}

/// A time range on a stream's axis, in seconds.
public struct SegmentRange: Codable, Sendable, Hashable {
    /// The start.
    public var start: Double
    /// The end.
    public var end: Double

    /// Creates a range.
    public init(start: Double, end: Double) {
        self.start = start
        self.end = end
    }
}

/// A segment of a track.
public struct SegmentRecord: Codable, Sendable, Hashable {
    /// The number, which replaces `{segment}` in ``StreamTrackRecord/fragments``.
    public var number: Int
    /// The start in seconds on the stream's axis.
    public var start: Double
    /// The duration in seconds.
    public var duration: Double
    /// The discontinuity number. Segments with the same number share a clock.
    public var discontinuity: Int
    /// Whether the segment is a gap, which has no fragment.
    public var isGap: Bool
    /// The wall-clock time in milliseconds since 1970; null if unknown.
    public var date: Int64?

    /// Creates a record.
    public init(number: Int, start: Double, duration: Double, discontinuity: Int, isGap: Bool, date: Int64?) {
        self.number = number
        self.start = start
        self.duration = duration
        self.discontinuity = discontinuity
        self.isGap = isGap
        self.date = date
    }
}

/// The subtitles of a time range: `cues.json` below the URL of a media playlist.
public struct CueList: Codable, Sendable, Hashable {
    /// Whether only the first of the requested segments are listed, because there are too many.
    public var isTruncated: Bool
    /// The segments in order, without gaps.
    public var segments: [CueSegmentRecord]

    /// Creates a list.
    public init(isTruncated: Bool, segments: [CueSegmentRecord]) {
        self.isTruncated = isTruncated
        self.segments = segments
    }
}

/// The subtitles of a segment.
public struct CueSegmentRecord: Codable, Sendable, Hashable {
    /// The zero of the times of cues.
    public enum Clock: String, Codable, Sendable, Hashable {
        /// The clock of the fragments of segments with the same discontinuity number, including the time offset. It
        /// repeats every 2³³ / 90,000 s.
        case media
        /// Unspecified: the start of the stream, of the segment, or of the clock.
        case unspecified
    }

    /// The segment.
    public var segment: SegmentRecord
    /// The zero of the times.
    public var clock: Clock
    /// The cues.
    public var cues: [CueRecord]

    /// Creates a record.
    public init(segment: SegmentRecord, clock: Clock, cues: [CueRecord]) {
        self.segment = segment
        self.clock = clock
        self.cues = cues
    }
}

/// A subtitle.
public struct CueRecord: Codable, Sendable, Hashable {
    /// The start in seconds.
    public var start: Double
    /// The end in seconds.
    public var end: Double
    /// The identifier; null if there is none.
    public var identifier: String?
    /// The settings, such as `line:0 align:start`; null if there are none.
    public var settings: String?
    /// The text with WebVTT markup.
    public var text: String

    /// Creates a record.
    public init(start: Double, end: Double, identifier: String?, settings: String?, text: String) {
        self.start = start
        self.end = end
        self.identifier = identifier
        self.settings = settings
        self.text = text
    }
}
