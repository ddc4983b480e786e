/// A media segment with the sequence numbers, times and byte range that follow from its position in the playlist.
public struct ResolvedSegment: Sendable, Hashable {
    /// The segment.
    public var segment: MediaSegment
    /// The media sequence number (RFC 8216bis §4.4.3.2).
    public var mediaSequence: Int
    /// The discontinuity sequence number (RFC 8216bis §4.4.3.3).
    public var discontinuitySequence: Int
    /// The start time in nanoseconds after the start of the playlist's first segment.
    public var startNanoseconds: Int64
    /// The wall-clock time of the first sample (RFC 8216bis §4.4.4.6): declared for the segment, or computed from
    /// another segment's time and the durations in between. Nil if no segment declares a time.
    public var programDateTime: DateTime?
    /// The bit rate in kilobits per second (RFC 8216bis §4.4.4.8); nil if none is declared, or with a byte range.
    public var bitrate: Int?
    /// The byte range (RFC 8216bis §4.4.4.2); nil for a whole resource, and if its end exceeds 64 bits. An omitted
    /// offset is the end of the previous segment's range in the same resource, otherwise 0.
    public var byteRange: Range<Int>?

    /// Returns the initialization vector for decrypting the segment with a key, 16 bytes (RFC 8216bis §5.2).
    public func initializationVector(for key: EncryptionKey) -> [UInt8] {
        key.initializationVector(mediaSequence: mediaSequence)
    }
}

/// The resolved segments of a media playlist, computed in one pass.
public struct ResolvedSegments: Sequence, IteratorProtocol, Sendable {
    private let segments: [MediaSegment]
    private var index = 0
    private var mediaSequence: Int
    private var discontinuitySequence: Int
    private var start: Int64 = 0
    private var clock: Int64?
    private var bitrate: Int?
    private var lastURI = ""
    private var lastEnd: Int?

    init(_ playlist: MediaPlaylist) {
        segments = playlist.segments
        mediaSequence = playlist.firstMediaSequence
        discontinuitySequence = playlist.discontinuitySequence
        clock = ResolvedSegments.firstClock(playlist.segments)
    }

    /// Returns the time of the first segment, computed backwards from the first segment that declares one.
    private static func firstClock(_ segments: [MediaSegment]) -> Int64? {
        var elapsed: Int64 = 0
        for segment in segments {
            if !segment.tags.isEmpty, let date = segment.programDateTime?.nanosecondsSinceEpoch {
                return date &- elapsed
            }
            elapsed &+= segment.duration.nanoseconds
        }
        return nil
    }

    /// Returns the next segment; nil after the last.
    public mutating func next() -> ResolvedSegment? {
        guard index < segments.count else { return nil }
        let segment = segments[index]
        if segment.isDiscontinuous { discontinuitySequence &+= 1 }
        var date: DateTime?
        if !segment.tags.isEmpty {
            date = segment.programDateTime
            if let moment = date?.nanosecondsSinceEpoch { clock = moment }
            if let rate = segment.bitrate { bitrate = rate }
        }
        if date?.nanosecondsSinceEpoch == nil { date = clock.map { DateTime(nanosecondsSinceEpoch: $0) } }
        let resolved = ResolvedSegment(
            segment: segment, mediaSequence: mediaSequence, discontinuitySequence: discontinuitySequence,
            startNanoseconds: start, programDateTime: date, bitrate: segment.byteRange == nil ? bitrate : nil,
            byteRange: byteRange(of: segment))
        start &+= segment.duration.nanoseconds
        clock = clock.map { $0 &+ segment.duration.nanoseconds }
        mediaSequence &+= 1
        index += 1
        return resolved
    }

    private mutating func byteRange(of segment: MediaSegment) -> Range<Int>? {
        guard let range = segment.byteRange else {
            lastEnd = nil
            return nil
        }
        let offset = range.offset ?? (segment.uri == lastURI ? lastEnd : nil) ?? 0
        let (end, overflow) = offset.addingReportingOverflow(range.length)
        guard !overflow else { return nil }
        lastURI = segment.uri
        lastEnd = end
        return offset..<end
    }
}

extension MediaPlaylist {
    /// The segments with the values that follow from their positions in the playlist.
    public var resolvedSegments: ResolvedSegments { ResolvedSegments(self) }
}
