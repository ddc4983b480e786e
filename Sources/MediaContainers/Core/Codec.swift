/// The coding of a track's samples. Each case documents the form of ``MediaFormat/configuration``.
public enum Codec: Sendable, Hashable {
    /// H.264, ISO/IEC 14496-10. Configuration: an AVCDecoderConfigurationRecord (14496-15, 5.3.3.1).
    case avc
    /// H.265, ISO/IEC 23008-2. Configuration: an HEVCDecoderConfigurationRecord (14496-15, 8.3.3.1).
    case hevc
    /// H.266, ISO/IEC 23090-3. Configuration: a VvcDecoderConfigurationRecord.
    case vvc
    /// AV1. Configuration: an AV1CodecConfigurationRecord.
    case av1
    /// VP8. Configuration: a VPCodecConfigurationRecord.
    case vp8
    /// VP9. Configuration: a VPCodecConfigurationRecord.
    case vp9
    /// H.262, ISO/IEC 13818-2, or MPEG-1 video. Configuration: the sequence header with its extensions, or empty.
    case mpeg2Video
    /// MPEG-4 Visual, ISO/IEC 14496-2. Configuration: the decoder-specific information.
    case mpeg4Visual
    /// JPEG images.
    case jpeg
    /// AAC, ISO/IEC 14496-3. Configuration: an AudioSpecificConfig.
    case aac
    /// Other audio codings of ISO/IEC 14496-3, such as ALS and CELP. Configuration: an AudioSpecificConfig.
    case mpeg4Audio
    /// AC-3, ETSI TS 102 366. Configuration: the content of `dac3` (F.4).
    case ac3
    /// Enhanced AC-3, ETSI TS 102 366. Configuration: the content of `dec3` (F.6).
    case eac3
    /// AC-4, ETSI TS 103 190. Configuration: the content of `dac4`.
    case ac4
    /// Opus. Configuration: the content of `dOps`.
    case opus
    /// MPEG-1 or MPEG-2 audio, layer II.
    case mp2
    /// MPEG-1 or MPEG-2 audio, layer III.
    case mp3
    /// FLAC. Configuration: the content of `dfLa` after version and flags.
    case flac
    /// Apple Lossless. Configuration: the ALACSpecificConfig.
    case alac
    /// Uncompressed audio. Configuration: ``PCMConfiguration/record``, or empty for formats outside ISO/IEC 23003-5.
    case pcm
    /// WebVTT cues (14496-30). Configuration: the content of `vttC`.
    case webVTT
    /// 3GPP timed text (TS 26.245) or QuickTime text. Configuration: the sample entry after `data_reference_index`.
    case timedText
    /// TTML in XML (14496-30).
    case ttml
    /// Timed ID3 metadata.
    case id3
    /// SCTE-35 splice information.
    case scte35
    /// Any other coding, identified by its sample entry or registration.
    case other(FourCC)
}

/// The NAL units of a video coding (ISO/IEC 14496-10, 7.3.1; ISO/IEC 23008-2, 7.3.1).
struct NALUnitSyntax {
    private let typeShift: UInt8
    private let typeMask: UInt8
    private let parameterSets: ClosedRange<UInt8>
    /// An access unit delimiter that allows all slice types.
    let delimiter: [UInt8]
    /// Whether MP4 stores parameter sets only in the configuration (ISO/IEC 14496-15, 8.4.3).
    let hasSetsInConfigurationOnly: Bool

    static let avc = NALUnitSyntax(
        typeShift: 0, typeMask: 0x1F, parameterSets: 7...8, delimiter: [0x09, 0xF0], hasSetsInConfigurationOnly: false)
    static let hevc = NALUnitSyntax(
        typeShift: 1, typeMask: 0x3F, parameterSets: 32...34, delimiter: [0x46, 0x01, 0x50],
        hasSetsInConfigurationOnly: true)

    /// Returns the type of a unit with this first byte.
    private func type(_ header: UInt8) -> UInt8 { header >> typeShift & typeMask }

    func isParameterSet(_ header: UInt8) -> Bool { parameterSets.contains(type(header)) }

    func isDelimiter(_ header: UInt8) -> Bool { type(header) == type(delimiter[0]) }
}

extension Codec {
    /// The NAL units that samples consist of; nil for other codings.
    var nalUnits: NALUnitSyntax? {
        switch self {
        case .avc: .avc
        case .hevc: .hevc
        default: nil
        }
    }
}

extension String {
    /// Returns the text with zeros in front, so that it has at least `length` characters.
    func zeroPadded(to length: Int) -> String { String(repeating: "0", count: Swift.max(0, length - count)) + self }
}

/// Uppercase hexadecimal digits for codec strings.
enum Hexadecimal {
    static func byte(_ value: UInt8) -> String { String(value, radix: 16, uppercase: true).zeroPadded(to: 2) }
}
