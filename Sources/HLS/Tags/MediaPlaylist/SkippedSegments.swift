extension PlaylistTag {
    /// EXT-X-SKIP (RFC 8216bis §4.4.5.2): the segments that a delta update omits.
    public static let skip = PlaylistTag(
        "EXT-X-SKIP", section: "4.4.5.2", place: .mediaPlaylist(.attributes("skip", \.skip)),
        attributes: [
            .required("SKIPPED-SEGMENTS", .integer, absent: .integer(0)),
            .optional("RECENTLY-REMOVED-DATERANGES", .quotedTabList),
        ],
        requiredVersion: { SkippedSegments(attributes: $0).recentlyRemovedDateRanges.isEmpty ? 9 : 10 })
}

/// The segments that a delta update omits, EXT-X-SKIP (RFC 8216bis §4.4.5.2).
public struct SkippedSegments: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a tag that skips a number of segments.
    public init(count: Int) { self.count = count }

    /// The number of segments that the delta update omits; 0 if the tag has none.
    public var count: Int {
        get { attributes.integer("SKIPPED-SEGMENTS") ?? 0 }
        set { attributes.setUnquoted(newValue, for: "SKIPPED-SEGMENTS") }
    }

    /// The IDs of the date ranges that were recently removed from the playlist.
    public var recentlyRemovedDateRanges: [String] {
        get {
            attributes.text("RECENTLY-REMOVED-DATERANGES").map { $0.split(separator: "\t").map(String.init) } ?? []
        }
        set {
            let text = newValue.isEmpty ? nil : newValue.joined(separator: "\t")
            attributes.setQuoted(text, for: "RECENTLY-REMOVED-DATERANGES")
        }
    }
}
