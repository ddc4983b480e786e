/// Builds a media playlist from its lines.
struct MediaPlaylistParser {
    private var playlist = MediaPlaylist()
    private var common = CommonTags()
    private var seen: Set<PlaylistTag> = []
    /// The segment whose tags are being read.
    private var pending = MediaSegment(uri: "", duration: .zero)
    private var hasDuration = false
    private var parameters: String?
    private var keys: [EncryptionKey] = []
    private var map: MediaInitializationSection?
    /// ``keys`` and ``map`` as the segments from here on share them.
    private var conditions: SegmentConditions?
    private var longest = (duration: DecimalValue.zero, line: 0)

    mutating func parse(_ reader: inout TagReader) throws(PlaylistError) -> MediaPlaylist {
        while let content = try reader.next() {
            switch content {
            case .tag(.segment, let value): try segmentTag(value, &reader)
            case .uri(let range):
                reader.notesOrder = false
                try finishSegment(range, &reader)
            case .tag(let tag, let value): try self.tag(tag, value, &reader)
            case .unknown(let name, let value): keep(reader.unknownTag(name, value))
            }
        }
        try finish(&reader)
        return playlist
    }

    // MARK: - Segments

    /// After so many segments the others are taken to be as long.
    private static let sampleCount = 1000

    /// Makes room for all segments at once: an array that grows by doubling costs up to three times its size.
    private mutating func reserve(_ reader: TagReader) {
        let count = MediaPlaylistParser.sampleCount
        let (product, overflow) = reader.bytes.count.multipliedReportingOverflow(by: count)
        guard !overflow else { return }
        playlist.segments.reserveCapacity(min(product / max(reader.line.next, 1) + count, 2_000_000))
    }

    @inline(__always)
    private mutating func segmentTag(_ value: Range<Int>, _ reader: inout TagReader) throws(PlaylistError) {
        if hasDuration {
            try reader.report(.error, .segment, "uri", "No URI follows the EXTINF before this one.")
            forgetDuration()
        }
        hasDuration = true
        var rest = value.lowerBound
        if let read = DecimalValue.read(reader.bytes, value) {
            pending.duration = read.value
            rest = read.end
            if read.value.significand < 0 {
                try reader.report(.error, .segment, "duration", "The duration is negative.")
            }
        } else {
            pending.duration = DecimalValue(playlist.targetDuration ?? 0)
            try reader.report(.error, .segment, "duration", "EXTINF has no duration; the target duration stands in.")
            let isTitle = !value.isEmpty && reader.bytes[value.lowerBound] != .comma
            if isTitle {
                pending.title = reader.text(value)
                return
            }
        }
        if rest &+ 1 == value.upperBound, reader.bytes[rest] == .comma { return }
        try title(rest..<value.upperBound, &reader)
    }

    private mutating func forgetDuration() {
        pending.duration = .zero
        pending.title = ""
        parameters = nil
    }

    private mutating func title(_ range: Range<Int>, _ reader: inout TagReader) throws(PlaylistError) {
        let comma = EXTINF.comma(reader.bytes, range)
        if comma == nil { try reader.report(.error, .segment, "comma", "No comma follows the duration.") }
        let parameters = reader.bytes.trimmed(range.lowerBound, comma ?? range.upperBound)
        if !parameters.isEmpty {
            try reader.report(.error, .segment, "duration", "Something stands between the duration and the comma.")
            self.parameters = reader.text(parameters)
        } else if let comma, comma != range.lowerBound {
            try reader.reportBlanks()
        }
        guard let comma, !reader.bytes.trimmed(comma + 1, range.upperBound).isEmpty else { return }
        pending.writtenTitle = reader.text(comma + 1..<range.upperBound)
    }

