/// The fields of an H.264 sequence parameter set that containers need (ISO/IEC 14496-10, 7.3.2.1).
public struct H264SequenceParameterSet: Sendable, Hashable {
    /// `seq_parameter_set_id`, 0 to 31.
    public var id: Int
    /// `profile_idc`.
    public var profile: UInt8
    /// `chroma_format_idc`, 0 to 3.
    public var chromaFormat = 1
    /// Bits per luma sample, 8 to 14.
    public var lumaBitDepth = 8
    /// Bits per chroma sample, 8 to 14.
    public var chromaBitDepth = 8
    /// The width of the cropped picture in pixels.
    public var width = 0
    /// The height of the cropped picture in pixels.
    public var height = 0
    /// The pixel aspect ratio from the VUI, or nil.
    public var pixelAspect: PixelAspectRatio?
    /// Frames per second from the VUI timing (E.2.1), or nil.
    public var frameRate: Double?
    /// The number of bits of `frame_num`, from `log2_max_frame_num_minus4`.
    public var frameNumberBits = 4
    /// Whether all pictures are frames.
    public var hasFramesOnly = true
    /// Whether color planes are coded separately, with their id in each slice header.
    public var hasSeparateColorPlanes = false

    /// Reads a NAL unit of type 7, including its header byte. Throws `truncated` or `malformed`.
    public init(_ unit: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = BitReader(unit, emulationPrevention: true)
        guard try reader.bits(8) & 0x1F == 7 else {
            throw ContainerError(.malformed, "H.264 SPS: the NAL unit isn't of type 7")
        }
        profile = UInt8(try reader.bits(8))
        try reader.skip(16)
        id = try reader.unsigned("seq_parameter_set_id", 31)
        if Self.profilesWithChroma.contains(profile) { try readChroma(&reader) }
        frameNumberBits = 4 + (try reader.unsigned("log2_max_frame_num_minus4", 12))
        try Self.skipPictureOrder(&reader)
        _ = try reader.unsigned("max_num_ref_frames", 16)
        try reader.skip(1)
        try readSize(&reader)
        guard try reader.flag() else { return }
        // A truncated VUI is common. All fields required for decoding precede it.
        try? readUsability(&reader)
    }

    /// The bytes after the parameter sets in an AVCDecoderConfigurationRecord of the High profiles (14496-15,
    /// 5.3.3.1.2); empty for other profiles.
    public var recordTrailer: [UInt8] {
        guard [100, 110, 122, 144].contains(profile) else { return [] }
        return [0xFC | UInt8(chromaFormat), 0xF8 | UInt8(lumaBitDepth - 8), 0xF8 | UInt8(chromaBitDepth - 8), 0]
    }

    /// Profiles whose parameter sets contain `chroma_format_idc` (7.3.2.1.1).
    private static let profilesWithChroma: Set<UInt8> = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]

    private mutating func readChroma(_ reader: inout BitReader) throws(ContainerError) {
        chromaFormat = try reader.unsigned("chroma_format_idc", 3)
        if chromaFormat == 3 { hasSeparateColorPlanes = try reader.flag() }
        lumaBitDepth = 8 + (try reader.unsigned("bit_depth_luma_minus8", 6))
        chromaBitDepth = 8 + (try reader.unsigned("bit_depth_chroma_minus8", 6))
        try reader.skip(1)
        guard try reader.flag() else { return }
        for list in 0..<(chromaFormat == 3 ? 12 : 8) where try reader.flag() {
            try Self.skipScalingList(&reader, size: list < 6 ? 16 : 64)
        }
    }

    private static func skipScalingList(_ reader: inout BitReader, size: Int) throws(ContainerError) {
        var last: Int32 = 8
        var next: Int32 = 8
        for _ in 0..<size {
            if next != 0 { next = (last &+ (try reader.signedExpGolomb()) &+ 256) % 256 }
            if next != 0 { last = next }
        }
    }

    private static func skipPictureOrder(_ reader: inout BitReader) throws(ContainerError) {
        switch try reader.unsigned("pic_order_cnt_type", 2) {
        case 0: _ = try reader.unsigned("log2_max_pic_order_cnt_lsb_minus4", 12)
        case 1:
            try reader.skip(1)
            _ = try reader.signedExpGolomb()
            _ = try reader.signedExpGolomb()
            for _ in 0..<(try reader.unsigned("num_ref_frames_in_pic_order_cnt_cycle", 255)) {
                _ = try reader.signedExpGolomb()
            }
        default: break
        }
    }

    private mutating func readSize(_ reader: inout BitReader) throws(ContainerError) {
        // Level 6.2 allows at most 1,055 macroblocks per side (A.3.1). More than 4,096 indicate damage.
        let widthInMacroblocks = 1 + (try reader.unsigned("pic_width_in_mbs_minus1", 4095))
        let heightInMapUnits = 1 + (try reader.unsigned("pic_height_in_map_units_minus1", 4095))
        hasFramesOnly = try reader.flag()
        if !hasFramesOnly { try reader.skip(1) }
        try reader.skip(1)
        let fields = hasFramesOnly ? 1 : 2
        width = widthInMacroblocks * 16
        height = heightInMapUnits * 16 * fields
        guard try reader.flag() else { return }
        let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
        let unitY = (chromaFormat == 1 ? 2 : 1) * fields
        let horizontal =
            try reader.unsigned("frame_crop_left_offset", 65535) + reader.unsigned("frame_crop_right_offset", 65535)
        let vertical =
            try reader.unsigned("frame_crop_top_offset", 65535) + reader.unsigned("frame_crop_bottom_offset", 65535)
        guard horizontal * unitX < width, vertical * unitY < height else {
            throw ContainerError(.malformed, "H.264 SPS: cropping removes all of \(width) × \(height) pixels")
        }
        width -= horizontal * unitX
        height -= vertical * unitY
    }

    private mutating func readUsability(_ reader: inout BitReader) throws(ContainerError) {
        try VideoUsabilityInformation.readFront(&reader, &pixelAspect)
        if try reader.flag() {
            let units = try reader.bits(32)
            let scale = try reader.bits(32)
            // A tick is the duration of a field, so a frame has two.
            if units > 0, scale > 0 { frameRate = Double(scale) / Double(units) / 2 }
        }
    }
}
