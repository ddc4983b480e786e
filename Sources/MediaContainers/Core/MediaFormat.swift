/// A sample format of a track: the codec, its decoder configuration and the properties derived from it. A track has
/// several formats if its parameters change. In MP4, each format is a sample description.
public struct MediaFormat: Sendable, Hashable {
    /// The codec.
    public var codec: Codec
    /// The codec string of RFC 6381, as in the CODECS attribute of HLS (`avc1.64001F`, `mp4a.40.2`).
    public var codecString: String
    /// The decoder configuration in the form that ``Codec`` documents; empty if there is none.
    public var configuration: [UInt8]
    /// The type of the sample entry in MP4 (`avc1`, `hev1`, `mp4a`). For an encrypted track, the original format.
    public var sampleEntry: FourCC
    /// The width in pixels before the pixel aspect ratio applies, or 0 for formats other than video.
    public var width: Int
    /// The height in pixels, or 0 for formats other than video.
    public var height: Int
    /// The sample rate in Hz, or 0 for formats other than audio.
    public var sampleRate: Int
    /// The number of channels, or 0 if it's unknown and for formats other than audio.
    public var channels: Int
    /// The encryption of the samples, or nil if they are in the clear.
    public var protection: SampleProtection?
    /// The boxes that describe the presentation of video in MP4, such as `colr` and `pasp`. They are copied verbatim.
    public var videoBoxes: [UInt8] = []
    /// The framing of each sample's bytes.
    public var framing: SampleFraming

    /// A short name of the codec: ``codecString``, or a description if that's empty.
    public var name: String {
        guard codecString.isEmpty else { return codecString }
        guard case .other(let code) = codec else { return "\(codec)" }
        guard let type = Self.streamType(code) else { return "“\(code)”" }
        let hex = "stream type 0x\(Hexadecimal.byte(type))"
        return UnsupportedStreamType(type).map { "\($0.name) (\(hex))" } ?? hex
    }

    /// Whether the format is an MPEG-TS stream type that this library doesn't read.
    var isUnsupported: Bool {
        guard case .other(let code) = codec else { return false }
        return Self.streamType(code) != nil
    }

    /// Codes up to 255 are stream types rather than four characters.
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

/// The framing of a sample's bytes in its source container.
public enum SampleFraming: Sendable, Hashable {
    /// The form stored in MP4: length-prefixed NAL units, or bare audio frames.
    case stored
    /// NAL units in a byte stream with start codes (ISO/IEC 14496-10 and 23008-2, annex B).
    case startCodes
    /// AAC frames with an ADTS header (ISO/IEC 14496-3, 1.A.2.2).
    case adts
    /// AAC frames in an AudioSyncStream of LATM (ISO/IEC 14496-3, 1.7).
    case loas
}

/// The encryption of a track's samples (ISO/IEC 23001-7; boxes `sinf`, `schm` and `tenc`).
public struct SampleProtection: Sendable, Hashable {
    /// The scheme, such as `cenc` or `cbcs`, or four spaces if the file states none; `saes` for SAMPLE-AES in MPEG-TS.
    public var scheme: FourCC
    /// The 16-byte id of the default key, or nil if the file has none.
    public var defaultKeyID: [UInt8]?
    /// The size of each sample's own initialization vector in bytes, or 0 if it has none.
    public var initializationVectorSize: Int

    /// Creates a description of an encryption.
    public init(scheme: FourCC, defaultKeyID: [UInt8]? = nil, initializationVectorSize: Int = 0) {
        self.scheme = scheme
        self.defaultKeyID = defaultKeyID
        self.initializationVectorSize = initializationVectorSize
    }
}
