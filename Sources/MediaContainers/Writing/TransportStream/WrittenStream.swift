/// A stream that a ``TransportStreamWriter`` writes: its entry in the program map, and the ids of its packets.
struct WrittenStream {
    let pid: UInt16
    /// The stream type in the program map (ISO/IEC 13818-1, table 2-34).
    let type: UInt8
    let streamID: UInt8
    let descriptors: [UInt8]

    /// Creates a stream for a track. Throws `unsupported` for a codec that the writer doesn't support.
    init(_ track: MediaTrack, pid: UInt16, number: UInt8) throws(ContainerError) {
        self.pid = pid
        var descriptors: [UInt8] = []
        func registration(_ code: FourCC) -> [UInt8] {
            var bytes: [UInt8] = [0x05, 4]
            bytes.append(code)
            return bytes
        }
        switch track.format?.codec {
        case .avc: type = 0x1B
        case .hevc:
            type = 0x24
            descriptors = registration("HEVC")
        case .mpeg2Video: type = 0x02
        case .aac: type = 0x0F
        case .mp2, .mp3: type = (track.format?.sampleRate ?? 0) < 32_000 ? 0x04 : 0x03
        case .ac3:
            type = 0x81
            descriptors = registration("AC-3")
        case .eac3:
            type = 0x87
            descriptors = registration("EAC3")
        default: throw ContainerError.unwritable(track.format)
        }
        // AC-3 is private data, as in ATSC and HLS.
        let isPrivate = type == 0x81 || type == 0x87
        streamID = track.kind == .video ? 0xE0 | number & 15 : isPrivate ? 0xBD : 0xC0 | number & 31
        let language = LanguageCode.threeLetters(track.language)
        if track.kind == .audio, language != "und" {
            descriptors += [0x0A, 4] + Array(language.utf8) + [0]
        }
        self.descriptors = descriptors
    }

    /// Returns the section of the program association table (2.4.4.3).
    static func association(mapPID: UInt16) -> [UInt8] {
        var body: [UInt8] = [0, 1, 0xC1, 0, 0, 0, 1]
        body.appendBigEndian(0xE000 | mapPID)
        return section(table: 0, body)
    }

    /// Returns the section of the program map table (2.4.4.8).
    static func map(_ streams: [WrittenStream], clockPID: UInt16) -> [UInt8] {
        var body: [UInt8] = [0, 1, 0xC1, 0, 0]
        body.appendBigEndian(0xE000 | clockPID)
        body += [0xF0, 0]
        for stream in streams {
            body.append(stream.type)
            body.appendBigEndian(0xE000 | stream.pid)
            body += [0xF0, UInt8(truncatingIfNeeded: stream.descriptors.count)] + stream.descriptors
        }
        return section(table: 2, body)
    }

    private static func section(table: UInt8, _ body: [UInt8]) -> [UInt8] {
        var section: [UInt8] = [table]
        section.appendBigEndian(0xB000 | UInt16(truncatingIfNeeded: body.count + 4))
        section += body
        section.appendBigEndian(section.withUnsafeBytes { SectionChecksum.remainder($0) })
        return section
    }
}

/// A converter of samples from the form stored in MP4 to the form of a transport stream: start codes before NAL units,
/// parameter sets before keyframes, and ADTS headers before AAC frames.
enum ElementaryFraming {
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Appends the bytes of a sample. Throws for a codec that the writer doesn't support, and when the bytes contradict
    /// the format or a value doesn't fit its field.
    static func append(
        _ bytes: UnsafeRawBufferPointer, _ format: MediaFormat, isSync: Bool, to output: inout [UInt8]
    ) throws(ContainerError) {
        switch format.codec {
        case .avc:
            let configuration = try AVCConfiguration(record: format.configuration)
            let sets = configuration.sequenceParameterSets + configuration.pictureParameterSets
            try append(bytes, .avc, lengthSize: configuration.lengthSize, sets: isSync ? sets : [], to: &output)
        case .hevc:
            let configuration = try HEVCConfiguration(record: format.configuration)
            let sets = configuration.arrays.filter { (32...34).contains($0.nalUnitType) }.flatMap(\.units)
            try append(bytes, .hevc, lengthSize: configuration.lengthSize, sets: isSync ? sets : [], to: &output)
        case .aac:
            output += try header(try AudioSpecificConfig(record: format.configuration), payload: bytes.count)
            output += bytes
        case .mpeg2Video, .mp2, .mp3, .ac3, .eac3: output += bytes
        // Other samples may need a change, too, so they aren't written unchanged.
        default: throw ContainerError.unwritable(format)
        }
    }

    private static func append(
        _ bytes: UnsafeRawBufferPointer, _ syntax: NALUnitSyntax, lengthSize: Int, sets: [[UInt8]],
        to output: inout [UInt8]
    ) throws(ContainerError) {
        output += startCode + syntax.delimiter
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
            if syntax.isDelimiter(first) || !sets.isEmpty && syntax.isParameterSet(first) { continue }
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

extension ContainerError {
    /// Returns the error for a track or a sample with a format that the writer doesn't support.
    fileprivate static func unwritable(_ format: MediaFormat?) -> ContainerError {
        ContainerError(
            .unsupported, "can't write \(format?.codecString ?? "the track") to MPEG-TS",
            advice: "Write an MP4 instead")
    }
}
