import HLS

/// EXT-X-SERVER-CONTROL in JSON; lengths of time are seconds.
struct ServerControlRecord: Encodable, Sendable {
    /// The skip boundary.
    @Nullable var canSkipUntil: Double?
    /// Whether delta updates may leave out date ranges too.
    var canSkipDateRanges: Bool
    /// The least distance from the end to play at.
    @Nullable var holdBack: Double?
    /// The same with partial segments.
    @Nullable var partHoldBack: Double?
    /// Whether the server holds a request until it has what is asked.
    var canBlockReload: Bool

    /// The record of a tag.
    init(_ control: ServerControl) {
        canSkipUntil = control.canSkipUntil?.doubleValue
        canSkipDateRanges = control.canSkipDateRanges
        holdBack = control.holdBack?.doubleValue
        partHoldBack = control.partHoldBack?.doubleValue
        canBlockReload = control.canBlockReload
    }
}
