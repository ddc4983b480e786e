import HLS

/// EXT-X-RENDITION-REPORT in JSON.
struct RenditionReportRecord: Encodable, Sendable {
    /// The rendition's media playlist.
    @Nullable var uri: String?
    /// The media sequence number of its last segment.
    @Nullable var lastMSN: Int?
    /// The index of its last part.
    @Nullable var lastPart: Int?

    /// The record of a tag.
    init(_ report: RenditionReport) {
        uri = report.uri.unlessEmpty
        lastMSN = report.lastMediaSequence
        lastPart = report.lastPart
    }
}
