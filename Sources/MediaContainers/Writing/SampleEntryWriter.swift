/// A writer for the entries of `stsd` (ISO/IEC 14496-12, 8.5.2; 14496-14; 14496-15; TS 102 366, annex F).
enum SampleEntryWriter {
    /// Appends the sample entry of a format. Throws when MP4 can't carry the format.
    static func append(_ format: MediaFormat, to bytes: inout [UInt8]) throws(ContainerError) {
        guard format.protection == nil else {
            throw ContainerError(.encrypted, "MP4 can't carry an encrypted track", advice: "Decrypt it first")
        }
        switch format.codec {
        case .avc: try visual(format, entry(format, or: "avc1", ["avc1", "avc3", "dva1", "dvav"]), "avcC", to: &bytes)
        case .hevc: try visual(format, entry(format, or: "hvc1", ["hvc1", "hev1", "dvh1", "dvhe"]), "hvcC", to: &bytes)
        case .av1: try visual(format, "av01", "av1C", to: &bytes)
        case .vvc: try visual(format, entry(format, or: "vvc1", ["vvc1", "vvi1"]), "vvcC", version: 0, to: &bytes)
        case .vp8: try visual(format, "vp08", "vpcC", version: 1, to: &bytes)
        case .vp9: try visual(format, "vp09", "vpcC", version: 1, to: &bytes)
        case .mpeg2Video: try visual(format, "mp4v", objectType: 0x61, to: &bytes)
        case .mpeg4Visual: try visual(format, "mp4v", objectType: 0x20, to: &bytes)
        case .jpeg: try visual(format, "mp4v", objectType: 0x6C, to: &bytes)
        case .aac, .mpeg4Audio: try audio(format, "mp4a", objectType: 0x40, to: &bytes)
        case .mp2, .mp3:
            // Sample rates below 32 kHz belong to MPEG-2 (ISO/IEC 13818-3).
            try audio(format, "mp4a", objectType: format.sampleRate < 32000 ? 0x69 : 0x6B, to: &bytes)
        case .ac3: try audio(format, "ac-3", "dac3", to: &bytes)
        case .eac3: try audio(format, "ec-3", "dec3", to: &bytes)
        case .ac4: try audio(format, "ac-4", "dac4", to: &bytes)
        case .opus: try audio(format, "Opus", "dOps", to: &bytes)
        case .flac: try audio(format, "fLaC", "dfLa", version: 0, to: &bytes)
        case .alac: try audio(format, "alac", "alac", version: 0, to: &bytes)
        case .webVTT: webVTT(format, to: &bytes)
        case .timedText: text("tx3g", format.configuration, to: &bytes)
        case .ttml: text("stpp", Array("http://www.w3.org/ns/ttml".utf8) + [0, 0, 0], to: &bytes)
        case .pcm: try uncompressed(format, to: &bytes)
        case .id3, .scte35, .other:
            let name = format.codecString.isEmpty ? "\(format.sampleEntry)" : format.codecString
            throw ContainerError(.unsupported, "MP4 can't carry \(name)", advice: "Omit the track")
        }
    }

    private static func entry(_ format: MediaFormat, or usual: FourCC, _ allowed: [FourCC]) -> FourCC {
        allowed.contains(format.sampleEntry) ? format.sampleEntry : usual
    }

    private static func visual(
        _ format: MediaFormat, _ type: FourCC, _ record: FourCC = "esds", version: UInt8? = nil,
        objectType: UInt8? = nil, to bytes: inout [UInt8]
    ) throws(ContainerError) {
        guard let width = UInt16(exactly: format.width), let height = UInt16(exactly: format.height) else {
            throw ContainerError(.unrepresentable, "video size \(format.width) × \(format.height) exceeds 65,535")
        }
        if objectType == nil { try require(format, record) }
        bytes.appendBox(type) { bytes in
            bytes += [0, 0, 0, 0, 0, 0, 0, 1]
            bytes.appendZeros(16)
            bytes.appendBigEndian(width)
            bytes.appendBigEndian(height)
            bytes.appendBigEndian(UInt32(0x48_0000))
            bytes.appendBigEndian(UInt32(0x48_0000))
            bytes.appendZeros(4)
            bytes.appendBigEndian(UInt16(1))
            bytes.appendZeros(32)
            bytes.appendBigEndian(UInt16(24))
            bytes.appendBigEndian(UInt16.max)
            append(record, version: version, objectType: objectType, format, streamType: 4, to: &bytes)
            bytes += format.videoBoxes
        }
    }

