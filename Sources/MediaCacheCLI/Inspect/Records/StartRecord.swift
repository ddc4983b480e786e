import HLS

/// EXT-X-START in JSON.
struct StartRecord: Encodable, Sendable {
    /// Seconds from the beginning; from the end when negative.
    var timeOffset: Double
    /// Whether samples before the offset are left out.
    var precise: Bool

    /// The record of a tag.
    init(_ start: StartPoint) {
        timeOffset = start.timeOffset.doubleValue
        precise = start.isPrecise
    }
}
