import HLS

/// EXT-X-DATERANGE in JSON; lengths of time are seconds.
struct DateRangeRecord: Encodable, Sendable {
    /// What the range is known by.
    @Nullable var id: String?
    /// Its class.
    @Nullable var `class`: String?
    /// When it begins (ISO 8601).
    @Nullable var startDate: String?
    /// When it ends (ISO 8601).
    @Nullable var endDate: String?
    /// How long it is.
    @Nullable var duration: Double?
    /// How long it is meant to be.
    @Nullable var plannedDuration: Double?
    /// Whether it ends where the next of its class begins.
    var endOnNext: Bool
    /// An SCTE-35 message as `0x…`.
    @Nullable var scte35Cmd: String?
    /// The SCTE-35 message at its beginning.
    @Nullable var scte35Out: String?
    /// The SCTE-35 message at its end.
    @Nullable var scte35In: String?
    /// When to trigger its action: PRE, POST, ONCE.
    @Nullable var cue: String?
    /// The attributes that others define, `X-ASSET-URI` among them.
    var otherAttributes: [String: String]

    /// The record of a tag.
    init(_ range: DateRange) {
        var attributes = RecordedAttributes(range.attributes)
        id = attributes.text("ID")
        self.class = attributes.text("CLASS")
        startDate = attributes.text("START-DATE")
        endDate = attributes.text("END-DATE")
        duration = attributes.decimal("DURATION")
        plannedDuration = attributes.decimal("PLANNED-DURATION")
        endOnNext = attributes.flag("END-ON-NEXT")
        scte35Cmd = attributes.text("SCTE35-CMD")
        scte35Out = attributes.text("SCTE35-OUT")
        scte35In = attributes.text("SCTE35-IN")
        cue = attributes.text("CUE")
        otherAttributes = attributes.others
    }
}
