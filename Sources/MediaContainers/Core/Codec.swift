/// How a track's samples are coded.
public enum Codec: Sendable, Hashable {
    /// H.264, ISO/IEC 14496-10; the configuration is an AVCDecoderConfigurationRecord (14496-15, 5.3.3.1).
    case avc
    /// H.265, ISO/IEC 23008-2; the configuration is an HEVCDecoderConfigurationRecord (14496-15, 8.3.3.1).
    case hevc
    /// H.266, ISO/IEC 23090-3; the configuration is a VvcDecoderConfigurationRecord.
    case vvc
    /// AV1; the configuration is an AV1CodecConfigurationRecord.
    case av1
    /// VP8; the configuration is a VPCodecConfigurationRecord.
    case vp8
    /// VP9; the configuration is a VPCodecConfigurationRecord.
    case vp9
    /// H.262, ISO/IEC 13818-2.
    case mpeg2Video
    /// MPEG-4 Visual, ISO/IEC 14496-2; the configuration is the decoder-specific information.
    case mpeg4Visual
    /// Pictures in JPEG.
    case jpeg
    /// AAC, ISO/IEC 14496-3; the configuration is an AudioSpecificConfig.
    case aac
    /// Other audio of ISO/IEC 14496-3 (ALS, CELP …); the configuration is an AudioSpecificConfig.
    case mpeg4Audio
    /// AC-3, ETSI TS 102 366; the configuration is the content of `dac3` (F.4).
    case ac3
    /// Enhanced AC-3, ETSI TS 102 366; the configuration is the content of `dec3` (F.6).
    case eac3
    /// AC-4, ETSI TS 103 190; the configuration is the content of `dac4`.
    case ac4
    /// Opus; the configuration is the content of `dOps`.
    case opus
    /// MPEG-1 or MPEG-2 audio, layer II.
    case mp2
    /// MPEG-1 or MPEG-2 audio, layer III.
    case mp3
    /// FLAC; the configuration is the content of `dfLa` after version and flags.
    case flac
    /// Apple Lossless; the configuration is the ALACSpecificConfig.
    case alac
    /// Uncompressed audio; the configuration is that of ``PCMConfiguration``, empty where ISO has none.
    case pcm
    /// WebVTT in cues (14496-30); the configuration is the content of `vttC`.
    case webVTT
    /// 3GPP timed text (TS 26.245).
    case timedText
    /// TTML in XML (14496-30).
    case ttml
    /// Timed ID3 metadata.
    case id3
    /// SCTE-35 splice information.
    case scte35
    /// Anything else, by its sample entry or registration.
    case other(FourCC)
}

/// Hexadecimal digits as codec strings and logs write them, in capitals.
enum Hexadecimal {
    /// Two digits.
    static func byte(_ value: UInt8) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}
