/// The fields of an HEVC sequence parameter set that containers need (ISO/IEC 23008-2, 7.3.2.2).
public struct HEVCSequenceParameterSet: Sendable, Hashable {
    /// `sps_seq_parameter_set_id`, 0 to 15.
    public var id: Int
    /// The profile, tier and level.
    public var profile: HEVCProfile
    /// `sps_max_sub_layers_minus1` + 1.
    public var temporalLayers: Int
    /// Whether temporal nesting applies (`sps_temporal_id_nesting_flag`).
    public var isTemporalIDNested: Bool
    /// `chroma_format_idc`, 0 to 3.
    public var chromaFormat: Int
    /// The width of the cropped picture in pixels.
    public var width: Int
    /// The height of the cropped picture in pixels.
    public var height: Int
    /// Bits per luma sample, 8 to 16.
    public var lumaBitDepth: Int
    /// Bits per chroma sample, 8 to 16.
    public var chromaBitDepth: Int
    /// Frames per second from the VUI timing, or nil.
    public var frameRate: Double?
    /// The pixel aspect ratio from the VUI, or nil.
    public var pixelAspect: PixelAspectRatio?

    /// Reads a NAL unit of type 33, including its two header bytes. Throws `truncated` or `malformed`.
    public init(_ unit: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = BitReader(unit, emulationPrevention: true)
        guard try reader.bits(16) >> 9 & 0x3F == 33 else {
            throw ContainerError(.malformed, "HEVC SPS: the NAL unit isn't of type 33")
        }
        try reader.skip(4)
        let subLayers = Int(try reader.bits(3))
        guard subLayers <= 6 else { throw ContainerError(.malformed, "HEVC SPS: \(subLayers + 1) sub-layers") }
        temporalLayers = subLayers + 1
        isTemporalIDNested = try reader.flag()
        profile = try HEVCProfile(&reader, subLayers: subLayers)
        id = try reader.unsigned("sps_seq_parameter_set_id", 15)
        chromaFormat = try reader.unsigned("chroma_format_idc", 3)
        if chromaFormat == 3 { try reader.skip(1) }
        width = try reader.unsigned("pic_width_in_luma_samples", 65535)
        height = try reader.unsigned("pic_height_in_luma_samples", 65535)
        if try reader.flag() {
            let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
            let unitY = chromaFormat == 1 ? 2 : 1
            let horizontal = try reader.unsigned("conf_win_left", 65535) + reader.unsigned("conf_win_right", 65535)
            let vertical = try reader.unsigned("conf_win_top", 65535) + reader.unsigned("conf_win_bottom", 65535)
            guard horizontal * unitX < width, vertical * unitY < height else {
                throw ContainerError(.malformed, "HEVC SPS: cropping removes all of \(width) × \(height) pixels")
            }
            width -= horizontal * unitX
            height -= vertical * unitY
        }
        lumaBitDepth = 8 + (try reader.unsigned("bit_depth_luma_minus8", 8))
        chromaBitDepth = 8 + (try reader.unsigned("bit_depth_chroma_minus8", 8))
        var rest = HEVCSequenceTail(subLayers: subLayers)
        // A parameter set with an unreadable end is still usable.
        frameRate = try? rest.frameRate(&reader)
        pixelAspect = rest.pixelAspect
    }
}

/// The part of an HEVC sequence parameter set after the bit depths, up to the VUI timing (ISO/IEC 23008-2, 7.3.2.2.1
/// and E.2.1). It's read for the frame rate and the pixel aspect ratio.
struct HEVCSequenceTail {
    var subLayers: Int
    private(set) var pixelAspect: PixelAspectRatio?
    private var shortTermPictures: [Int] = []

    init(subLayers: Int) { self.subLayers = subLayers }

    mutating func frameRate(_ reader: inout BitReader) throws(ContainerError) -> Double? {
        let orderBits = 4 + (try reader.unsigned("log2_max_pic_order_cnt_lsb_minus4", 12))
        let first = try reader.flag() ? 0 : subLayers
        for _ in first...subLayers {
            for _ in 0..<3 { _ = try reader.unsignedExpGolomb() }
        }
        for _ in 0..<6 { _ = try reader.unsignedExpGolomb() }
        if try reader.flag(), try reader.flag() { try skipScalingLists(&reader) }
        try reader.skip(2)
        if try reader.flag() {
            try reader.skip(8)
            _ = try reader.unsignedExpGolomb()
            _ = try reader.unsignedExpGolomb()
            try reader.skip(1)
        }
        for index in 0..<(try reader.unsigned("num_short_term_ref_pic_sets", 64)) {
            try skipShortTermSet(&reader, index: index)
        }
        if try reader.flag() {
            for _ in 0..<(try reader.unsigned("num_long_term_ref_pics_sps", 32)) { try reader.skip(orderBits + 1) }
        }
        try reader.skip(2)
        return try reader.flag() ? try timing(&reader) : nil
    }

