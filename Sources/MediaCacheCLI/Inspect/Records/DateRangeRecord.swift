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
    init(_ range: DateRange, _ resolve: ReferenceResolver) {
        let list = range.attributes
        id = list.text("ID")
        self.class = list.text("CLASS")
        startDate = list.text("START-DATE")
        endDate = list.text("END-DATE")
        duration = range.duration?.doubleValue
        plannedDuration = range.plannedDuration?.doubleValue
        endOnNext = range.endsOnNext
        scte35Cmd = list.text("SCTE35-CMD")
        scte35Out = list.text("SCTE35-OUT")
        scte35In = list.text("SCTE35-IN")
        cue = list.text("CUE")
        otherAttributes = list.texts(without: Self.known)
        for name in ["X-ASSET-URI", "X-ASSET-LIST"] {
            otherAttributes[name] = resolve(otherAttributes[name])
        }
    }

    private static let known: Set<AttributeName> = [
        "ID", "CLASS", "START-DATE", "END-DATE", "DURATION", "PLANNED-DURATION", "END-ON-NEXT", "SCTE35-CMD",
        "SCTE35-OUT", "SCTE35-IN", "CUE",
    ]
}
