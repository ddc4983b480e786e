/// EXT-X-DATERANGE: a range of time with attributes (RFC 8216bis, section 4.4.5.1).
public struct DateRange: AttributeTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList

    /// A tag with attributes, complete or not.
    public init(attributes: AttributeList) {
        self.attributes = attributes
    }

    /// A range that begins at a moment.
    public init(id: String, startDate: DateTime) {
        attributes = AttributeList()
        self.id = id
        self.startDate = startDate
    }

    /// What the range is known by.
    public var id: String {
        get { attributes.text(.identifier) ?? "" }
        set { attributes.setQuoted(newValue, for: .identifier) }
    }

    /// The class: ranges of one class share the meaning of their attributes.
    public var rangeClass: String? {
        get { attributes.text("CLASS") }
        set { attributes.setQuoted(newValue, for: "CLASS") }
    }

    /// When the range begins.
    public var startDate: DateTime? {
        get { attributes.dateTime("START-DATE") }
        set { attributes.setQuoted(newValue?.text, for: "START-DATE") }
    }

    /// When the range ends.
    public var endDate: DateTime? {
        get { attributes.dateTime("END-DATE") }
        set { attributes.setQuoted(newValue?.text, for: "END-DATE") }
    }

    /// Seconds.
    public var duration: DecimalValue? {
        get { attributes.decimal(.duration) }
        set { attributes.setUnquoted(newValue, for: .duration) }
    }

    /// Seconds, while the duration isn't known.
    public var plannedDuration: DecimalValue? {
        get { attributes.decimal("PLANNED-DURATION") }
        set { attributes.setUnquoted(newValue, for: "PLANNED-DURATION") }
    }

    /// Whether the range ends where the next of its class begins.
    public var endsOnNext: Bool {
        get { attributes.flag("END-ON-NEXT") ?? false }
        set { attributes.setFlag(newValue ? true : nil, for: "END-ON-NEXT") }
    }

    /// An SCTE-35 message (section 4.4.5.1.1).
    public var scte35Command: HexadecimalSequence? {
        get { attributes.text("SCTE35-CMD").flatMap { HexadecimalSequence($0) } }
        set { attributes.setUnquoted(newValue, for: "SCTE35-CMD") }
    }

    /// The SCTE-35 message at the range's beginning (section 4.4.5.1.1).
    public var scte35Out: HexadecimalSequence? {
        get { attributes.text("SCTE35-OUT").flatMap { HexadecimalSequence($0) } }
        set { attributes.setUnquoted(newValue, for: "SCTE35-OUT") }
    }

    /// The SCTE-35 message at the range's end (section 4.4.5.1.1).
    public var scte35In: HexadecimalSequence? {
        get { attributes.text("SCTE35-IN").flatMap { HexadecimalSequence($0) } }
        set { attributes.setUnquoted(newValue, for: "SCTE35-IN") }
    }

    /// When to trigger the range's action: PRE, POST, ONCE.
    public var cue: [String] {
        get { attributes.list("CUE") }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "CUE") }
    }

    /// The attributes whose names begin with `X-`, which the RFC leaves to others.
    public var clientAttributes: [AttributeList.Attribute] {
        attributes.attributes.filter { $0.name.rawValue.hasPrefix("X-") }
    }

    /// Where the range ends: its end date, else its start and duration, in nanoseconds since 1970; nil where it is
    /// open.
    public var endNanoseconds: Int64? {
        if let end = endDate?.nanosecondsSinceEpoch { return end }
        guard let start = startDate?.nanosecondsSinceEpoch, let duration else { return nil }
        let (end, overflow) = start.addingReportingOverflow(duration.nanoseconds)
        return overflow ? nil : end
    }

    static let rules: [AttributeRule] = [
        .required(.identifier, .quoted),
        .optional("CLASS", .quoted),
        .optional("START-DATE", .quotedDate),
        .optional("END-DATE", .quotedDate),
        .optional(.duration, .decimal),
        .optional("PLANNED-DURATION", .decimal),
        .optional("END-ON-NEXT", .enumerated(["YES"])),
        .optional("SCTE35-CMD", .hexadecimal),
        .optional("SCTE35-OUT", .hexadecimal),
        .optional("SCTE35-IN", .hexadecimal),
        .optional("CUE", .quoted),
    ]
}