    private func skipScalingLists(_ reader: inout BitReader) throws(ContainerError) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                guard try reader.flag() else {
                    _ = try reader.unsignedExpGolomb()
                    continue
                }
                if size > 1 { _ = try reader.signedExpGolomb() }
                for _ in 0..<min(64, 1 << (4 + size << 1)) { _ = try reader.signedExpGolomb() }
            }
        }
    }

    /// Skips an `st_ref_pic_set` (7.3.7). A set may be coded as a difference from the previous set.
    private mutating func skipShortTermSet(_ reader: inout BitReader, index: Int) throws(ContainerError) {
        if index > 0, try reader.flag() {
            try reader.skip(1)
            _ = try reader.unsignedExpGolomb()
            var count = 0
            for _ in 0...(shortTermPictures.last ?? 0) {
                let isUsed = try reader.flag()
                let usesDelta = isUsed ? true : try reader.flag()
                if usesDelta { count += 1 }
            }
            shortTermPictures.append(count)
            return
        }
        let negative = try reader.unsigned("num_negative_pics", 16)
        let positive = try reader.unsigned("num_positive_pics", 16)
        for _ in 0..<negative + positive {
            _ = try reader.unsignedExpGolomb()
            try reader.skip(1)
        }
        shortTermPictures.append(negative + positive)
    }

    private mutating func timing(_ reader: inout BitReader) throws(ContainerError) -> Double? {
        try VideoUsabilityInformation.readFront(&reader, &pixelAspect)
        try reader.skip(3)
        if try reader.flag() { for _ in 0..<4 { _ = try reader.unsignedExpGolomb() } }
        guard try reader.flag() else { return nil }
        let units = try reader.bits(32)
        let scale = try reader.bits(32)
        return units > 0 && scale > 0 ? Double(scale) / Double(units) : nil
    }
}

/// The profile, tier and level of HEVC (ISO/IEC 23008-2, 7.3.3).
public struct HEVCProfile: Sendable, Hashable {
    /// `general_profile_space`, 0 to 3.
    public var space: Int
    /// Whether the tier is High (`general_tier_flag`).
    public var isHighTier: Bool
    /// `general_profile_idc`, 0 to 31.
    public var index: Int
    /// The 32 flags `general_profile_compatibility_flag`, the first in the most significant bit.
    public var compatibility: UInt32
    /// The 48 constraint flags.
    public var constraints: UInt64
    /// `general_level_idc`: 30 times the level.
    public var level: UInt8

    init(_ reader: inout BitReader, subLayers: Int) throws(ContainerError) {
        space = Int(try reader.bits(2))
        isHighTier = try reader.flag()
        index = Int(try reader.bits(5))
        compatibility = try reader.bits(32)
        constraints = UInt64(try reader.bits(16)) << 32
        constraints |= UInt64(try reader.bits(32))
        level = UInt8(try reader.bits(8))
        guard subLayers > 0 else { return }
        var present: [(profile: Bool, level: Bool)] = []
        for _ in 0..<subLayers { present.append((try reader.flag(), try reader.flag())) }
        try reader.skip(2 * (8 - subLayers))
        for layer in present {
            if layer.profile { try reader.skip(88) }
            if layer.level { try reader.skip(8) }
        }
    }
}

extension HEVCConfiguration {
    /// Creates a record from a sequence parameter set. The record contains no parameter sets.
    public init(_ set: HEVCSequenceParameterSet) {
        self.init()
        profileSpace = UInt8(set.profile.space)
        isHighTier = set.profile.isHighTier
        profile = UInt8(set.profile.index)
        compatibility = set.profile.compatibility
        constraints = set.profile.constraints
        level = set.profile.level
        chromaFormat = UInt8(set.chromaFormat)
        lumaBitDepth = set.lumaBitDepth
        chromaBitDepth = set.chromaBitDepth
        temporalLayers = UInt8(set.temporalLayers)
        isTemporalIDNested = set.isTemporalIDNested
    }
}
