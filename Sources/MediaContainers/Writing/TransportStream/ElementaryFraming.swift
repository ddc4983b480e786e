/// Puts samples as MP4 stores them into the form that a transport stream carries: start codes before NAL units and
/// parameter sets before key pictures, ADTS headers before frames of AAC.
enum ElementaryFraming {
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Appends a sample's bytes.
    ///
    /// - Throws: ``ContainerError`` when they aren't what the format says, or a header has no room for a value.
    static func append(
        _ bytes: UnsafeRawBufferPointer, _ format: MediaFormat, isSync: Bool, to output: inout [UInt8]
    ) throws(ContainerError) {
        switch format.codec {
        case .avc:
            let configuration = try AVCConfiguration(record: format.configuration)
            let sets = configuration.sequenceParameterSets + configuration.pictureParameterSets
            try append(
                bytes, lengthSize: configuration.lengthSize, sets: isSync ? sets : [], delimiter: [0x09, 0xF0],
                isHEVC: false, to: &output)
        case .hevc:
            let configuration = try HEVCConfiguration(record: format.configuration)
            let sets = configuration.arrays.filter { (32...34).contains($0.nalUnitType) }.flatMap(\.units)
            try append(
                bytes, lengthSize: configuration.lengthSize, sets: isSync ? sets : [],
                delimiter: [0x46, 0x01, 0x50], isHEVC: true, to: &output)
        case .aac:
            output += try header(try AudioSpecificConfig(record: format.configuration), payload: bytes.count)
            output += bytes
        default: output += bytes
        }
    }

    private static func append(
        _ bytes: UnsafeRawBufferPointer, lengthSize: Int, sets: [[UInt8]], delimiter: [UInt8], isHEVC: Bool,
        to output: inout [UInt8]
    ) throws(ContainerError) {
        output += startCode + delimiter
        for set in sets { output += startCode + set }
        var position = 0
        while position < bytes.count {
            guard position + lengthSize <= bytes.count else {
                throw ContainerError(.malformed, "a NAL unit's length is cut off")
            }
            let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            position += lengthSize
            guard length <= bytes.count - position else {
                throw ContainerError(.malformed, "a NAL unit of \(length) bytes in \(bytes.count - position)")
            }
            let unit = bytes[position..<position + length]
            position += length
            guard let first = unit.first else { continue }
            // The delimiter is there already, and the parameter sets are those of the format.
            let type = isHEVC ? first >> 1 & 0x3F : first & 0x1F
            if isHEVC ? type == 35 : type == 9 { continue }
            if !sets.isEmpty, isHEVC ? (32...34).contains(type) : type == 7 || type == 8 { continue }
            output += startCode
            output += unit
        }
    }

    /// An ADTS header (ISO/IEC 14496-3, 1.A.2.2).
    private static func header(_ config: AudioSpecificConfig, payload: Int) throws(ContainerError) -> [UInt8] {
        // The core of HE-AAC is low complexity; decoders find its extension in the frames.
        let type = config.objectType == 5 || config.objectType == 29 ? 2 : config.objectType
        guard (1...4).contains(type), (1...7).contains(config.channelConfiguration),
            let rate = AudioSpecificConfig.sampleRates.firstIndex(of: config.sampleRate)
        else {
            throw ContainerError(
                .unrepresentable, "ADTS has no header for \(config.codecString)", advice: "Write an MP4 instead")
        }
        let length = payload + ADTSHeader.length
        guard length < 1 << 13 else { throw ContainerError(.unrepresentable, "a frame of AAC of \(payload) bytes") }
        var bits = BitWriter()
        bits.write(0xFFF1, count: 16)
        bits.write(UInt32(truncatingIfNeeded: type - 1), count: 2)
        bits.write(UInt32(truncatingIfNeeded: rate), count: 4)
        bits.write(0, count: 1)
        bits.write(UInt32(truncatingIfNeeded: config.channelConfiguration), count: 3)
        bits.write(0, count: 4)
        bits.write(UInt32(truncatingIfNeeded: length), count: 13)
        bits.write(0x7FF, count: 11)
        bits.write(0, count: 2)
        return bits.bytes
    }
}
