/// What the usability information of H.264 and HEVC has in common (ISO/IEC 14496-10, E.1; 23008-2, E.2).
enum VideoUsability {
    /// `aspect_ratio_idc` and what follows it; nil where it is unspecified.
    static func aspectRatio(_ reader: inout BitReader) throws(ContainerError) -> PixelAspectRatio? {
        let index = Int(try reader.bits(8))
        if index == 255 {
            let horizontal = Int(try reader.bits(16))
            return PixelAspectRatio(horizontal, Int(try reader.bits(16)))
        }
        return index < ratios.count ? PixelAspectRatio(ratios[index].horizontal, ratios[index].vertical) : nil
    }

    /// Table E-1.
    private static let ratios: [(horizontal: Int, vertical: Int)] = [
        (0, 0), (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11),
        (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]
}
