extension PlaylistTag {
    /// EXT-X-PART (RFC 8216bis §4.4.4.9): a partial segment.
    public static let part = PlaylistTag(
        "EXT-X-PART", section: "4.4.4.9",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            parser.segment.tags.append(.part(PartialSegment(attributes: try reader.attributes(item))))
        },
        decidesKind: true,
        attributes: [
            .required(.uri, .quoted), .required(.duration, .decimal, absent: .number(0)),
            .optional("INDEPENDENT", .flag), .optional(.byteRange, .quotedByteRange), .optional("GAP", .flag),
        ],
        uris: [.uri: .partialSegment],
        segmentKeys: [
            RecordKey("parts") { resolved, tag, ranges in records(resolved.segment.parts, tag, &ranges) }
        ],
        playlistKeys: [
            RecordKey("parts", details: []) { playlist, tag, ranges in
                records(playlist.upcoming?.parts ?? [], tag, &ranges)
            }
        ],
        localRemoval: .always)

    /// Returns the JSON records of parts. An omitted offset follows from the byte ranges of earlier parts.
    private static func records(
        _ parts: [PartialSegment], _ tag: PlaylistTag, _ ranges: inout PartByteRanges
    ) -> TagRecord.Value {
        .records(
            parts.map { part in
                var record = TagRecord(tag, part.attributes)
                record["byteRange"] = ranges.next(part).map { .bytes($0) } ?? .null
                return record
            })
    }
}

/// A partial segment, EXT-X-PART (RFC 8216bis §4.4.4.9).
public struct PartialSegment: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a part with a duration in seconds.
    public init(uri: String, duration: DecimalValue) {
        self.duration = duration
        self.uri = uri
    }

    /// The URI of the part; empty if the tag has none.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The duration in seconds; 0 if the tag has none.
    public var duration: DecimalValue {
        get { attributes.decimal(.duration) ?? .zero }
        set { attributes.setUnquoted(newValue, for: .duration) }
    }

    /// Whether the part contains an independent frame.
    public var isIndependent: Bool {
        get { attributes.flag("INDEPENDENT") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "INDEPENDENT") }
    }

    /// The byte range of the part; nil for the whole resource.
    public var byteRange: ByteRange? {
        get { attributes.byteRange(.byteRange) }
        set { attributes.setQuoted(newValue?.description, for: .byteRange) }
    }

    /// Whether the part isn't available.
    public var isGap: Bool {
        get { attributes.flag("GAP") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "GAP") }
    }
}

/// The byte ranges of consecutive partial segments. A range without an offset begins at the end of the previous part's
/// range (RFC 8216bis §4.4.4.9).
public struct PartByteRanges: Sendable {
    private var end = 0

    /// Creates the state before the first part of a playlist.
    public init() {}

    /// Returns the byte range of the next part; nil for a whole resource, and if the end exceeds 64 bits.
    public mutating func next(_ part: PartialSegment) -> Range<Int>? {
        guard let range = part.byteRange else {
            end = 0
            return nil
        }
        let offset = range.offset ?? end
        let (end, overflow) = offset.addingReportingOverflow(range.length)
        guard !overflow else { return nil }
        self.end = end
        return offset..<end
    }
}

extension MediaSegment {
    /// The partial segments (RFC 8216bis §4.4.4.9).
    public var parts: [PartialSegment] {
        tags.compactMap { if case .part(let part) = $0 { part } else { nil } }
    }
}