    private static func audio(
        _ format: MediaFormat, _ type: FourCC, _ record: FourCC = "esds", version: UInt8? = nil,
        objectType: UInt8? = nil, to bytes: inout [UInt8]
    ) throws(ContainerError) {
        if objectType == nil || objectType == 0x40 { try require(format, record) }
        bytes.appendBox(type) { bytes in
            bytes += [0, 0, 0, 0, 0, 0, 0, 1]
            bytes.appendZeros(8)
            bytes.appendBigEndian(UInt16(clamping: max(1, format.channels)))
            bytes.appendBigEndian(UInt16(16))
            bytes.appendZeros(4)
            // The rate is 16.16 fixed point. Rates over 65,535 Hz are in the decoder configuration.
            bytes.appendBigEndian(UInt32(UInt16(exactly: format.sampleRate) ?? 0) << 16)
            append(record, version: version, objectType: objectType, format, streamType: 5, to: &bytes)
        }
    }

    /// Appends the entry of ISO/IEC 23003-5. Throws for more than two channels, which would need positions in `chnl`,
    /// and for a rate that exceeds 16 bits.
    private static func uncompressed(_ format: MediaFormat, to bytes: inout [UInt8]) throws(ContainerError) {
        guard let configuration = PCMConfiguration(record: format.configuration), (1...2).contains(format.channels),
            (1...Int(UInt16.max)).contains(format.sampleRate)
        else {
            throw ContainerError(
                .unsupported,
                "MP4 can't carry this uncompressed audio (\(format.codecString), \(format.channels) channels, "
                    + "\(format.sampleRate) Hz)",
                advice: "Encode it as AAC or ALAC")
        }
        var format = format
        format.configuration = configuration.box
        try audio(format, configuration.isFloat ? "fpcm" : "ipcm", "pcmC", version: 0, to: &bytes)
    }

    private static func require(_ format: MediaFormat, _ record: FourCC) throws(ContainerError) {
        guard !format.configuration.isEmpty else {
            throw ContainerError(.malformed, "\(record): the stream has no decoder configuration")
        }
    }

    private static func append(
        _ record: FourCC, version: UInt8?, objectType: UInt8?, _ format: MediaFormat, streamType: UInt8,
        to bytes: inout [UInt8]
    ) {
        if let objectType {
            bytes.appendFullBox("esds") { bytes in
                bytes += descriptor(objectType, streamType: streamType, format.configuration)
            }
        } else if let version {
            bytes.appendFullBox(record, version: version) { $0 += format.configuration }
        } else {
            bytes.appendBox(record) { $0 += format.configuration }
        }
    }

    /// Returns an ES_Descriptor (14496-1, 7.2.6.5) with decoder configuration and SL configuration.
    private static func descriptor(_ objectType: UInt8, streamType: UInt8, _ specific: [UInt8]) -> [UInt8] {
        var decoder: [UInt8] = [objectType, streamType << 2 | 1]
        decoder.appendZeros(11)
        if !specific.isEmpty { decoder += tagged(0x05, specific) }
        return tagged(0x03, [0, 0, 0] + tagged(0x04, decoder) + tagged(0x06, [2]))
    }

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes = [tag]
        for shift in [21, 14, 7] { bytes.append(0x80 | UInt8(truncatingIfNeeded: content.count >> shift) & 0x7F) }
        bytes.append(UInt8(truncatingIfNeeded: content.count) & 0x7F)
        return bytes + content
    }

    private static func webVTT(_ format: MediaFormat, to bytes: inout [UInt8]) {
        var header: [UInt8] = []
        header.appendBox("vttC") { $0 += format.configuration.isEmpty ? Array("WEBVTT".utf8) : format.configuration }
        text("wvtt", header, to: &bytes)
    }

    private static func text(_ type: FourCC, _ content: [UInt8], to bytes: inout [UInt8]) {
        bytes.appendBox(type) { bytes in
            bytes += [0, 0, 0, 0, 0, 0, 0, 1]
            bytes += content
        }
    }
}
