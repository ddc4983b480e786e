/// A converter of samples from the form stored in MP4 to the form of a transport stream: start codes before NAL units,
/// parameter sets before keyframes, and ADTS headers before AAC frames.
enum ElementaryFraming {
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Appends the bytes of a sample. Throws when they contradict the format, or a value doesn't fit its field.
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
                throw ContainerError(.malformed, "truncated NAL unit length")
            }
            let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            position += lengthSize
            guard length <= bytes.count - position else {
                throw ContainerError(.malformed, "NAL unit of \(length) bytes, \(bytes.count - position) left")
            }
            let unit = bytes[position..<position + length]
            position += length
            guard let first = unit.first else { continue }
            // The delimiter and the parameter sets of the format have already been written.
            let type = isHEVC ? first >> 1 & 0x3F : first & 0x1F
            if isHEVC ? type == 35 : type == 9 { continue }
            if !sets.isEmpty, isHEVC ? (32...34).contains(type) : type == 7 || type == 8 { continue }
            output += startCode
            output += unit
        }
    }

    /// Returns an ADTS header (ISO/IEC 14496-3, 1.A.2.2).
    private static func header(_ config: AudioSpecificConfig, payload: Int) throws(ContainerError) -> [UInt8] {
        // The core of HE-AAC is AAC LC. Decoders find its extension in the frames.
        let type = config.objectType == 5 || config.objectType == 29 ? 2 : config.objectType
        guard (1...4).contains(type), (1...7).contains(config.channelConfiguration),
            let rate = AudioSpecificConfig.sampleRates.firstIndex(of: config.sampleRate)
        else {
            throw ContainerError(
                .unrepresentable, "ADTS can't carry \(config.codecString)", advice: "Write an MP4 instead")
        }
        let length = payload + ADTSHeader.length
        guard length < 1 << 13 else {
            throw ContainerError(.unrepresentable, "AAC frame of \(payload) bytes is too long for ADTS")
        }
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
