/// A sequence parameter set of HEVC (ISO/IEC 23008-2, 7.3.2.2), as far as containers need it.
public struct HEVCSequenceParameterSet: Sendable, Hashable {
    /// `sps_seq_parameter_set_id`, 0 to 15.
    public var id: Int
    /// Profile, tier and level.
    public var profile: HEVCProfile
    /// `sps_max_sub_layers_minus1` + 1.
    public var temporalLayers: Int
    /// `sps_temporal_id_nesting_flag`.
    public var isTemporalIDNested: Bool
    /// `chroma_format_idc`, 0 to 3.
    public var chromaFormat: Int
    /// The cropped picture's width in pixels.
    public var width: Int
    /// The cropped picture's height in pixels.
    public var height: Int
    /// Bits per luma sample, 8 to 16.
    public var lumaBitDepth: Int
    /// Bits per chroma sample, 8 to 16.
    public var chromaBitDepth: Int
    /// Pictures per second, from the VUI's timing, where it has one.
    public var frameRate: Double?
    /// The shape of a pixel, where the VUI tells it.
    public var pixelAspect: PixelAspectRatio?

    /// Reads a NAL unit of type 33, its two header bytes included.
    ///
    /// - Throws: ``ContainerError`` `truncated` or `malformed`.
    public init(_ unit: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = BitReader(unit, emulationPrevention: true)
        guard try reader.bits(16) >> 9 & 0x3F == 33 else { throw ContainerError(.malformed, "HEVC SPS: not one") }
        try reader.skip(4)
        let subLayers = Int(try reader.bits(3))
        guard subLayers <= 6 else { throw ContainerError(.malformed, "HEVC SPS: \(subLayers + 1) sub-layers") }
        temporalLayers = subLayers + 1
        isTemporalIDNested = try reader.flag()
        profile = try HEVCProfile(&reader, subLayers: subLayers)
        id = try reader.unsigned("sps_seq_parameter_set_id", 15)
        chromaFormat = try reader.unsigned("chroma_format_idc", 3)
        let hasSeparatePlanes = chromaFormat == 3 ? try reader.flag() : false
        width = try reader.unsigned("pic_width_in_luma_samples", 65535)
        height = try reader.unsigned("pic_height_in_luma_samples", 65535)
        if try reader.flag() {
            let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
            let unitY = chromaFormat == 1 ? 2 : 1
            let horizontal = try reader.unsigned("conf_win_left", 65535) + reader.unsigned("conf_win_right", 65535)
            let vertical = try reader.unsigned("conf_win_top", 65535) + reader.unsigned("conf_win_bottom", 65535)
            guard horizontal * unitX < width, vertical * unitY < height else {
                throw ContainerError(.malformed, "HEVC SPS: cropping leaves nothing of \(width) × \(height)")
            }
            width -= horizontal * unitX
            height -= vertical * unitY
        }
        lumaBitDepth = 8 + (try reader.unsigned("bit_depth_luma_minus8", 8))
        chromaBitDepth = 8 + (try reader.unsigned("bit_depth_chroma_minus8", 8))
        if hasSeparatePlanes { chromaFormat = 3 }
        var rest = HEVCSequenceTail(subLayers: subLayers)
        // A set whose end can't be read still describes the pictures.
        frameRate = try? rest.frameRate(&reader)
        pixelAspect = rest.pixelAspect
    }
}
