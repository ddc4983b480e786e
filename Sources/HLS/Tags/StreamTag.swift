/// What EXT-X-STREAM-INF and EXT-X-I-FRAME-STREAM-INF have in common (RFC 8216bis, sections 4.4.6.2 and 4.4.6.3).
public protocol StreamTag: AttributeTag {
    /// The media playlist; empty where the playlist doesn't say.
    var uri: String { get set }
}

extension StreamTag {
    /// The peak bit rate, in bits per second; 0 where the tag doesn't say.
    public var bandwidth: Int {
        get { attributes.integer(.bandwidth) ?? 0 }
        set { attributes.setUnquoted(newValue, for: .bandwidth) }
    }

    /// The average bit rate, in bits per second.
    public var averageBandwidth: Int? {
        get { attributes.integer(.averageBandwidth) }
        set { attributes.setUnquoted(newValue, for: .averageBandwidth) }
    }

    /// How the author ranks the stream among the variant streams; higher is better.
    public var score: DecimalValue? {
        get { attributes.decimal("SCORE") }
        set { attributes.setUnquoted(newValue, for: "SCORE") }
    }

    /// The media sample types, as RFC 6381 writes them.
    public var codecs: [String] {
        get { attributes.list(.codecs) }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: .codecs) }
    }

    /// Codecs of which a device that doesn't know them may still play the stream by its ``codecs``.
    public var supplementalCodecs: [String] {
        get { attributes.list("SUPPLEMENTAL-CODECS") }
        set {
            attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "SUPPLEMENTAL-CODECS")
        }
    }

    /// The best size of the picture.
    public var resolution: Resolution? {
        get { attributes.resolution(.resolution) }
        set { attributes.setUnquoted(newValue, for: .resolution) }
    }

    /// The copy protection that the stream needs: NONE, TYPE-0, TYPE-1.
    public var hdcpLevel: String? {
        get { attributes.text("HDCP-LEVEL") }
        set { attributes.setUnquoted(newValue, for: "HDCP-LEVEL") }
    }

    /// Which content protection may decode the stream, by key format.
    public var allowedCPC: String? {
        get { attributes.text("ALLOWED-CPC") }
        set { attributes.setQuoted(newValue, for: "ALLOWED-CPC") }
    }

    /// The dynamic range: SDR, HLG, PQ.
    public var videoRange: String? {
        get { attributes.text("VIDEO-RANGE") }
        set { attributes.setUnquoted(newValue, for: "VIDEO-RANGE") }
    }

    /// What the layout of the picture asks of the device: CH-STEREO, CH-MONO.
    public var requiredVideoLayout: String? {
        get { attributes.text("REQ-VIDEO-LAYOUT") }
        set { attributes.setQuoted(newValue, for: "REQ-VIDEO-LAYOUT") }
    }

    /// An ID that stays over reloads and servers.
    public var stableID: String? {
        get { attributes.text("STABLE-VARIANT-ID") }
        set { attributes.setQuoted(newValue, for: "STABLE-VARIANT-ID") }
    }

    /// The group of video renditions that belongs to the stream.
    public var videoGroup: String? {
        get { attributes.text(.video) }
        set { attributes.setQuoted(newValue, for: .video) }
    }

    /// The pathway that the stream is on, for content steering.
    public var pathwayID: String? {
        get { attributes.text(.pathwayID) }
        set { attributes.setQuoted(newValue, for: .pathwayID) }
    }

    static var commonRules: [AttributeRule] {
        [
            .required(.bandwidth, .integer), .optional(.averageBandwidth, .integer), .optional("SCORE", .decimal),
            .optional(.codecs, .quoted), .optional("SUPPLEMENTAL-CODECS", .quoted), .optional(.resolution, .resolution),
            .optional("HDCP-LEVEL", .enumerated(["NONE", "TYPE-0", "TYPE-1"])), .optional("ALLOWED-CPC", .quoted),
            .optional("VIDEO-RANGE", .enumerated(["SDR", "HLG", "PQ"])), .optional("REQ-VIDEO-LAYOUT", .quoted),
            .optional("STABLE-VARIANT-ID", .quoted), .optional(.video, .quoted), .optional(.pathwayID, .quoted),
        ]
    }
}
