/// Splits AAC in ADTS (ISO/IEC 14496-3, 1.A.2.2).
final class ADTSFrameParser: SyncFrameParser {
    private var lastHeader: ADTSHeader?

    override var headerLength: Int { ADTSHeader.length }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
        ADTSHeader(bytes, at: place)?.frameLength
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard let header = ADTSHeader(frame, at: 0) else { return }
        duration = FrameDuration(samples: Int64(header.blocks) * 1024, rate: Int64(header.sampleRate))
        if let lastHeader, lastHeader.continues(header) { return }
        lastHeader = header
        let configuration = header.configuration
        setFormat(
            MediaFormat(
                codec: .aac, codecString: configuration.codecString, configuration: configuration.bytes,
                sampleEntry: "mp4a", sampleRate: configuration.sampleRate, channels: configuration.channels,
                framing: .adts))
    }
}