    @inline(__always)
    private mutating func finishSegment(_ range: Range<Int>, _ reader: inout TagReader) throws(PlaylistError) {
        pending.uri = try reader.uri(range)
        if !hasDuration {
            try reader.report(.error, .segment, "missing", "The segment has no EXTINF; the target duration stands in.")
            pending.duration = DecimalValue(playlist.targetDuration ?? 0)
        }
        if let bytes = pending.byteRange, bytes.offset == nil { try checkContinuation(&reader) }
        if pending.duration > longest.duration { longest = (pending.duration, reader.line.number) }
        pending.share(conditions)
        if let text = parameters {
            // First, wherever EXTINF stands among the tags: where it is written isn't where it was read.
            pending.tags.insert(.durationParameters(text), at: 0)
            parameters = nil
        }
        // Moved, not copied: a copy counts its references up and down.
        var segment = MediaSegment(uri: "", duration: .zero)
        swap(&segment, &pending)
        playlist.segments.append(consume segment)
        if playlist.segments.count == MediaPlaylistParser.sampleCount { reserve(reader) }
        hasDuration = false
    }

    /// Bytes without an offset go on where the segment before ends, which has to be of the same resource.
    private mutating func checkContinuation(_ reader: inout TagReader) throws(PlaylistError) {
        let previous = playlist.segments.last
        if previous?.byteRange == nil || previous?.uri != pending.uri {
            try reader.report(.error, .byteRange, "offset", "The byte range has no offset to go on from.")
        }
    }

    /// A tag without a place of its own stays where it stands: before all segments, or with a segment.
    private mutating func keep(_ tag: UnknownTag) {
        let isHeader =
            playlist.segments.isEmpty && !hasDuration && pending.tags.isEmpty && !pending.isDiscontinuous
            && conditions == nil
        if isHeader { playlist.unknownTags.append(tag) } else { pending.tags.append(.unknown(tag)) }
    }

    // MARK: - Tags

    private mutating func tag(
        _ tag: PlaylistTag, _ value: Range<Int>, _ reader: inout TagReader
    ) throws(PlaylistError) {
        switch tag {
        case .version, .independentSegments, .start, .define:
            if tag != .define { try noteOnce(tag, &reader) }
            try common.read(tag, value, &reader)
        case .byteRange, .discontinuity, .key, .map, .programDateTime, .gap, .bitrate, .part, .dateRange:
            try mediaSegmentTag(tag, value, &reader)
        case .preloadHint:
            playlist.preloadHints.append(.init(attributes: try reader.attributes(tag, value, PreloadHint.rules)))
        case .renditionReport:
            playlist.renditionReports.append(
                .init(attributes: try reader.attributes(tag, value, RenditionReport.rules)))
        case .cueOut, .cueOutContinued, .cueIn, .cueSpan, .oatclsSCTE35, .scte35, .xSCTE35:
            let text = value.isEmpty ? nil : reader.text(value)
            if let cue = AdvertisementCue(tag: tag, value: text, line: reader.line.number) {
                pending.tags.append(.cue(cue))
            }
        case .media, .streamInformation, .iFrameStreamInformation, .sessionData, .sessionKey, .contentSteering:
            try reader.report(.error, tag, "place", "\(tag.rawValue) stands in a media playlist.")
            keep(reader.misplacedTag(tag, value))
        default:
            try noteOnce(tag, &reader)
            try mediaPlaylistTag(tag, value, &reader)
        }
    }

    private mutating func noteOnce(_ tag: PlaylistTag, _ reader: inout TagReader) throws(PlaylistError) {
        if !seen.insert(tag).inserted {
            try reader.report(.error, tag, "duplicate", "\(tag.rawValue) stands more than once.")
        }
    }

