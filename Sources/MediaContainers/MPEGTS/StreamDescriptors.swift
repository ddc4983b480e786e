/// The descriptors of a programme or an elementary stream that tell how it is coded (ISO/IEC 13818-1, 2.6;
/// ETSI EN 300 468, 6.2).
struct StreamDescriptors {
    /// `format_identifier` of the registration descriptor (2.6.8).
    var registration: FourCC?
    /// The first language (2.6.18).
    var language: String?
    /// Which descriptors of DVB name the codec of private data.
    var hasAC3 = false
    var hasEAC3 = false
    var hasAAC = false
    /// `metadata_format_identifier` of the metadata descriptor (2.6.60).
    var metadataFormat: FourCC?
    /// `channel_config_code` of the Opus descriptor: extension descriptor 0x7F with the tag 0x80.
    var opusChannelConfiguration: UInt8?

    init(_ bytes: ByteReader) {
        var reader = bytes
        // Descriptors that end too early leave the ones before them valid.
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
            // metadata_application_format, then metadata_format: 0xFF says that an identifier follows.
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
