/// Splits AAC in the AudioSyncStream of LATM (ISO/IEC 14496-3, 1.7.2), as DVB carries it.
final class LOASFrameParser: SyncFrameParser {
    private var multiplex: StreamMuxConfig?

    override var headerLength: Int { 3 }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
        guard place + 3 <= bytes.count else { return nil }
        // syncword 0x2B7 in 11 bits, then the length of what follows in 13.
        guard bytes[place] == 0x56, bytes[place + 1] & 0xE0 == 0xE0 else { return nil }
        let length = Int(bytes[place + 1] & 0x1F) << 8 | Int(bytes[place + 2])
        return length == 0 ? nil : 3 + length
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard frame.count > 3 else { return }
        let element = UnsafeRawBufferPointer(rebasing: frame[3...])
        var reader = BitReader(element)
        guard let repeats = try? reader.flag(), !repeats else { return }
        guard let found = try? StreamMuxConfig(&reader, bytes: element), found != multiplex else { return }
        multiplex = found
        let configuration = found.configuration
        duration = FrameDuration(
            samples: Int64(found.details.frameLength * found.subframes), rate: Int64(max(1, configuration.sampleRate)))
        setFormat(
            MediaFormat(
                codec: .aac, codecString: configuration.codecString, configuration: found.configurationBytes,
                sampleEntry: "mp4a", sampleRate: configuration.extensionSampleRate ?? configuration.sampleRate,
                channels: max(configuration.channels, found.details.programChannels), framing: .loas))
    }
}
