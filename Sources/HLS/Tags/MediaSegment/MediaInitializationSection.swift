extension PlaylistTag {
    /// EXT-X-MAP (RFC 8216bis §4.4.4.5): the media initialization section of the segments that follow.
    public static let map = PlaylistTag(
        "EXT-X-MAP", section: "4.4.4.5",
        place: .mediaSegment { (parser, item, reader) throws(PlaylistError) in
            var section = MediaInitializationSection(attributes: try reader.attributes(item))
            section.keys = parser.keys
            parser.map = section
            parser.updateConditions()
        },
        attributes: [.required(.uri, .quoted), .optional(.byteRange, .quotedByteRange)],
        uris: [.uri: .initializationSection],
        segmentKeys: [
            RecordKey("map") { resolved, tag, _ in
                resolved.segment.map.map { .record(TagRecord(tag, $0.attributes)) } ?? .null
            }
        ])
}

/// A media initialization section, EXT-X-MAP (RFC 8216bis §4.4.4.5).
public struct MediaInitializationSection: AttributeTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()

    /// Creates a tag from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a section, encrypted with `keys` unless they are empty.
    public init(uri: String, byteRange: ByteRange? = nil, keys: [EncryptionKey] = []) {
        self.uri = uri
        self.byteRange = byteRange
        self.keys = keys
    }

    /// The keys that encrypt the section. The segments that use the section may have others.
    public var keys: [EncryptionKey] = []

    /// The URI of the section; empty if the tag has none.
    public var uri: String {
        get { attributes.text(.uri) ?? "" }
        set { attributes.setQuoted(newValue, for: .uri) }
    }

    /// The byte range of the section; nil for the whole resource.
    public var byteRange: ByteRange? {
        get { attributes.byteRange(.byteRange) }
        set { attributes.setQuoted(newValue?.description, for: .byteRange) }
    }
}
