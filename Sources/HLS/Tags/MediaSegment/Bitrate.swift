extension PlaylistTag {
    /// EXT-X-BITRATE (RFC 8216bis §4.4.4.8): the approximate bit rate of the segments that follow.
    public static let bitrate = PlaylistTag(
        "EXT-X-BITRATE", section: "4.4.4.8",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            if let rate = try reader.integer(item) { parser.segment.tags.append(.bitrate(rate)) }
        },
        segmentKeys: [
            RecordKey("bitrate") { resolved, _, _ in resolved.bitrate.map { .integer($0) } ?? .null }
        ],
        localRemoval: .never, isRecorded: false)
}

extension MediaSegment {
    /// The bit rate declared before this segment, in kilobits per second (RFC 8216bis §4.4.4.8). See
    /// ``ResolvedSegment/bitrate`` for the rate that applies to the segment.
    public var bitrate: Int? {
        get {
            for case .bitrate(let rate) in tags.reversed() { return rate }
            return nil
        }
        set {
            tags.removeAll { if case .bitrate = $0 { true } else { false } }
            if let newValue { tags.append(.bitrate(newValue)) }
        }
    }
}