    private mutating func mediaPlaylistTag(
        _ tag: PlaylistTag, _ value: Range<Int>, _ reader: inout TagReader
    ) throws(PlaylistError) {
        switch tag {
        case .targetDuration:
            let duration = try reader.integer(tag, value)
            playlist.targetDuration = duration.flatMap { $0 < 0 ? nil : $0 } ?? playlist.targetDuration
        case .mediaSequence: playlist.mediaSequence = try reader.integer(tag, value) ?? playlist.mediaSequence
        case .discontinuitySequence:
            playlist.discontinuitySequence = try reader.integer(tag, value) ?? playlist.discontinuitySequence
        case .endList: playlist.hasEndList = true
        case .playlistType:
            playlist.type = MediaPlaylistType(rawValue: reader.text(value))
            if playlist.type == nil {
                try reader.report(.error, tag, "value", "The playlist type is neither VOD nor EVENT.")
            }
        case .iFramesOnly: playlist.hasIFramesOnly = true
        case .partInformation:
            playlist.partInformation = .init(attributes: try reader.attributes(tag, value, PartInformation.rules))
        case .serverControl:
            playlist.serverControl = .init(attributes: try reader.attributes(tag, value, ServerControl.rules))
        case .skip: playlist.skip = .init(attributes: try reader.attributes(tag, value, SkippedSegments.rules))
        default: break
        }
    }

    private mutating func mediaSegmentTag(
        _ tag: PlaylistTag, _ value: Range<Int>, _ reader: inout TagReader
    ) throws(PlaylistError) {
        switch tag {
        case .byteRange:
            pending.byteRange = ByteRange(reader.bytes, value)
            if pending.byteRange == nil || reader.bytes[value.upperBound - 1] == .at {
                try reader.report(.error, tag, "value", "The byte range isn't n or n@o.")
            }
        case .discontinuity:
            if pending.isDiscontinuous {
                try reader.report(.warning, tag, "duplicate", "Two discontinuities before one segment count as one.")
            }
            pending.isDiscontinuous = true
        case .gap: pending.isGap = true
        case .programDateTime:
            let date = DateTime(reader.text(value))
            if date.nanosecondsSinceEpoch == nil { try reader.report(.error, tag, "value", "The date can't be read.") }
            pending.tags.append(.programDateTime(date))
        case .bitrate:
            if let rate = try reader.integer(tag, value) { pending.tags.append(.bitrate(rate)) }
        case .part:
            pending.tags.append(.part(.init(attributes: try reader.attributes(tag, value, PartialSegment.rules))))
        case .dateRange:
            let range = DateRange(attributes: try reader.attributes(tag, value, DateRange.rules))
            try DateRangeRules.check(range, &reader)
            pending.tags.append(.dateRange(range))
        case .key:
            let key = EncryptionKey(attributes: try reader.attributes(tag, value, EncryptionKey.rules))
            try KeyRules.check(key, tag, &reader)
            let applied = keys.applying(key)
            guard applied.count <= KeyRules.limit else {
                try reader.report(.error, tag, "count", "More than \(KeyRules.limit) keys are in force at once.")
                break
            }
            keys = applied
            conditions = MediaSegment.conditions(keys: keys, map: map)
        default:
            var section = MediaInitializationSection(
                attributes: try reader.attributes(tag, value, MediaInitializationSection.rules))
            section.keys = keys
            map = section
            conditions = MediaSegment.conditions(keys: keys, map: map)
        }
    }

    // MARK: - The end

    private mutating func finish(_ reader: inout TagReader) throws(PlaylistError) {
        if hasDuration { try reader.report(.error, .segment, "uri", "No URI follows the last EXTINF.") }
        playlist.tagOrder = reader.order
        playlist.version = common.version
        playlist.variables = common.variables
        playlist.hasIndependentSegments = common.hasIndependentSegments
        playlist.start = common.start
        keepUpcoming()
        try reader.finish()
        try MediaPlaylistRules.check(playlist, longest: longest, &reader)
    }

    private mutating func keepUpcoming() {
        forgetDuration()
        pending.byteRange = nil
        pending.share(conditions)
        if playlist.segments.isEmpty, conditions == nil, !pending.isDiscontinuous {
            let leading = pending.tags.prefix { if case .unknown = $0 { true } else { false } }
            pending.tags.removeFirst(leading.count)
            for case .unknown(let tag) in leading { playlist.unknownTags.append(tag) }
        }
        let hasTags = !pending.tags.isEmpty || pending.isDiscontinuous || pending.isGap
        if hasTags || conditions != playlist.segments.last?.conditions { playlist.upcoming = pending }
    }
}
