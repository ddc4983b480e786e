/// A program map table: the elementary streams of a program (ISO/IEC 13818-1, 2.4.4.8).
struct ProgramMap: Equatable {
    struct Stream: Equatable {
        var pid: Int
        var type: StreamType
        /// The ISO 639-2 code from the language descriptor (2.6.18), or nil.
        var language: String?
        /// The channel configuration from the Opus descriptor: extension descriptor 0x7F with tag 0x80; or nil.
        var opusChannelConfiguration: UInt8?
    }

    var version: Int
    var programNumber: Int
    var clockPID: Int
    var streams: [Stream] = []

    /// Reads a section without its checksum. Returns nil for another table or a table that isn't valid yet.
    init?(_ section: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = ByteReader(section)
        guard try reader.uint8() == 0x02 else { return nil }
        try reader.skip(2)
        programNumber = Int(try reader.uint16())
        let state = try reader.uint8()
        guard state & 1 != 0 else { return nil }
        version = Int(state >> 1 & 0x1F)
        try reader.skip(2)
        clockPID = Int(try reader.uint16() & 0x1FFF)
        let programDescriptors = StreamDescriptors(try reader.sub(Int(try reader.uint16() & 0x0FFF)))
        while reader.remaining >= 5 {
            let rawType = try reader.uint8()
            let pid = Int(try reader.uint16() & 0x1FFF)
            let length = Int(try reader.uint16() & 0x0FFF)
            // A length past the end of the section is clamped, since the fields of the stream have already been read.
            let descriptors = StreamDescriptors(try reader.sub(min(length, reader.remaining)))
            let registration = descriptors.registration ?? programDescriptors.registration
            streams.append(
                Stream(
                    pid: pid, type: StreamType(rawType, descriptors: descriptors, registration: registration),
                    language: descriptors.language,
                    opusChannelConfiguration: descriptors.opusChannelConfiguration))
        }
    }
}

/// The program association table: the PID of each program's map (ISO/IEC 13818-1, 2.4.4.3).
struct ProgramAssociation: Equatable {
    struct Program: Equatable {
        var number: Int
        var mapPID: Int
    }

    var version: Int
    var programs: [Program] = []

    /// Reads a section without its checksum. Returns nil for another table or a table that isn't valid yet.
    init?(_ section: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = ByteReader(section)
        guard try reader.uint8() == 0x00 else { return nil }
        try reader.skip(4)
        let state = try reader.uint8()
        guard state & 1 != 0 else { return nil }
        version = Int(state >> 1 & 0x1F)
        try reader.skip(2)
        while reader.remaining >= 4 {
            let number = Int(try reader.uint16())
            let pid = Int(try reader.uint16() & 0x1FFF)
            // Program 0 identifies the network information table.
            if number != 0 { programs.append(Program(number: number, mapPID: pid)) }
        }
    }
}

/// The descriptors of a program or an elementary stream that identify its coding (ISO/IEC 13818-1, 2.6; ETSI EN 300
/// 468, 6.2).
struct StreamDescriptors {
    /// `format_identifier` from the registration descriptor (2.6.8).
    var registration: FourCC?
    /// The first language code (2.6.18).
    var language: String?
    /// Whether a DVB descriptor identifies private data as AC-3.
    var hasAC3 = false
    var hasEAC3 = false
    var hasAAC = false
    /// `metadata_format_identifier` from the metadata descriptor (2.6.60).
    var metadataFormat: FourCC?
    /// `channel_config_code` from the Opus descriptor: extension descriptor 0x7F with tag 0x80.
    var opusChannelConfiguration: UInt8?

    init(_ bytes: ByteReader) {
        var reader = bytes
        // A truncated descriptor ends the list. The descriptors before it are valid.
        while let tag = try? reader.uint8(), let length = try? reader.uint8(),
            var content = try? reader.sub(Int(length))
        {
            read(tag, &content)
        }
    }

    private mutating func read(_ tag: UInt8, _ content: inout ByteReader) {
        switch tag {
        case 0x05: registration = registration ?? (try? content.fourCC())
        case 0x0A:
            guard language == nil, let letters = try? content.take(3) else { return }
            let text = String(decoding: letters, as: UTF8.self)
            if letters.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) }) { language = text.lowercased() }
        case 0x26:
            // metadata_application_format, then metadata_format. 0xFF indicates that an identifier follows.
            guard let application = try? content.uint16() else { return }
            if application == 0xFFFF { try? content.skip(4) }
            guard let format = try? content.uint8(), format == 0xFF else { return }
            metadataFormat = try? content.fourCC()
        case 0x6A: hasAC3 = true
        case 0x7A: hasEAC3 = true
        case 0x7C: hasAAC = true
        case 0x7F:
            guard let extended = try? content.uint8(), extended == 0x80 else { return }
            opusChannelConfiguration = try? content.uint8()
        default: break
        }
    }
}
