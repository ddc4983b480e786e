extension PlaylistTag {
    /// EXT-X-BYTERANGE (RFC 8216bis §4.4.4.2): the byte range of a segment within its resource.
    public static let byteRange = PlaylistTag(
        "EXT-X-BYTERANGE", section: "4.4.4.2",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            parser.segment.byteRange = ByteRange(reader.bytes, item.value)
            if parser.segment.byteRange == nil || reader.bytes[item.value.upperBound - 1] == .at {
                try reader.report(
                    .error, item.tag, "value", "The byte range isn't of the form length or length@offset.")
            }
        },
        segmentKeys: [
            RecordKey("byteRange", details: ["length", "offset"]) { resolved, _, _ in
                resolved.byteRange.map { .bytes($0) } ?? .null
            }
        ])
}
