internal import HLS

/// The JSON record of a playlist: the keys of all playlists and those of its kind. Durations are in seconds.
struct PlaylistRecord: Encodable, Sendable {
    private enum Content: Sendable {
        case media(MediaPlaylistRecord)
        case multivariant(MultivariantPlaylistRecord)
    }

    private let kind: PlaylistKind
    /// The tags of the whole playlist, by key.
    private let tags: [String: TagRecord.Value]
    private let unknownTags: [UnknownTagRecord]
    private let diagnostics: [DiagnosticRecord]
    private let content: Content

    init(_ inspection: PlaylistInspection) {
        let playlist = inspection.parsed.playlist
        kind = playlist.kind
        unknownTags = inspection.unknownTags.map(UnknownTagRecord.init)
        diagnostics = inspection.diagnostics.map(DiagnosticRecord.init)
        var tags: [String: TagRecord.Value]
        switch playlist {
        case .media(let media):
            tags = media.tagRecords
            content = .media(MediaPlaylistRecord(media))
        case .multivariant(let multivariant):
            tags = multivariant.tagRecords
            content = .multivariant(MultivariantPlaylistRecord(multivariant))
        }
        // The values of variables, including imported ones, replace their definitions.
        tags["variables"] = .object(inspection.parsed.variables.mapValues { .string($0) })
        self.tags = tags
    }

    private enum CodingKeys: String, CodingKey {
        case kind, unknownTags, diagnostics
    }

    func encode(to encoder: any Encoder) throws {
        try tags.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind.rawValue, forKey: .kind)
        try container.encode(unknownTags, forKey: .unknownTags)
        try container.encode(diagnostics, forKey: .diagnostics)
        switch content {
        case .media(let record): try record.encode(to: encoder)
        case .multivariant(let record): try record.encode(to: encoder)
        }
    }
}

/// The keys of a media playlist.
private struct MediaPlaylistRecord: Encodable, Sendable {
    let segments: [SegmentRecord]
    /// The parts of the upcoming segment, which isn't in `segments` yet.
    let parts: [TagRecord]
    let dateRanges: [TagRecord]

    init(_ playlist: MediaPlaylist) {
        var ranges = PartByteRanges()
        segments = playlist.resolvedSegments.map { SegmentRecord($0, ranges: &ranges) }
        parts = (playlist.upcoming?.parts ?? []).map { TagRecord($0, ranges: &ranges) }
        dateRanges = playlist.dateRanges.map { TagRecord(.dateRange, $0.attributes) }
    }
}

/// A media segment, with the values that follow from its position in the playlist.
private struct SegmentRecord: Encodable, Sendable {
    @Nullable var uri: String?
    let duration: Double
    @Nullable var title: String?
    let mediaSequence: Int
    let discontinuitySequence: Int
    let discontinuity: Bool
    /// The byte range; null for a whole resource.
    @Nullable var byteRange: TagRecord.Value?
    /// The wall-clock time of the first sample (ISO 8601), as written or computed from other segments.
    @Nullable var programDateTime: String?
    @Nullable var map: TagRecord?
    let keys: [TagRecord]
    let gap: Bool
    /// The bit rate that applies to the segment, in kilobits per second.
    @Nullable var bitrate: Int?
    let parts: [TagRecord]

    /// - Parameter ranges: The byte ranges of the parts of earlier segments.
    init(_ resolved: ResolvedSegment, ranges: inout PartByteRanges) {
        let segment = resolved.segment
        uri = segment.uri.unlessEmpty
        duration = segment.duration.doubleValue
        title = segment.title.unlessEmpty
        mediaSequence = resolved.mediaSequence
        discontinuitySequence = resolved.discontinuitySequence
        discontinuity = segment.isDiscontinuous
        byteRange = resolved.byteRange.map { .bytes($0) }
        programDateTime = resolved.programDateTime?.text
        map = segment.map.map { TagRecord(.map, $0.attributes) }
        keys = segment.keys.map { TagRecord(.key, $0.attributes) }
        gap = segment.isGap
        bitrate = resolved.bitrate
        parts = segment.parts.map { TagRecord($0, ranges: &ranges) }
    }
}

extension TagRecord {
    /// Creates the record of a part. An omitted offset follows from the byte ranges of earlier parts.
    fileprivate init(_ part: PartialSegment, ranges: inout PartByteRanges) {
        self.init(.part, part.attributes)
        self["byteRange"] = ranges.next(part).map { .bytes($0) } ?? .null
    }
}

/// The keys of a multivariant playlist.
private struct MultivariantPlaylistRecord: Encodable, Sendable {
    let variants: [TagRecord]
    let iFrameVariants: [TagRecord]
    let renditions: [TagRecord]
    let sessionData: [TagRecord]
    let sessionKeys: [TagRecord]
    @Nullable var contentSteering: TagRecord?

    init(_ playlist: MultivariantPlaylist) {
        variants = playlist.variants.map(\.record)
        iFrameVariants = playlist.iFrameStreams.map(\.record)
        renditions = playlist.renditions.map { TagRecord(.media, $0.attributes) }
        sessionData = playlist.sessionData.map { TagRecord(.sessionData, $0.attributes) }
        sessionKeys = playlist.sessionKeys.map { TagRecord(.sessionKey, $0.attributes) }
        contentSteering = playlist.contentSteering.map { TagRecord(.contentSteering, $0.attributes) }
    }
}

/// A diagnostic. Line 0 means the whole playlist.
private struct DiagnosticRecord: Encodable, Sendable {
    let line: Int
    let severity: String
    let rule: String
    let message: String

    init(_ diagnostic: Diagnostic) {
        line = diagnostic.line
        severity = diagnostic.severity.rawValue
        rule = diagnostic.rule.description
        message = diagnostic.message
    }
}

/// A tag that RFC 8216bis doesn't define.
private struct UnknownTagRecord: Encodable, Sendable {
    let line: Int
    let tag: String
    @Nullable var value: String?

    init(_ tag: UnknownTag) {
        line = tag.line
        self.tag = tag.name
        value = tag.value
    }
}

/// An optional value that is encoded as null if it's nil, so that every key of an object is present.
@propertyWrapper
package struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension String {
    /// The text; nil if it's empty. The playlist model represents an absent text by an empty one.
    var unlessEmpty: String? { isEmpty ? nil : self }
}
