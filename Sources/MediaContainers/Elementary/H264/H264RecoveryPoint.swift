/// The recovery point message of H.264: decoding can start here though the picture isn't IDR (ISO/IEC 14496-10,
/// D.1.8).
enum H264RecoveryPoint {
    /// Whether a NAL unit of type 6, with its header byte, holds one.
    static func isIn(_ unit: UnsafeRawBufferPointer) -> Bool {
        var reader = BitReader(unit, emulationPrevention: true)
        guard (try? reader.skip(8)) != nil else { return false }
        while reader.remaining > 16 {
            guard let type = try? value(&reader), let size = try? value(&reader) else { return false }
            if type == 6 { return true }
            guard size * 8 <= reader.remaining, (try? reader.skip(size * 8)) != nil else { return false }
        }
        return false
    }

    /// A payload's type or size: bytes of 255 and a last one, added up (7.3.2.3.1).
    private static func value(_ reader: inout BitReader) throws(ContainerError) -> Int {
        var sum = 0
        while true {
            let byte = Int(try reader.bits(8))
            sum += byte
            if byte != 255 { return sum }
        }
    }
}
