extension PlaylistTag {
    /// EXT-X-RENDITION-REPORT (RFC 8216bis §4.4.5.4): the live edge of another rendition.
    public static let renditionReport = PlaylistTag(
        "EXT-X-RENDITION-REPORT", section: "4.4.5.4",
        place: .mediaPlaylist(.list("renditionReports", \.renditionReports), followsSegments: true),
        attributes: [
            .required(.uri, .quoted), .optional("LAST-MSN", .integer), .optional("LAST-PART", .integer),
        ],
        uris: [.uri: .renditionReport])
}

/// The live edge of another rendition, EXT-X-RENDITION-REPORT (RFC 8216bis §4.4.5.4).
public struct RenditionReport: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a report on the media playlist with a URI.
    public init(uri: String) { self.uri = uri }

    /// The URI of the rendition's media playlist; empty if the tag has none.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The media sequence number of the rendition's last segment or part; nil if it equals that of the playlist.
    public var lastMediaSequence: Int? {
        get { attributes.integer("LAST-MSN") }
        set { attributes.setUnquoted(newValue, for: "LAST-MSN") }
    }

    /// The index of the rendition's last part within its segment, from 0. Nil if the rendition has no parts, or if the
    /// index equals that of the playlist.
    public var lastPart: Int? {
        get { attributes.integer("LAST-PART") }
        set { attributes.setUnquoted(newValue, for: "LAST-PART") }
    }
}
