/// Video usability information common to H.264 and HEVC (ISO/IEC 14496-10, E.1; 23008-2, E.2).
enum VideoUsabilityInformation {
    /// Reads the fields before the timing. Stores the aspect ratio even if a later field is truncated.
    static func readFront(_ reader: inout BitReader, _ pixelAspect: inout PixelAspectRatio?) throws(ContainerError) {
        if try reader.flag() { pixelAspect = try aspectRatio(&reader) }
        if try reader.flag() { try reader.skip(1) }
        if try reader.flag() {
            try reader.skip(4)
            if try reader.flag() { try reader.skip(24) }
        }
        if try reader.flag() {
            _ = try reader.unsignedExpGolomb()
            _ = try reader.unsignedExpGolomb()
        }
    }

    /// Reads `aspect_ratio_idc` and its fields. Returns nil if the ratio is unspecified.
    static func aspectRatio(_ reader: inout BitReader) throws(ContainerError) -> PixelAspectRatio? {
        let index = Int(try reader.bits(8))
        if index == 255 {
            let horizontal = Int(try reader.bits(16))
            return PixelAspectRatio(horizontal, Int(try reader.bits(16)))
        }
        return index < ratios.count ? PixelAspectRatio(ratios[index].horizontal, ratios[index].vertical) : nil
    }

    /// The ratios of table E-1.
    private static let ratios: [(horizontal: Int, vertical: Int)] = [
        (0, 0), (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11),
        (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
    ]
}

/// The ratio of a pixel's width to its height (ISO/IEC 14496-10, E.2.1; 14496-12, 12.1.4.1).
public struct PixelAspectRatio: Sendable, Hashable {
    /// The relative width, at least 1.
    public var horizontal: UInt32
    /// The relative height, at least 1.
    public var vertical: UInt32

    /// Creates a ratio in lowest terms. Returns nil if either part is 0, which means unspecified.
    public init?(_ horizontal: Int, _ vertical: Int) {
        guard let width = UInt32(exactly: horizontal), let height = UInt32(exactly: vertical), width > 0, height > 0
        else { return nil }
        var divisor = width
        var rest = height
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        self.horizontal = width / divisor
        self.vertical = height / divisor
    }

    /// A `pasp` box; empty for square pixels.
    var box: [UInt8] {
        guard horizontal != vertical else { return [] }
        var bytes: [UInt8] = []
        bytes.appendBigEndian(16 as UInt32)
        bytes.append("pasp" as FourCC)
        bytes.appendBigEndian(horizontal)
        bytes.appendBigEndian(vertical)
        return bytes
    }
}
