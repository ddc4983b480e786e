/// Splits MPEG audio of layers I to III (ISO/IEC 11172-3, 13818-3).
final class MPEGAudioFrameParser: SyncFrameParser {
    private var lastHeader: MPEGAudioHeader?

    override var headerLength: Int { MPEGAudioHeader.length }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
        guard let header = MPEGAudioHeader(bytes, at: place) else { return nil }
        // A header's 11 ones turn up in other data; in a run of frames layer and rate stay.
        if let lastHeader, lastHeader.layer != header.layer || lastHeader.sampleRate != header.sampleRate { return nil }
        return header.frameLength
    }

    override func reset() {
        super.reset()
        lastHeader = nil
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard let header = MPEGAudioHeader(frame, at: 0) else { return }
        duration = FrameDuration(samples: Int64(header.samples), rate: Int64(header.sampleRate))
        let isNew = lastHeader == nil || lastHeader?.channels != header.channels
        lastHeader = header
        guard isNew || format == nil else { return }
        let codec: Codec =
            switch header.layer {
            case 1: .other("mp1 ")
            case 2: .mp2
            default: .mp3
            }
        // Object type 0x6B is audio of MPEG-1, 0x69 of MPEG-2 (ISO/IEC 14496-1, table 5).
        setFormat(
            MediaFormat(
                codec: codec, codecString: header.isFirstGeneration ? "mp4a.6B" : "mp4a.69", sampleEntry: "mp4a",
                sampleRate: header.sampleRate, channels: header.channels))
    }
}
