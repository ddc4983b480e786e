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
    init(_ stream: some StreamTag, _ resolve: ReferenceResolver) {
        let list = stream.attributes
        uri = resolve(stream.uri)
        bandwidth = list.integer("BANDWIDTH")
        averageBandwidth = stream.averageBandwidth
        codecs = list.text("CODECS")
        supplementalCodecs = list.text("SUPPLEMENTAL-CODECS")
        resolution = stream.resolution.map { Size(width: $0.width, height: $0.height) }
        frameRate = list.decimal("FRAME-RATE")?.doubleValue
        hdcpLevel = stream.hdcpLevel
        allowedCPC = stream.allowedCPC
        videoRange = stream.videoRange
        reqVideoLayout = stream.requiredVideoLayout
        score = stream.score?.doubleValue
        audio = list.text("AUDIO")
        video = stream.videoGroup
        subtitles = list.text("SUBTITLES")
        closedCaptions = list.text("CLOSED-CAPTIONS")
        pathwayID = stream.pathwayID
        stableVariantID = stream.stableID
        otherAttributes = list.texts(without: Self.known)
    }

    private static let known: Set<AttributeName> = [
        "URI", "BANDWIDTH", "AVERAGE-BANDWIDTH", "CODECS", "SUPPLEMENTAL-CODECS", "RESOLUTION", "FRAME-RATE",
        "HDCP-LEVEL", "ALLOWED-CPC", "VIDEO-RANGE", "REQ-VIDEO-LAYOUT", "SCORE", "AUDIO", "VIDEO", "SUBTITLES",
        "CLOSED-CAPTIONS", "PATHWAY-ID", "STABLE-VARIANT-ID",
    ]
}
