/// The sequence header of H.262 and of MPEG-1 video (ISO/IEC 13818-2, 6.2.2.1; 11172-2, 2.4.2.3).
struct H262SequenceHeader {
    var width: Int
    var height: Int
    var frameRate: Double?
    /// `aspect_ratio_information`: in H.262 1 is square pixels, 2 to 4 are shapes of the picture.
    private var aspect: Int

    /// Reads what follows the start code 00 00 01 B3.
    init(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = BitReader(bytes)
        width = Int(try reader.bits(12))
        height = Int(try reader.bits(12))
        aspect = Int(try reader.bits(4))
        let index = Int(try reader.bits(4))
        frameRate = index < Self.frameRates.count ? Self.frameRates[index] : nil
    }

    /// The shape of a pixel by that of the picture (table 6-3).
    var pixelAspect: PixelAspectRatio? {
        switch aspect {
        case 2: PixelAspectRatio(4 * height, 3 * width)
        case 3: PixelAspectRatio(16 * height, 9 * width)
        case 4: PixelAspectRatio(221 * height, 100 * width)
        default: nil
        }
    }

    /// Table 6-4.
    private static let frameRates: [Double?] = [
        nil, 24000 / 1001, 24, 25, 30000 / 1001, 30, 50, 60000 / 1001, 60,
    ]
}
