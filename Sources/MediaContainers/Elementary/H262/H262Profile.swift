/// The profile of H.262 from the sequence extension (ISO/IEC 13818-2, 6.2.2.3), as the object type of MPEG-4 systems
/// (ISO/IEC 14496-1, table 5).
struct H262Profile {
    var objectType: UInt8

    /// Looks for the sequence extension behind a sequence header; nil for MPEG-1, which has none.
    init?(_ unit: UnsafeRawBufferPointer) {
        var start = StartCode.first(in: unit, from: StartCode.length, to: unit.count)
        while let found = start {
            let header = found + StartCode.length
            guard header + 1 < unit.count else { return nil }
            if unit[header] == 0xB5, unit[header + 1] >> 4 == 1 {
                // profile_and_level_indication: 5 simple, 4 main, 3 SNR, 2 spatial, 1 high.
                switch unit[header + 1] & 7 {
                case 5: objectType = 0x60
                case 3: objectType = 0x62
                case 2: objectType = 0x63
                case 1: objectType = 0x64
                default: objectType = 0x61
                }
                return
            }
            start = StartCode.first(in: unit, from: header, to: unit.count)
        }
        return nil
    }

    var codecString: String { "mp4v." + Hexadecimal.byte(objectType) }
}
