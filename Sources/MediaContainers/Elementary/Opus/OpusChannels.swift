/// The channels of Opus by the descriptor's `channel_config_code`, and the `dOps` that says the same
/// ("Encapsulation of Opus in ISO Base Media File Format", 4.3.2; RFC 7845, 5.1.1).
struct OpusChannels {
    /// 1 to 8 are so many channels in Vorbis's order; other values are taken as stereo.
    var count: Int

    init(configuration: UInt8) {
        count = (1...8).contains(configuration) ? Int(configuration) : 2
    }

    var format: MediaFormat {
        MediaFormat(
            codec: .opus, codecString: "opus", configuration: configuration, sampleEntry: "Opus", sampleRate: 48000,
            channels: count)
    }

    private var configuration: [UInt8] {
        // Version, channels, pre-skip 0 (a transport stream has none), input rate 48,000, gain 0.
        var bytes: [UInt8] = [0, UInt8(count), 0, 0, 0, 0, 0xBB, 0x80, 0, 0]
        guard count > 2 else { return bytes + [0] }
        bytes += [1, Self.streams[count - 1], Self.coupled[count - 1]]
        return bytes + Self.mappings[count - 1]
    }

    private static let streams: [UInt8] = [1, 1, 2, 2, 3, 4, 5, 5]
    private static let coupled: [UInt8] = [0, 1, 1, 2, 2, 2, 2, 3]
    private static let mappings: [[UInt8]] = [
        [0], [0, 1], [0, 2, 1], [0, 1, 2, 3], [0, 4, 1, 2, 3], [0, 4, 1, 2, 3, 5], [0, 4, 1, 2, 3, 5, 6],
        [0, 6, 1, 2, 3, 4, 5, 7],
    ]
}
