/// The attributes that EXT-X-STREAM-INF and EXT-X-I-FRAME-STREAM-INF share (RFC 8216bis §4.4.6.2 and §4.4.6.3).
public protocol StreamTag: AttributeTag {
    /// The URI of the media playlist; empty if there is none.
    var uri: String { get set }
}

extension StreamTag {
    /// The peak bit rate in bits per second; 0 if the tag has none.
    public var bandwidth: Int {
        get { attributes.integer(.bandwidth) ?? 0 }
        set { attributes.setUnquoted(newValue, for: .bandwidth) }
    }

    /// The average bit rate in bits per second.
    public var averageBandwidth: Int? {
        get { attributes.integer(.averageBandwidth) }
        set { attributes.setUnquoted(newValue, for: .averageBandwidth) }
    }

    /// The author's ranking of the stream; higher is better.
    public var score: DecimalValue? {
        get { attributes.decimal("SCORE") }
        set { attributes.setUnquoted(newValue, for: "SCORE") }
    }

    /// The media sample formats (RFC 6381).
    public var codecs: [String] {
        get { attributes.list(.codecs) }
        set { attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: .codecs) }
    }

    /// The formats of enhancement layers. Devices without support for them can play the base layers, ``codecs``.
    public var supplementalCodecs: [String] {
        get { attributes.list("SUPPLEMENTAL-CODECS") }
        set {
            attributes.setQuoted(newValue.isEmpty ? nil : newValue.joined(separator: ","), for: "SUPPLEMENTAL-CODECS")
        }
    }

    /// The optimal display resolution of the video.
    public var resolution: Resolution? {
        get { attributes.resolution(.resolution) }
        set { attributes.setUnquoted(newValue, for: .resolution) }
    }

    /// The required level of HDCP: NONE, TYPE-0 or TYPE-1.
    public var hdcpLevel: String? {
        get { attributes.text("HDCP-LEVEL") }
        set { attributes.setUnquoted(newValue, for: "HDCP-LEVEL") }
    }

    /// The content protection configurations that may decode the stream, by key format.
    public var allowedCPC: String? {
        get { attributes.text("ALLOWED-CPC") }
        set { attributes.setQuoted(newValue, for: "ALLOWED-CPC") }
    }

    /// The dynamic range: SDR, HLG or PQ.
    public var videoRange: String? {
        get { attributes.text("VIDEO-RANGE") }
        set { attributes.setUnquoted(newValue, for: "VIDEO-RANGE") }
    }

    /// The video layouts that the device must support, such as CH-STEREO.
    public var requiredVideoLayout: String? {
        get { attributes.text("REQ-VIDEO-LAYOUT") }
        set { attributes.setQuoted(newValue, for: "REQ-VIDEO-LAYOUT") }
    }

    /// An ID that is stable across reloads and servers.
    public var stableID: String? {
        get { attributes.text("STABLE-VARIANT-ID") }
        set { attributes.setQuoted(newValue, for: "STABLE-VARIANT-ID") }
    }

    /// The group ID of the stream's video renditions.
    public var videoGroup: String? {
        get { attributes.text(.video) }
        set { attributes.setQuoted(newValue, for: .video) }
    }

    /// The ID of the content steering pathway.
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

    /// The attributes in JSON records, which are the same for both tags.
    static var recordedRules: [AttributeRule] { [.optional(.uri, .quoted)] + VariantStream.rules }
}

extension AttributeList {
    var requiredVersion: Int { attributes.contains { $0.name.rawValue.hasPrefix("REQ-") } ? 12 : 1 }
}
