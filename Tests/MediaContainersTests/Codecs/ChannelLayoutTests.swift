import MediaContainers
import Testing

struct ChannelLayoutTests {
    @Test(
        arguments: [
            (Codec.aac, [0x12, 0x10], "stereo"), (Codec.aac, [0x11, 0xB0], "5.1"), (Codec.aac, [0x11, 0x88], "mono"),
            (Codec.ac3, [0x10, 0x3D, 0xE0], "5.1(side)"), (Codec.ac3, [0x10, 0x11, 0xE0], "stereo"),
            (Codec.eac3, [0x08, 0x00, 0x20, 0x0F, 0x00], "5.1(side)"),
        ] as [(Codec, [UInt8], String)]) func layoutIsInTheConfiguration(
            codec: Codec, configuration: [UInt8], name: String
        )
    {
        #expect(MediaFormat(codec: codec, configuration: configuration).channelLayout == name)
    }

    @Test func unknownStaysUnknown() {
        #expect(MediaFormat(codec: .opus, channels: 6).channelLayout == nil)
        #expect(MediaFormat(codec: .aac, configuration: [0x12, 0x00]).channelLayout == nil)
    }
}
