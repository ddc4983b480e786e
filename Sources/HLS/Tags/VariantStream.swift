/// EXT-X-STREAM-INF and the line after it: a variant stream (RFC 8216bis, section 4.4.6.2).
public struct VariantStream: StreamTag {
    /// The attributes, in order, unknown ones among them.
    public var attributes: AttributeList
    /// The media playlist; empty where no line follows the tag.
    public var uri: String

    /// A stream with attributes, complete or not, and no URI.
    public init(attributes: AttributeList) {
        self.init(attributes: attributes, uri: "")
    }

    /// A stream with attributes and its media playlist.
    public init(attributes: AttributeList, uri: String) {
        self.attributes = attributes
        self.uri = uri
    }

    /// A stream of a peak bit rate, in bits per second.
    public init(uri: String, bandwidth: Int) {
        attributes = AttributeList()
        self.uri = uri
        self.bandwidth = bandwidth
    }

    /// The greatest frame rate, in frames per second.
    public var frameRate: DecimalValue? {
        get { attributes.decimal("FRAME-RATE") }
        set { attributes.setUnquoted(newValue, for: "FRAME-RATE") }
    }

    /// The group of audio renditions that belongs to the stream.
    public var audioGroup: String? {
        get { attributes.text(.audio) }
        set { attributes.setQuoted(newValue, for: .audio) }
    }

    /// The group of subtitles that belongs to the stream.
    public var subtitlesGroup: String? {
        get { attributes.text("SUBTITLES") }
        set { attributes.setQuoted(newValue, for: "SUBTITLES") }
    }

    /// The group of closed captions that belongs to the stream; nil where none is named, or where the playlist says
    /// NONE: see ``hasNoClosedCaptions``.
    public var closedCaptionsGroup: String? {
        get { attributes["CLOSED-CAPTIONS"].flatMap { $0.isQuoted ? $0.text : nil } }
        set { attributes.setQuoted(newValue, for: "CLOSED-CAPTIONS") }
    }

    /// Whether the playlist says that no stream has closed captions.
    public var hasNoClosedCaptions: Bool {
        get { attributes["CLOSED-CAPTIONS"] == .unquoted("NONE") }
        set { attributes["CLOSED-CAPTIONS"] = newValue ? .unquoted("NONE") : nil }
    }

    static let rules: [AttributeRule] =
        commonRules + [
            .optional("FRAME-RATE", .decimal), .optional(.audio, .quoted), .optional("SUBTITLES", .quoted),
            .optional("CLOSED-CAPTIONS", .any),
        ]
}
