/// The StreamMuxConfig of LATM (ISO/IEC 14496-3, 1.7.3.1) for one programme with one layer, which is all that
/// broadcasts use.
struct StreamMuxConfig: Equatable {
    var configuration: AudioSpecificConfig
    var details: GeneralAudioConfig
    /// The AudioSpecificConfig's own bits, from the first, padded to bytes.
    var configurationBytes: [UInt8]
    /// `numSubFrames` + 1.
    var subframes: Int
    /// Bits after the payload that aren't the sample's.
    var otherDataBits: Int
    var version: Int

    init(_ reader: inout BitReader, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        version = Int(try reader.bits(1))
        if version == 1, try reader.flag() {
            throw ContainerError(.unsupported, "LATM: audioMuxVersionA 1", at: reader.offset)
        }
        if version == 1 { _ = try Self.value(&reader) }
        guard try reader.flag() else { throw Self.unsupported("streams with other timing", reader) }
        subframes = Int(try reader.bits(6)) + 1
        guard try reader.bits(4) == 0, try reader.bits(3) == 0 else { throw Self.unsupported("several layers", reader) }
        var configurationLength = version == 1 ? Int(try Self.value(&reader)) : 0
        let start = bytes.count * 8 - reader.remaining
        configuration = try AudioSpecificConfig(&reader)
        details = try GeneralAudioConfig(&reader, after: configuration)
        let used = bytes.count * 8 - reader.remaining - start
        if version == 1 {
            guard configurationLength >= used else { throw Self.unsupported("a short AudioSpecificConfig", reader) }
            try reader.skip(configurationLength - used)
        } else {
            configurationLength = used
        }
        guard configurationLength <= 1024 else { throw Self.unsupported("a long AudioSpecificConfig", reader) }
        configurationBytes = BitCopy.bytes(of: bytes, from: start, count: configurationLength)
        // frameLengthType 0: each payload tells its length in bytes.
        guard try reader.bits(3) == 0 else { throw Self.unsupported("payloads of fixed length", reader) }
        try reader.skip(8)
        otherDataBits = 0
        if try reader.flag() {
            if version == 1 {
                otherDataBits = Int(try Self.value(&reader))
            } else {
                var more = true
                while more, otherDataBits < 1 << 20 {
                    more = try reader.flag()
                    otherDataBits = otherDataBits &<< 8 | Int(try reader.bits(8))
                }
            }
        }
        if try reader.flag() { try reader.skip(8) }
    }

    /// `LatmGetValue`.
    private static func value(_ reader: inout BitReader) throws(ContainerError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0...(try reader.bits(2)) { value = value << 8 | (try reader.bits(8)) }
        return value
    }

    private static func unsupported(_ what: String, _ reader: BitReader) -> ContainerError {
        ContainerError(.unsupported, "LATM: \(what)", at: reader.offset)
    }
}
