import HLS

/// EXT-X-STREAM-INF or EXT-X-I-FRAME-STREAM-INF in JSON.
struct VariantRecord: Encodable, Sendable {
    /// Pixels.
    struct Size: Encodable, Sendable {
        /// Across.
        var width: Int
        /// Down.
        var height: Int
    }

    /// The media playlist.
    @Nullable var uri: String?
    /// The peak bit rate, in bits per second.
    @Nullable var bandwidth: Int?
    /// The average bit rate, in bits per second.
    @Nullable var averageBandwidth: Int?
    /// The media sample types, as RFC 6381 writes them, separated by commas.
    @Nullable var codecs: String?
    /// Codecs that a device need not know.
    @Nullable var supplementalCodecs: String?
    /// The best size of the picture.
    @Nullable var resolution: Size?
    /// The greatest frame rate, in frames per second.
    @Nullable var frameRate: Double?
    /// The copy protection that the stream needs.
    @Nullable var hdcpLevel: String?
    /// Which content protection may decode the stream.
    @Nullable var allowedCPC: String?
    /// SDR, HLG or PQ.
    @Nullable var videoRange: String?
    /// What the picture's layout asks of the device.
    @Nullable var reqVideoLayout: String?
    /// How the author ranks the stream; higher is better.
    @Nullable var score: Double?
    /// The group of audio renditions.
    @Nullable var audio: String?
    /// The group of video renditions.
    @Nullable var video: String?
    /// The group of subtitles.
    @Nullable var subtitles: String?
    /// The group of closed captions, or NONE.
    @Nullable var closedCaptions: String?
    /// The pathway, for content steering.
    @Nullable var pathwayID: String?
    /// An ID that stays over reloads and servers.
    @Nullable var stableVariantID: String?
    /// The attributes that RFC 8216bis doesn't define.
    var otherAttributes: [String: String]

    /// The record of a stream.
    init(_ stream: some StreamTag) {
        var attributes = RecordedAttributes(stream.attributes)
        // A variant stream's stands on the line after the tag.
        _ = attributes.text("URI")
        uri = stream.uri.unlessEmpty
        bandwidth = attributes.integer("BANDWIDTH")
        averageBandwidth = attributes.integer("AVERAGE-BANDWIDTH")
        codecs = attributes.text("CODECS")
        supplementalCodecs = attributes.text("SUPPLEMENTAL-CODECS")
        resolution = attributes.resolution("RESOLUTION").map { Size(width: $0.width, height: $0.height) }
        frameRate = attributes.decimal("FRAME-RATE")
        hdcpLevel = attributes.text("HDCP-LEVEL")
        allowedCPC = attributes.text("ALLOWED-CPC")
        videoRange = attributes.text("VIDEO-RANGE")
        reqVideoLayout = attributes.text("REQ-VIDEO-LAYOUT")
        score = attributes.decimal("SCORE")
        audio = attributes.text("AUDIO")
        video = attributes.text("VIDEO")
        subtitles = attributes.text("SUBTITLES")
        closedCaptions = attributes.text("CLOSED-CAPTIONS")
        pathwayID = attributes.text("PATHWAY-ID")
        stableVariantID = attributes.text("STABLE-VARIANT-ID")
        otherAttributes = attributes.others
    }
}
