extension PlaylistTag {
    /// EXT-X-STREAM-INF (RFC 8216bis §4.4.6.2): a variant stream. The next line is its URI.
    public static let streamInformation = PlaylistTag(
        "EXT-X-STREAM-INF", section: "4.4.6.2",
        place: .multivariantPlaylist(
            EntryField(
                "variants",
                read: { (parser, item, reader) throws(PlaylistError) in
                    try parser.reportMissingURI(&reader)
                    let variant = VariantStream(attributes: try reader.attributes(item))
                    parser.pendingVariant = parser.playlist.entries.count
                    parser.playlist.entries.append(.variant(variant))
                },
                entry: { .variant(VariantStream(attributes: $0)) })),
        decidesKind: true,
        attributes: VariantStream.rules,
        recordedAttributes: VariantStream.recordedRules, recordsOtherAttributes: true,
        requiredVersion: \.requiredVersion)
}

/// A variant stream: EXT-X-STREAM-INF and the URI on the next line (RFC 8216bis §4.4.6.2).
public struct VariantStream: StreamTag {
    /// The attributes in the order in which they were written, including unknown attributes.
    public var attributes = AttributeList()
    /// The URI of the media playlist; empty if no URI follows the tag.
    public var uri = ""

    /// Creates a stream without a URI from attributes. Required attributes may be missing.
    public init(attributes: AttributeList) { self.attributes = attributes }

    /// Creates a stream from attributes and the URI of its media playlist. Required attributes may be missing.
    public init(attributes: AttributeList, uri: String) {
        self.attributes = attributes
        self.uri = uri
    }

    static let rules: [AttributeRule] =
        commonRules + [
            .optional("FRAME-RATE", .decimal), .optional(.audio, .quoted), .optional("SUBTITLES", .quoted),
            .optional("CLOSED-CAPTIONS", .any),
        ]

    /// Creates a stream with a peak bit rate in bits per second.
    public init(uri: String, bandwidth: Int) {
        self.uri = uri
        self.bandwidth = bandwidth
    }

    /// The maximum frame rate in frames per second.
    public var frameRate: DecimalValue? {
        get { attributes.decimal("FRAME-RATE") }
        set { attributes.setUnquoted(newValue, for: "FRAME-RATE") }
    }

    /// The group ID of the stream's audio renditions.
    public var audioGroup: String? {
        get { attributes.text(.audio) }
        set { attributes.setQuoted(newValue, for: .audio) }
    }

    /// The group ID of the stream's subtitles.
    public var subtitlesGroup: String? {
        get { attributes.text("SUBTITLES") }
        set { attributes.setQuoted(newValue, for: "SUBTITLES") }
    }

    /// The group ID of the stream's closed captions; nil also for NONE (see ``hasNoClosedCaptions``).
    public var closedCaptionsGroup: String? {
        get { attributes["CLOSED-CAPTIONS"].flatMap { $0.isQuoted ? $0.text : nil } }
        set { attributes.setQuoted(newValue, for: "CLOSED-CAPTIONS") }
    }

    /// Whether the tag declares that no variant stream has closed captions. Setting false also removes a group.
    public var hasNoClosedCaptions: Bool {
        get { attributes["CLOSED-CAPTIONS"] == .unquoted("NONE") }
        set { attributes["CLOSED-CAPTIONS"] = newValue ? .unquoted("NONE") : nil }
    }
}
