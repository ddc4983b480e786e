/// The part of an HEVC sequence parameter set between the bit depths and the timing of the VUI
/// (ISO/IEC 23008-2, 7.3.2.2.1 and E.2.1): read to find the frame rate and the shape of a pixel.
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

    /// `st_ref_pic_set` (7.3.7): each may be told as a change of the one before it.
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
        if try reader.flag() { pixelAspect = try VideoUsability.aspectRatio(&reader) }
        if try reader.flag() { try reader.skip(1) }
        if try reader.flag() {
            try reader.skip(4)
            if try reader.flag() { try reader.skip(24) }
        }
        if try reader.flag() {
            _ = try reader.unsignedExpGolomb()
            _ = try reader.unsignedExpGolomb()
        }
        try reader.skip(3)
        if try reader.flag() { for _ in 0..<4 { _ = try reader.unsignedExpGolomb() } }
        guard try reader.flag() else { return nil }
        let units = try reader.bits(32)
        let scale = try reader.bits(32)
        return units > 0 && scale > 0 ? Double(scale) / Double(units) : nil
    }
}
