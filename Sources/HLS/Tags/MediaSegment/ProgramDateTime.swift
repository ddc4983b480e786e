extension PlaylistTag {
    /// EXT-X-PROGRAM-DATE-TIME (RFC 8216bis §4.4.4.6): the wall-clock time of a segment's first sample.
    public static let programDateTime = PlaylistTag(
        "EXT-X-PROGRAM-DATE-TIME", section: "4.4.4.6",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            let date = DateTime(reader.text(item.value))
            if date.nanosecondsSinceEpoch == nil {
                try reader.report(.error, item.tag, "value", "The value isn't a valid date and time.")
            }
            parser.segment.tags.append(.programDateTime(date))
        },
        segmentKeys: [
            RecordKey("programDateTime") { resolved, _, _ in
                resolved.programDateTime.map { .string($0.text) } ?? .null
            }
        ],
        localRemoval: .never, isRecorded: false)
}

extension MediaSegment {
    /// The declared wall-clock time of the segment's first sample (RFC 8216bis §4.4.4.6).
    /// ``ResolvedSegment/programDateTime`` also derives it from other segments.
    public var programDateTime: DateTime? {
        get {
            for case .programDateTime(let date) in tags { return date }
            return nil
        }
        set {
            tags.removeAll { if case .programDateTime = $0 { true } else { false } }
            if let newValue { tags.insert(.programDateTime(newValue), at: 0) }
        }
    }
}
