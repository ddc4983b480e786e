extension PlaylistTag {
    /// EXT-X-DATERANGE (RFC 8216bis §4.4.5.1): a time range with attributes.
    public static let dateRange = PlaylistTag(
        "EXT-X-DATERANGE", section: "4.4.5.1",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            let range = DateRange(attributes: try reader.attributes(item))
            try range.check(&reader)
            parser.segment.tags.append(.dateRange(range))
        },
        attributes: [
            .required(.identifier, .quoted), .optional("CLASS", .quoted), .optional("START-DATE", .quotedDate),
            .optional("END-DATE", .quotedDate), .optional(.duration, .decimal),
            .optional("PLANNED-DURATION", .decimal), .optional("END-ON-NEXT", .yes),
            .optional("SCTE35-CMD", .hexadecimal), .optional("SCTE35-OUT", .hexadecimal),
            .optional("SCTE35-IN", .hexadecimal), .optional("CUE", .quoted),
        ],
        uris: [.assetURI: .interstitialAsset, .assetList: .interstitialAssetList],
        recordsOtherAttributes: true,
        playlistKeys: [
            RecordKey("dateRanges") { playlist, tag, _ in
                .records(playlist.dateRanges.map { TagRecord(tag, $0.attributes) })
            }
        ])
}

/// A time range with attributes, EXT-X-DATERANGE (RFC 8216bis §4.4.5.1).
public struct DateRange: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a range with an ID and a start date.
    public init(id: String, startDate: DateTime) {
        self.id = id
        self.startDate = startDate
    }

    /// The ID, unique in the playlist; empty if the tag has none.
    public var id: String {
        get { attributes.text(.identifier) ?? "" }
        set { attributes.setQuoted(newValue, for: .identifier) }
    }

    /// The class, which defines the semantics of the attributes.
    public var rangeClass: String? {
        get { attributes.text("CLASS") }
        set { attributes.setQuoted(newValue, for: "CLASS") }
    }

    /// The start of the range.
    public var startDate: DateTime? {
        get { attributes.dateTime("START-DATE") }
        set { attributes.setQuoted(newValue?.text, for: "START-DATE") }
    }

    /// The end of the range.
    public var endDate: DateTime? {
        get { attributes.dateTime("END-DATE") }
        set { attributes.setQuoted(newValue?.text, for: "END-DATE") }
    }

    /// The duration in seconds.
    public var duration: DecimalValue? {
        get { attributes.decimal(.duration) }
        set { attributes.setUnquoted(newValue, for: .duration) }
    }

    /// The expected duration in seconds, for a range with an unknown duration.
    public var plannedDuration: DecimalValue? {
        get { attributes.decimal("PLANNED-DURATION") }
        set { attributes.setUnquoted(newValue, for: "PLANNED-DURATION") }
    }

    /// Whether the range ends at the start of the next range of its class.
    public var endsOnNext: Bool {
        get { attributes.flag("END-ON-NEXT") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "END-ON-NEXT") }
    }

    /// An SCTE-35 message (RFC 8216bis §4.4.5.1.1).
    public var scte35Command: HexadecimalSequence? {
        get { attributes.text("SCTE35-CMD").flatMap { HexadecimalSequence($0) } }
        set { attributes.setUnquoted(newValue, for: "SCTE35-CMD") }
    }

    /// The SCTE-35 message at the start of the range (RFC 8216bis §4.4.5.1.1).
    public var scte35Out: HexadecimalSequence? {
        get { attributes.text("SCTE35-OUT").flatMap { HexadecimalSequence($0) } }
        set { attributes.setUnquoted(newValue, for: "SCTE35-OUT") }
    }

    /// The SCTE-35 message at the end of the range (RFC 8216bis §4.4.5.1.1).
    public var scte35In: HexadecimalSequence? {
        get { attributes.text("SCTE35-IN").flatMap { HexadecimalSequence($0) } }
        set { attributes.setUnquoted(newValue, for: "SCTE35-IN") }
    }

    /// The triggers of the range's action: PRE, POST and ONCE.
    public var cue: [String] {
        get { attributes.list("CUE") }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "CUE") }
    }

    /// The attributes with names that begin with `X-`.
    public var clientAttributes: [AttributeList.Attribute] {
        attributes.attributes.filter { $0.name.rawValue.hasPrefix("X-") }
    }

    /// The end in nanoseconds since 1970: the end date, otherwise the start date plus the duration. Nil if unknown.
    public var endNanoseconds: Int64? {
        if let end = endDate?.nanosecondsSinceEpoch { return end }
        guard let start = startDate?.nanosecondsSinceEpoch, let duration else { return nil }
        let (end, overflow) = start.addingReportingOverflow(duration.nanoseconds)
        return overflow ? nil : end
    }

    /// Reports violations that the attribute types don't cover (RFC 8216bis §4.4.5.1 and appendix D).
    fileprivate func check(_ reader: inout LineReader) throws(PlaylistError) {
        if endsOnNext {
            if rangeClass == nil {
                try reader.report(.error, .dateRange, "end-on-next", "A date range with END-ON-NEXT has no CLASS.")
            }
            if duration != nil || endDate != nil {
                try reader.report(
                    .error, .dateRange, "end-on-next", "A date range with END-ON-NEXT has DURATION or END-DATE.")
            }
        }
        if let start = startDate?.nanosecondsSinceEpoch, let end = endDate?.nanosecondsSinceEpoch, end < start {
            try reader.report(.error, .dateRange, "end", "The date range ends before it begins.")
        }
        guard let interstitial else { return }
        try reader.check(interstitial.attributes, of: .dateRange, Interstitial.rules)
        if (interstitial.assetURI == nil) == (interstitial.assetListURI == nil) {
            try reader.report(
                .error, "D.2", "asset", "An interstitial must have either X-ASSET-URI or X-ASSET-LIST.")
        }
    }
}

extension MediaSegment {
    /// The date ranges that precede the segment (RFC 8216bis §4.4.5.1).
    public var dateRanges: [DateRange] {
        tags.compactMap { if case .dateRange(let range) = $0 { range } else { nil } }
    }
}
