extension PlaylistTag {
    /// EXT-X-DISCONTINUITY (RFC 8216bis §4.4.4.3): a discontinuity before the next segment.
    public static let discontinuity = PlaylistTag(
        "EXT-X-DISCONTINUITY", section: "4.4.4.3",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            if parser.segment.isDiscontinuous {
                try reader.report(
                    .warning, item.tag, "duplicate", "The segment has more than one EXT-X-DISCONTINUITY.")
            }
            parser.segment.isDiscontinuous = true
        },
        segmentKeys: [RecordKey("discontinuity") { resolved, _, _ in .flag(resolved.segment.isDiscontinuous) }])
}
