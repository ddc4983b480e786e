import MediaContainers
import Testing

struct AudioSpecificConfigTests {
    @Test func lowComplexityAt44100HzIsTheKnownTwoBytes() {
        let config = AudioSpecificConfig(objectType: 2, sampleRate: 44100, channelConfiguration: 2)
        #expect(config.bytes == [0x12, 0x10])
    }

    @Test(arguments: [(2, 48000, nil), (5, 24000, 48000), (29, 22050, 44100), (2, 12345, nil), (42, 48000, nil)])
    func whatIsWrittenIsRead(type: Int, rate: Int, extended: Int?) throws {
        let config = AudioSpecificConfig(
            objectType: type, sampleRate: rate, channelConfiguration: 2, extensionSampleRate: extended)
        #expect(try AudioSpecificConfig(record: config.bytes) == config)
    }
}
