extension PlaylistTag {
    /// EXT-X-GAP (RFC 8216bis §4.4.4.7): the segment isn't available.
    public static let gap = PlaylistTag(
        "EXT-X-GAP", section: "4.4.4.7", place: .mediaSegment { parser, _, _ in parser.segment.isGap = true },
        segmentKeys: [RecordKey("gap") { resolved, _, _ in .flag(resolved.segment.isGap) }])
}
