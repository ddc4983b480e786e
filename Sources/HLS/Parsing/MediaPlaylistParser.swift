/// A parser of a media playlist's lines.
struct MediaPlaylistParser {
    var playlist = MediaPlaylist()
    /// The segment in progress, with the tags read so far.
    var segment = MediaSegment(uri: "", duration: .zero)
    /// Whether the segment in progress has an EXTINF.
    var hasDuration = false
    var durationParameters: String?
    /// The keys that apply to the next segment.
    var keys: [EncryptionKey] = []
    /// The media initialization section that applies to the next segment.
    var map: MediaInitializationSection?
    /// ``keys`` and ``map`` as an instance that segments share.
    private var conditions: SegmentConditions?
    private var longest = (duration: DecimalValue.zero, line: 0)

    mutating func parse(_ reader: inout LineReader) throws(PlaylistError) -> MediaPlaylist {
        while let content = try reader.next() {
            switch content {
            case .segmentDuration(let value): try readSegmentDuration(value, &reader)
            case .uri(let range): try finishSegment(range, &reader)
            case .tag(let item): try readTag(item, &reader)
            case .unknown(let name, let value): append(reader.unknownTag(name, value))
            }
        }
        try finish(&reader)
        return playlist
    }

    mutating func updateConditions() { conditions = SegmentConditions(keys: keys, map: map) }

    // MARK: - Segments

    /// The number of segments from which the total number is estimated.
    private static let sampleCount = 1000

    /// Reserves capacity for the estimated number of segments, since a growing array uses up to three times the memory.
    private mutating func reserveSegments(_ reader: LineReader) {
        let count = MediaPlaylistParser.sampleCount
        let (product, overflow) = reader.bytes.count.multipliedReportingOverflow(by: count)
        guard !overflow else { return }
        playlist.segments.reserveCapacity(min(product / max(reader.line.next, 1) + count, 2_000_000))
    }

    @inline(__always)
    private mutating func finishSegment(_ range: Range<Int>, _ reader: inout LineReader) throws(PlaylistError) {
        segment.uri = try reader.uri(range)
        if !hasDuration {
            try reader.report(
                .error, .segment, "missing", "The segment has no EXTINF; the target duration is used instead.")
            segment.duration = DecimalValue(playlist.targetDuration ?? 0)
        }
        if let bytes = segment.byteRange, bytes.offset == nil { try checkContinuation(&reader) }
        if segment.duration > longest.duration { longest = (segment.duration, reader.line.number) }
        segment.conditions = conditions
        if let text = durationParameters {
            // Always first, since the position of EXTINF among the tags may change when the segment is written.
            segment.tags.insert(.durationParameters(text), at: 0)
            durationParameters = nil
        }
        // Moving the segment avoids retaining and releasing each of its references.
        var finished = MediaSegment(uri: "", duration: .zero)
        swap(&finished, &segment)
        playlist.segments.append(consume finished)
        if playlist.segments.count == MediaPlaylistParser.sampleCount { reserveSegments(reader) }
        hasDuration = false
    }

    private mutating func checkContinuation(_ reader: inout LineReader) throws(PlaylistError) {
        let previous = playlist.segments.last
        if previous?.byteRange == nil || previous?.uri != segment.uri {
            try reader.report(
                .error, .byteRange, "offset",
                "The byte range has no offset and doesn't follow a byte range of the same resource.")
        }
    }

    /// Appends an unknown tag to the playlist if no tag of a segment has been read yet, otherwise to the next segment.
    private mutating func append(_ tag: UnknownTag) {
        let isHeader =
            playlist.segments.isEmpty && !hasDuration && segment.tags.isEmpty && !segment.isDiscontinuous
            && conditions == nil
        if isHeader { playlist.unknownTags.append(tag) } else { segment.tags.append(.unknown(tag)) }
    }

    // MARK: - Tags

    private mutating func readTag(_ item: LineReader.Item, _ reader: inout LineReader) throws(PlaylistError) {
        switch item.tag.definition.place {
        case .mediaSegment(let read): try read(&self, item, &reader)
        case .mediaPlaylist(let field, _): try reader.read(item, field, into: &playlist)
        case .anyPlaylist(let field): try reader.read(item, field, into: &playlist.common)
        case .multivariantPlaylist:
            try reader.report(.error, item.tag, "place", "\(item.tag) isn't allowed in a media playlist.")
            append(reader.misplacedTag(item))
        case .firstLine: break
        }
    }

    // MARK: - The end of the playlist

    private mutating func finish(_ reader: inout LineReader) throws(PlaylistError) {
        if hasDuration { try reader.report(.error, .segment, "uri", "No URI follows the last EXTINF.") }
        finishUpcoming()
        try reader.finish()
        try check(&reader)
    }

    private mutating func finishUpcoming() {
        discardDuration()
        segment.byteRange = nil
        segment.conditions = conditions
        if playlist.segments.isEmpty, conditions == nil, !segment.isDiscontinuous {
            let leading = segment.tags.prefix { if case .unknown = $0 { true } else { false } }
            segment.tags.removeFirst(leading.count)
            for case .unknown(let tag) in leading { playlist.unknownTags.append(tag) }
        }
        let hasTags = !segment.tags.isEmpty || segment.isDiscontinuous || segment.isGap
        if hasTags || conditions != playlist.segments.last?.conditions { playlist.upcoming = segment }
    }

    private func check(_ reader: inout LineReader) throws(PlaylistError) {
        if let target = playlist.targetDuration {
            if target == 0 {
                try reader.report(
                    .warning, .targetDuration, "zero", line: 0,
                    "The target duration is 0 s, from which clients can't derive the interval between reloads.")
            }
            if longest.duration.rounded > target {
                try reader.report(
                    .error, .targetDuration, "exceeded", line: longest.line,
                    "The segment lasts \(longest.duration) s, but the target duration is \(target) s.")
            }
        } else {
            try reader.report(.error, .targetDuration, "missing", line: 0, "The playlist has no target duration.")
        }
        try reader.checkVersion(playlist.version, required: playlist.requiredVersion)
        if playlist.segments.isEmpty, playlist.upcoming == nil {
            try reader.report(.warning, .segment, "none", line: 0, "The playlist has no segments.")
        }
        if playlist.type == .onDemand, !playlist.hasEndList {
            try reader.report(
                .warning, .playlistType, "end", line: 0, "The playlist is VOD but has no EXT-X-ENDLIST.")
        }
        let hasParts = playlist.segments.contains { !$0.tags.isEmpty && !$0.parts.isEmpty }
        if hasParts || playlist.upcoming?.parts.isEmpty == false, playlist.partInformation == nil {
            try reader.report(
                .error, .partInformation, "missing", line: 0,
                "The playlist has partial segments but no EXT-X-PART-INF.")
        }
    }
}
