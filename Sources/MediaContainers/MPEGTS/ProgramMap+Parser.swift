extension ProgramMap.Stream {
    /// The parser of a stream's frames; streams of unknown coding are taken packet by packet.
    func makeParser() -> FrameParser {
        switch type {
        case .h262: H262PictureParser()
        case .h264: H264AccessUnitParser()
        case .hevc: HEVCAccessUnitParser()
        case .mpegAudio: MPEGAudioFrameParser()
        case .adtsAAC: ADTSFrameParser()
        case .latmAAC: LOASFrameParser()
        case .ac3: AC3FrameParser(isEnhanced: false)
        case .eac3: AC3FrameParser(isEnhanced: true)
        case .opus: OpusAccessUnitParser(channelConfiguration: opusChannelConfiguration ?? 2)
        case .id3: ID3TagParser()
        case .scte35, .encrypted, .other: WholePacketParser()
        }
    }

    /// The format that is known before a byte of the stream is seen.
    var provisionalFormat: MediaFormat {
        var format = MediaFormat(codec: type.codec)
        if case .encrypted = type { format.protection = SampleProtection(scheme: "saes") }
        return format
    }
}
