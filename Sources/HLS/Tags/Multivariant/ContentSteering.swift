extension PlaylistTag {
    /// EXT-X-CONTENT-STEERING (RFC 8216bis §4.4.6.6): a content steering server.
    public static let contentSteering = PlaylistTag(
        "EXT-X-CONTENT-STEERING", section: "4.4.6.6",
        place: .multivariantPlaylist(
            EntryField("contentSteering", isSingle: true) { .contentSteering(ContentSteering(attributes: $0)) }),
        decidesKind: true,
        attributes: [.required(.serverURI, .quoted), .optional(.pathwayID, .quoted)],
        uris: [.serverURI: .steeringManifest], localRemoval: .always)
}

/// A content steering server, EXT-X-CONTENT-STEERING (RFC 8216bis §4.4.6.6).
public struct ContentSteering: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a tag with the URI of a steering manifest.
    public init(serverURI: String, pathwayID: String? = nil) {
        self.serverURI = serverURI
        self.pathwayID = pathwayID
    }

    /// The URI of the steering manifest; empty if the tag has none.
    public var serverURI: String {
        get { attributes.text(.serverURI) ?? "" }
        set { attributes.setQuoted(newValue, for: .serverURI) }
    }

    /// The ID of the initial pathway.
    public var pathwayID: String? {
        get { attributes.text(.pathwayID) }
        set { attributes.setQuoted(newValue, for: .pathwayID) }
    }
}
