/// One way in which samples of a track are coded: the codec, its decoder configuration, and what that says of picture
/// and sound. A track has more than one when its parameters change (several sample descriptions in MP4).
public struct MediaFormat: Sendable, Hashable {
    /// The codec.
    public var codec: Codec
    /// The codec by RFC 6381, as in HLS's CODECS attribute (`avc1.64001F`, `mp4a.40.2`).
    public var codecString: String
    /// The decoder configuration in the form that MP4 stores; what it is, ``Codec``'s cases say. Empty where there is
    /// none.
    public var configuration: [UInt8]
    /// The type of the sample entry in MP4 (`avc1`, `hev1`, `mp4a`); for an encrypted track, the original format.
    public var sampleEntry: FourCC
    /// The picture's coded size in pixels, 0 where there is none.
    public var width: Int
    /// The picture's coded size in pixels, 0 where there is none.
    public var height: Int
    /// Samples of sound per second, 0 where there are none.
    public var sampleRate: Int
    /// Channels of sound, 0 where there are none.
    public var channels: Int
    /// How samples are encrypted, or nil when they are clear.
    public var protection: SampleProtection?
    /// Whole boxes of an MP4 sample entry that describe the picture further (`colr`, `pasp`, `clap`, `mdcv`, …), kept as
    /// they are so that a remuxed file shows the same colours and shape.
    public var pictureBoxes: [UInt8] = []
    /// What stands around the bytes of each sample.
    public var framing: SampleFraming

    /// The codec in a word or two: ``codecString`` where there is one.
    public var name: String {
        guard codecString.isEmpty else { return codecString }
        guard case .other(let code) = codec else { return "\(codec)" }
        guard let type = Self.streamType(code) else { return "“\(code)”" }
        let hex = "stream type 0x" + (type < 16 ? "0" : "") + String(type, radix: 16, uppercase: true)
        return UnreadStreamType(type).map { "\($0.name) (\(hex))" } ?? hex
    }

    /// Whether it's a stream type of MPEG-TS that isn't read.
    var isUnread: Bool {
        guard case .other(let code) = codec else { return false }
        return Self.streamType(code) != nil
    }

    /// What isn't four characters is a stream type.
    private static func streamType(_ code: FourCC) -> UInt8? { UInt8(exactly: code.rawValue) }

    /// Creates a format.
    public init(
        codec: Codec, codecString: String = "", configuration: [UInt8] = [], sampleEntry: FourCC = "    ",
        width: Int = 0, height: Int = 0, sampleRate: Int = 0, channels: Int = 0, protection: SampleProtection? = nil,
        framing: SampleFraming = .stored
    ) {
        self.codec = codec
        self.codecString = codecString
        self.configuration = configuration
        self.sampleEntry = sampleEntry
        self.width = width
        self.height = height
        self.sampleRate = sampleRate
        self.channels = channels
        self.protection = protection
        self.framing = framing
    }
}

/// What stands around the bytes of a sample in the container that it was read from.
public enum SampleFraming: Sendable, Hashable {
    /// As MP4 stores it: lengths before NAL units, bare frames of sound.
    case stored
    /// A byte stream with start codes (ISO/IEC 14496-10, annex B).
    case startCodes
    /// A frame of AAC with its ADTS header of 7 or 9 bytes (ISO/IEC 14496-3, 1.A.2.2).
    case adts
    /// A frame of AAC in an AudioSyncStream of LATM (ISO/IEC 14496-3, 1.7).
    case loas
}

/// How a track's samples are encrypted (ISO/IEC 23001-7; the boxes `sinf`, `schm`, `tenc`).
public struct SampleProtection: Sendable, Hashable {
    /// The scheme: `cenc`, `cbcs`, `cens`, `cbc1`, `piff`, or what the file says.
    public var scheme: FourCC
    /// The default key's id, 16 bytes, or nil where the file has none.
    public var defaultKeyID: [UInt8]?
    /// The size of each sample's initialization vector in bytes: 0, 8 or 16.
    public var initializationVectorSize: Int

    /// Creates a description of how samples are encrypted.
    public init(scheme: FourCC, defaultKeyID: [UInt8]? = nil, initializationVectorSize: Int = 0) {
        self.scheme = scheme
        self.defaultKeyID = defaultKeyID
        self.initializationVectorSize = initializationVectorSize
    }
}
