extension PlaylistTag {
    /// EXT-X-SESSION-DATA (RFC 8216bis §4.4.6.4): arbitrary data about the presentation, such as a title.
    public static let sessionData = PlaylistTag(
        "EXT-X-SESSION-DATA", section: "4.4.6.4",
        place: .multivariantPlaylist(
            // The URI isn't checked, because a local playlist refers to a cached copy of the data.
            EntryField("sessionData", checkedText: { $0.text(.value) }) { .sessionData(SessionData(attributes: $0)) }),
        attributes: [
            .required("DATA-ID", .quoted), .optional(.value, .quoted), .optional(.uri, .quoted),
            .optional("FORMAT", .enumerated(["JSON", "RAW"])), .optional(.language, .quoted),
        ],
        uris: [.uri: .sessionData])
}

/// Arbitrary data about the presentation, EXT-X-SESSION-DATA (RFC 8216bis §4.4.6.4).
public struct SessionData: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a tag that contains the data.
    public init(dataID: String, value: String, language: String? = nil) {
        self.dataID = dataID
        self.value = value
        self.language = language
    }

    /// The identifier of the data in reverse DNS notation; empty if the tag has none.
    public var dataID: String {
        get { attributes.text("DATA-ID") ?? "" }
        set { attributes.setQuoted(newValue, for: "DATA-ID") }
    }

    /// The data; nil if ``uri`` refers to it.
    public var value: String? {
        get { attributes.text(.value) }
        set { attributes.setQuoted(newValue, for: .value) }
    }

    /// The URI of the data; nil if ``value`` contains the data.
    public var uri: String? {
        get { attributes.text(.uri) }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The format of the data at ``uri``: JSON or RAW. Nil means JSON.
    public var format: String? {
        get { attributes.text("FORMAT") }
        set { attributes.setUnquoted(newValue, for: "FORMAT") }
    }

    /// The language of ``value`` (RFC 5646).
    public var language: String? {
        get { attributes.text(.language) }
        set { attributes.setQuoted(newValue, for: .language) }
    }
}
