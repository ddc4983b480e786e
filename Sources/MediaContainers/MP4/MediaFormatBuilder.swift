/// A builder that assembles a ``MediaFormat`` from the boxes of a sample entry.
struct MediaFormatBuilder {
    /// The types of sample entries with the fields of video (ISO/IEC 14496-12, 12.1.3).
    static let visualEntries: Set<FourCC> = [
        "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "vvc1", "vvi1", "av01", "vp08",
        "vp09", "mp4v", "encv", "jpeg", "avs3", "mjpa", "resv",
    ]

    /// The types of sample entries with the fields of audio (ISO/IEC 14496-12, 12.2.3).
    static let audioEntries: Set<FourCC> = [
        "mp4a", "enca", "ac-3", "ec-3", "ac-4", "Opus", "fLaC", "alac", ".mp3", "sowt", "twos", "lpcm", "in24", "in32",
        "fl32", "fl64", "raw ", "ipcm", "fpcm", "mha1", "mhm1", "iamf",
    ]

    var format: MediaFormat
    /// Bits per audio sample according to the sample entry.
    var bitsPerSample = 0
    var packing: SampleTable.Packing?
    /// The flags of a version 2 QuickTime sound description of uncompressed audio.
    var audioFlags: UInt32 = 0
    /// The byte order of uncompressed audio according to `enda`, or nil.
    private var isLittleEndian: Bool?
    private var descriptor: ElementaryStreamDescriptor?

    init(sampleEntry: FourCC) { format = MediaFormat(codec: .other(sampleEntry), sampleEntry: sampleEntry) }

    mutating func read(_ header: BoxHeader, _ reader: inout ByteReader) throws(ContainerError) {
        switch header.type {
        case "avcC", "hvcC", "dac3", "dec3", "dac4", "dOps", "av1C", "vttC", "iacb":
            // The first hvcC or avcC belongs to the base layer. A second one, as for multiview, must not replace it.
            if format.configuration.isEmpty { format.configuration = [UInt8](copying: reader.takeRest()) }
        case "enda": isLittleEndian = try reader.uint16() & 1 != 0
        case "vpcC", "vvcC", "dfLa", "alac", "pcmC":
            guard format.configuration.isEmpty, reader.remaining >= 4 else { return }
            _ = try FullBox(&reader)
            format.configuration = [UInt8](copying: reader.takeRest())
        case "esds":
            _ = try FullBox(&reader)
            descriptor = try ElementaryStreamDescriptor(&reader)
        case "colr", "pasp", "clap", "mdcv", "clli", "dvcC", "dvvC":
            format.videoBoxes.appendBox(header.type) { $0 += [UInt8](copying: reader.takeRest()) }
        case "srat":
            _ = try FullBox(&reader)
            format.sampleRate = Int(try reader.uint32())
        default: break
        }
    }

    /// Returns the format with its codec, codec string and the audio properties from the decoder configuration.
    consuming func build() throws(ContainerError) -> MediaFormat {
        let entry = format.sampleEntry
        format.codecString = "\(entry)"
        while format.codecString.last == " " { format.codecString.removeLast() }
        format.codec = .other(entry)
        let record = format.configuration
        let hasRecord = !record.isEmpty
        switch entry {
        case "avc1", "avc2", "avc3", "avc4", "dva1", "dvav":
            format.codec = .avc
            if hasRecord { format.codecString = try AVCConfiguration(record: record).codecString(sampleEntry: entry) }
        case "hvc1", "hev1", "dvh1", "dvhe":
            format.codec = .hevc
            if hasRecord { format.codecString = try HEVCConfiguration(record: record).codecString(sampleEntry: entry) }
        case "vvc1", "vvi1": format.codec = .vvc
        case "av01":
            format.codec = .av1
            if hasRecord { format.codecString = try AV1Configuration(record: record).codecString }
        case "vp08", "vp09":
            format.codec = entry == "vp08" ? .vp8 : .vp9
            if hasRecord { format.codecString = try VPConfiguration(record: record).codecString(sampleEntry: entry) }
        case "mp4v", "mp4a", "enca", "encv": try readDescriptor()
        case "jpeg", "mjpa", "mjpb": format.codec = .jpeg
        case ".mp3", FourCC(rawValue: 0x6D73_0055):
            format.codec = .mp3
            format.codecString = "mp4a.6B"
        case "ac-3": try readAC3()
        case "ec-3": try readEnhancedAC3()
        case "ac-4": format.codec = .ac4
        case "Opus": try readOpus()
        case "fLaC": format.codec = .flac
        case "alac": format.codec = .alac
        case "sowt", "twos", "lpcm", "in24", "in32", "fl32", "fl64", "raw ", "NONE", "ipcm", "fpcm", "ulaw", "alaw":
            readPCM()
        case "wvtt": format.codec = .webVTT
        case "tx3g", "text": format.codec = .timedText
        case "stpp": format.codec = .ttml
        default: break
        }
        return format
    }

