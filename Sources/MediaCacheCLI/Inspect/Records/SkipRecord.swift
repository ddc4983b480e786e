import HLS

/// EXT-X-SKIP in JSON.
struct SkipRecord: Encodable, Sendable {
    /// How many segments are left out.
    var skippedSegments: Int
    /// The IDs of date ranges that were removed lately.
    var recentlyRemovedDateRanges: [String]

    /// The record of a tag.
    init(_ skip: SkippedSegments) {
        skippedSegments = skip.count
        recentlyRemovedDateRanges = skip.recentlyRemovedDateRanges
    }
}
