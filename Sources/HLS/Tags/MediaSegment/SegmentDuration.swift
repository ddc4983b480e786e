extension PlaylistTag {
    /// EXTINF (RFC 8216bis §4.4.4.1): the duration and the title of a segment.
    public static let segment = PlaylistTag(
        "EXTINF", section: "4.4.4.1",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            try parser.readSegmentDuration(item.value, &reader)
        },
        decidesKind: true,
        segmentKeys: [
            RecordKey("duration") { resolved, _, _ in .number(resolved.segment.duration.doubleValue) },
            RecordKey("title") { resolved, _, _ in
                resolved.segment.title.isEmpty ? .null : .string(resolved.segment.title)
            },
        ],
        isRecorded: false)
}

extension MediaPlaylistParser {
    /// Reads the value of EXTINF. It's inlined, since about every second line of a long playlist is an EXTINF.
    @inline(__always)
    mutating func readSegmentDuration(_ value: Range<Int>, _ reader: inout LineReader) throws(PlaylistError) {
        if hasDuration {
            try reader.report(.error, .segment, "uri", "No URI follows the previous EXTINF.")
            discardDuration()
        }
        hasDuration = true
        var rest = value.lowerBound
        if let number = DecimalValue.read(reader.bytes, value) {
            segment.duration = number.value
            rest = number.end
            if number.value.significand < 0 {
                try reader.report(.error, .segment, "duration", "The duration is negative.")
            }
        } else {
            segment.duration = DecimalValue(playlist.targetDuration ?? 0)
            try reader.report(
                .error, .segment, "duration", "EXTINF has no duration; the target duration is used instead.")
            let isTitle = !value.isEmpty && reader.bytes[value.lowerBound] != .comma
            if isTitle {
                segment.title = reader.text(value)
                return
            }
        }
        if rest &+ 1 == value.upperBound, reader.bytes[rest] == .comma { return }
        try readTitle(rest..<value.upperBound, &reader)
    }

    /// Discards the value of an EXTINF that no URI follows.
    mutating func discardDuration() {
        segment.duration = .zero
        segment.title = ""
        durationParameters = nil
    }

    private mutating func readTitle(_ range: Range<Int>, _ reader: inout LineReader) throws(PlaylistError) {
        let comma = comma(reader.bytes, range)
        if comma == nil { try reader.report(.error, .segment, "comma", "No comma follows the duration.") }
        let parameters = reader.bytes.trimmed(range.lowerBound, comma ?? range.upperBound)
        if !parameters.isEmpty {
            try reader.report(.error, .segment, "duration", "Unexpected text follows the duration.")
            durationParameters = reader.text(parameters)
        } else if let comma, comma != range.lowerBound {
            try reader.reportBlanks()
        }
        guard let comma, !reader.bytes.trimmed(comma + 1, range.upperBound).isEmpty else { return }
        segment.writtenTitle = reader.text(comma + 1..<range.upperBound)
    }

    /// Returns the position of the comma before the title. In IPTV lists, quoted strings before it may contain commas.
    private func comma(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        var isQuoted = false
        var first: Int?
        for index in range {
            if bytes[index] == .quote { isQuoted.toggle() }
            guard bytes[index] == .comma else { continue }
            if !isQuoted { return index }
            first = first ?? index
        }
        return isQuoted ? first : nil
    }
}

extension LineWriter {
    /// Writes EXTINF, with the parameters before the comma.
    mutating func duration(of segment: MediaSegment) {
        name(.segment)
        append(.colon)
        append(segment.duration.description)
        for case .durationParameters(let text) in segment.tags { append(" " + text) }
        append(.comma)
        if !segment.writtenTitle.isEmpty { append(segment.writtenTitle) }
        endLine()
    }
}
