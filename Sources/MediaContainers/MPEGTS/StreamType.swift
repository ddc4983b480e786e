/// The coding of an elementary stream according to its program map (ISO/IEC 13818-1, table 2-34; ATSC A/53; RFC 8216
/// and Apple's "MPEG-2 Stream Encryption Format for HTTP Live Streaming").
enum StreamType: Hashable {
    case h262
    case h264
    case hevc
    case mpegAudio
    case adtsAAC
    case latmAAC
    case ac3
    case eac3
    case opus
    case id3
    case scte35
    /// SAMPLE-AES with stream type 0xDB, 0xCF, 0xC1 or 0xC2.
    case encrypted(UInt8)
    case other(UInt8)

    init(_ raw: UInt8, descriptors: StreamDescriptors, registration: FourCC?) {
        switch raw {
        case 0x01, 0x02: self = .h262
        case 0x03, 0x04: self = .mpegAudio
        case 0x0F: self = .adtsAAC
        case 0x11: self = .latmAAC
        case 0x15: self = descriptors.metadataFormat == "ID3 " ? .id3 : .other(raw)
        case 0x1B: self = .h264
        case 0x24: self = .hevc
        case 0x81: self = .ac3
        case 0x86: self = .scte35
        case 0x87, 0x84: self = .eac3
        case 0xDB, 0xCF, 0xC1, 0xC2: self = .encrypted(raw)
        case 0x06: self = Self.privateData(descriptors, registration: descriptors.registration ?? registration)
        default: self = .other(raw)
        }
    }

    private static func privateData(_ descriptors: StreamDescriptors, registration: FourCC?) -> StreamType {
        if descriptors.opusChannelConfiguration != nil { return .opus }
        if descriptors.hasEAC3 { return .eac3 }
        if descriptors.hasAC3 { return .ac3 }
        if descriptors.hasAAC { return .adtsAAC }
        switch registration {
        case .some("Opus"): return .opus
        case .some("AC-3"): return .ac3
        case .some("EAC3"): return .eac3
        case .some("HEVC"): return .hevc
        case .some("ID3 "): return .id3
        default: return .other(0x06)
        }
    }

    /// Whether the payload consists of sections instead of PES packets.
    var isInSections: Bool { self == .scte35 }

    var kind: MediaKind {
        switch self {
        case .h262, .h264, .hevc, .encrypted(0xDB): .video
        case .mpegAudio, .adtsAAC, .latmAAC, .ac3, .eac3, .opus, .encrypted: .audio
        case .other(let raw): UnsupportedStreamType(raw)?.kind ?? .data
        case .id3, .scte35: .data
        }
    }

    /// The codec according to the program map alone.
    var codec: Codec {
        switch self {
        case .h262: .mpeg2Video
        case .h264: .avc
        case .hevc: .hevc
        case .mpegAudio: .mp2
        case .adtsAAC, .latmAAC: .aac
        case .ac3: .ac3
        case .eac3: .eac3
        case .opus: .opus
        case .id3: .id3
        case .scte35: .scte35
        case .encrypted(let raw):
            switch raw {
            case 0xDB: .avc
            case 0xC1: .ac3
            case 0xC2: .eac3
            default: .aac
            }
        case .other(let raw): .other(FourCC(rawValue: UInt32(raw)))
        }
    }
}

/// Audio and video codings in transport streams that this library doesn't read, by stream type (ISO/IEC 13818-1, table
/// 2-34; Blu-ray; ATSC).
struct UnsupportedStreamType {
    let kind: MediaKind
    let name: String

    /// Creates a description. Returns nil for a stream type that is supported, isn't audio or video, or has no fixed
    /// meaning.
    init?(_ raw: UInt8) {
        switch raw {
        case 0x10: self.init(.video, "MPEG-4 Visual")
        case 0x1C: self.init(.audio, "MPEG-4 audio")
        case 0x21: self.init(.video, "JPEG 2000")
        case 0x2D, 0x2E: self.init(.audio, "MPEG-H 3D audio")
        case 0x33: self.init(.video, "H.266")
        case 0x42, 0xD2, 0xD4: self.init(.video, "AVS")
        case 0x80: self.init(.audio, "LPCM")
        case 0x82, 0x8A: self.init(.audio, "DTS")
        case 0x83: self.init(.audio, "TrueHD")
        case 0x85, 0x88: self.init(.audio, "DTS-HD")
        case 0xD1: self.init(.video, "Dirac")
        case 0xEA: self.init(.video, "VC-1")
        default: return nil
        }
    }

    private init(_ kind: MediaKind, _ name: String) {
        self.kind = kind
        self.name = name
    }
}

extension ProgramMap.Stream {
    /// Creates a parser for the frames of the stream. For unknown codings, each PES packet is a frame.
    func makeParser() -> FrameParser {
        switch type {
        case .h262: H262PictureParser()
        case .h264: H264AccessUnitParser()
        case .hevc: HEVCAccessUnitParser()
        case .mpegAudio: MPEGAudioFrameParser()
        case .adtsAAC: ADTSFrameParser()
        case .latmAAC: LOASFrameParser()
        case .ac3: AC3FrameParser(isEnhanced: false)
        case .eac3: AC3FrameParser(isEnhanced: true)
        case .opus: OpusAccessUnitParser(channelConfiguration: opusChannelConfiguration ?? 2)
        case .id3: ID3TagParser()
        case .scte35, .encrypted, .other: WholePacketParser()
        }
    }

    /// The format according to the program map alone.
    var provisionalFormat: MediaFormat {
        var format = MediaFormat(codec: type.codec)
        if case .encrypted = type { format.protection = SampleProtection(scheme: "saes") }
        return format
    }
}