    private mutating func readDescriptor() throws(ContainerError) {
        guard let descriptor else {
            if format.sampleEntry == "mp4a" { format.codec = .aac }
            return
        }
        format.configuration = descriptor.decoderSpecific
        if format.sampleEntry == "mp4v" {
            switch descriptor.objectType {
            case 0x20: format.codec = .mpeg4Visual
            case 0x60...0x65, 0x6A: format.codec = .mpeg2Video
            case 0x6C: format.codec = .jpeg
            default: break
            }
            format.codecString = "mp4v." + Hexadecimal.byte(descriptor.objectType)
            return
        }
        format.codecString = "mp4a." + Hexadecimal.byte(descriptor.objectType)
        switch descriptor.objectType {
        case 0x40, 0x66, 0x67, 0x68:
            format.codec = .aac
            guard !descriptor.decoderSpecific.isEmpty else { return }
            let config = try AudioSpecificConfig(record: descriptor.decoderSpecific)
            if descriptor.objectType == 0x40 { format.codecString = config.codecString }
            guard Self.advancedAudioTypes.contains(config.objectType) else {
                // For other object types, the sample entry contains the rate and channels.
                format.codec = config.objectType == 34 ? .mp3 : .mpeg4Audio
                return
            }
            if config.channels > 0 { format.channels = config.channels }
            let rate = config.extensionSampleRate ?? config.sampleRate
            if rate > 0 { format.sampleRate = rate }
        case 0x69, 0x6B: format.codec = .mp3
        case 0xA5: format.codec = .ac3
        case 0xA6: format.codec = .eac3
        default: break
        }
    }

    private mutating func readPCM() {
        format.codec = .pcm
        let found =
            switch format.sampleEntry {
            case "ipcm", "fpcm":
                PCMConfiguration(box: format.configuration, isFloat: format.sampleEntry == "fpcm")
            default:
                PCMConfiguration(
                    quickTime: format.sampleEntry, bits: bitsPerSample, channels: format.channels,
                    isLittleEndian: isLittleEndian, flags: audioFlags, packing: packing)
            }
        format.configuration = found?.record ?? []
    }

    private mutating func readAC3() throws(ContainerError) {
        format.codec = .ac3
        guard format.configuration.count >= 3 else { return }
        let bits = format.configuration
        // fscod 2, bsid 5, bsmod 3, acmod 3, lfeon 1 bits (TS 102 366, F.4).
        let mode = Int(bits[1] >> 3 & 7)
        format.channels = Self.acChannels[mode] + Int(bits[1] >> 2 & 1)
        format.sampleRate = Self.acRates[Int(bits[0] >> 6)] ?? format.sampleRate
    }

    private mutating func readEnhancedAC3() throws(ContainerError) {
        format.codec = .eac3
        guard format.configuration.count >= 5 else { return }
        let bits = format.configuration
        // After data_rate and num_ind_sub: fscod 2, bsid 5, reserved 1, asvc 1, bsmod 3, acmod 3, lfeon 1 bits (F.6).
        format.channels = Self.acChannels[Int(bits[3] >> 1 & 7)] + Int(bits[3] & 1)
        format.sampleRate = Self.acRates[Int(bits[2] >> 6)] ?? format.sampleRate
        let dependents = bits[4] >> 1 & 15
        guard dependents > 0, bits.count >= 6 else { return }
        let locations = UInt16(bits[4] & 1) << 8 | UInt16(bits[5])
        // Speaker pairs count as two channels: Lc/Rc, Lrs/Rrs, Lsd/Rsd, Lw/Rw, Lvh/Rvh (bits 0, 1, 4, 5, 6).
        for bit in 0..<9 where locations >> bit & 1 != 0 {
            format.channels += [0, 1, 4, 5, 6].contains(bit) ? 2 : 1
        }
    }

    private mutating func readOpus() throws(ContainerError) {
        format.codec = .opus
        guard format.configuration.count >= 11 else { return }
        format.channels = Int(format.configuration[1])
        format.sampleRate = 48000
    }

    /// The audio object types of the AAC family (14496-3, table 1.17).
    private static let advancedAudioTypes: Set<Int> = [1, 2, 3, 4, 5, 6, 17, 19, 20, 22, 23, 29, 39, 42]
    private static let acChannels = [2, 1, 2, 3, 3, 4, 4, 5]
    private static let acRates: [Int: Int] = [0: 48000, 1: 44100, 2: 32000]
}
