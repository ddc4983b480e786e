import Testing

@testable import MediaContainers

struct AudioSpecificConfigTests {
    @Test func encodesAACLCAt44100HzInTwoBytes() {
        let config = AudioSpecificConfig(objectType: 2, sampleRate: 44100, channelConfiguration: 2)
        #expect(config.bytes == [0x12, 0x10])
    }

    @Test(arguments: [(2, 48000, nil), (5, 24000, 48000), (29, 22050, 44100), (2, 12345, nil), (42, 48000, nil)])
    func readsWrittenConfiguration(type: Int, rate: Int, extended: Int?) throws {
        let config = AudioSpecificConfig(
            objectType: type, sampleRate: rate, channelConfiguration: 2, extensionSampleRate: extended)
        #expect(try AudioSpecificConfig(record: config.bytes) == config)
    }
}

struct ChannelLayoutTests {
    @Test(
        arguments: [
            (Codec.aac, [0x12, 0x10], "stereo"), (Codec.aac, [0x11, 0xB0], "5.1"), (Codec.aac, [0x11, 0x88], "mono"),
            (Codec.ac3, [0x10, 0x3D, 0xE0], "5.1(side)"), (Codec.ac3, [0x10, 0x11, 0xE0], "stereo"),
            (Codec.eac3, [0x08, 0x00, 0x20, 0x0F, 0x00], "5.1(side)"),
        ] as [(Codec, [UInt8], String)]) func readsLayoutFromConfiguration(
            codec: Codec, configuration: [UInt8], name: String
        )
    {
        #expect(MediaFormat(codec: codec, configuration: configuration).channelLayout == name)
    }

    @Test func returnsNilForUnknownLayout() {
        #expect(MediaFormat(codec: .opus, channels: 6).channelLayout == nil)
        #expect(MediaFormat(codec: .aac, configuration: [0x12, 0x00]).channelLayout == nil)
    }
}

/// Tests of the packet layouts of QuickTime's `lpcm` (Core Audio flags: 1 floating-point, 2 big-endian, 4 signed, 8
/// packed, 16 aligned high, 32 non-interleaved).
struct PCMConfigurationTests {
    private func configuration(
        _ entry: FourCC = "lpcm", bits: Int = 24, channels: Int = 2, flags: UInt32 = 12,
        packet: SampleTable.Packing? = SampleTable.Packing(samples: 1, bytes: 6)
    ) -> PCMConfiguration? {
        PCMConfiguration(
            quickTime: entry, bits: bits, channels: channels, isLittleEndian: nil, flags: flags, packing: packet)
    }

    @Test func acceptsSamplesThatFillTheirPacket() {
        let expected = PCMConfiguration(isFloat: false, isLittleEndian: true, bits: 24)
        #expect(expected != nil)
        #expect(configuration() == expected)
        #expect(configuration(packet: SampleTable.Packing(samples: 4, bytes: 24)) == expected)
        // If the packed flag is missing, the packet size shows that samples are packed.
        #expect(configuration(flags: 4) == expected)
    }

    @Test func rejectsWordsWiderThanSamples() {
        let wide = SampleTable.Packing(samples: 1, bytes: 8)
        #expect(configuration(flags: 4, packet: wide) == nil)
        #expect(configuration(flags: 4 | 16, packet: wide) == nil)
        #expect(configuration(packet: wide) == nil)
        #expect(configuration(flags: 4, packet: nil) == nil)
        #expect(configuration("in24", packet: wide) == nil)
    }

    @Test func rejectsPlanarFormatsWithSeveralChannels() {
        #expect(configuration(flags: 12 | 32) == nil)
        let plane = SampleTable.Packing(samples: 1, bytes: 3)
        #expect(configuration(flags: 12 | 32, packet: plane) == nil)
        #expect(configuration(channels: 1, flags: 12 | 32, packet: plane) != nil)
    }

    @Test func rejectsOverflowingPacketSize() {
        let huge = SampleTable.Packing(samples: .max, bytes: 6)
        #expect(configuration(packet: huge) == nil)
        #expect(configuration(channels: .max) == nil)
    }
}
