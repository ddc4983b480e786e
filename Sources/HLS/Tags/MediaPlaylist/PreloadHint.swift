extension PlaylistTag {
    /// EXT-X-PRELOAD-HINT (RFC 8216bis §4.4.5.3): a resource that the client will soon need.
    public static let preloadHint = PlaylistTag(
        "EXT-X-PRELOAD-HINT", section: "4.4.5.3",
        place: .mediaPlaylist(.list("preloadHints", \.preloadHints), followsSegments: true),
        attributes: [
            .required(.type, .enumerated(["PART", "MAP"])), .required(.uri, .quoted),
            .optional("BYTERANGE-START", .integer), .optional("BYTERANGE-LENGTH", .integer),
        ],
        uris: [.uri: .preloadHint])
}

/// A resource that the client will soon need, EXT-X-PRELOAD-HINT (RFC 8216bis §4.4.5.3).
public struct PreloadHint: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a hint of the type PART or MAP.
    public init(type: String, uri: String) {
        self.type = type
        self.uri = uri
    }

    /// The type of the resource: PART or MAP. Empty if the tag has none.
    public var type: String {
        get { attributes.text(.type) ?? "" }
        set { attributes.setUnquoted(newValue, for: .type) }
    }

    /// The URI of the resource; empty if the tag has none.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The offset of the first byte; nil for the beginning of the resource.
    public var byteRangeStart: Int? {
        get { attributes.integer("BYTERANGE-START") }
        set { attributes.setUnquoted(newValue, for: "BYTERANGE-START") }
    }

    /// The number of bytes; nil for all bytes to the end of the resource.
    public var byteRangeLength: Int? {
        get { attributes.integer("BYTERANGE-LENGTH") }
        set { attributes.setUnquoted(newValue, for: "BYTERANGE-LENGTH") }
    }
}
