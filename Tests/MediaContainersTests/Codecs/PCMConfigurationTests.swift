import Testing

@testable import MediaContainers

/// What QuickTime's `lpcm` says of how samples lie in a packet (Core Audio's flags: 1 floating-point, 2 big-endian,
/// 4 signed, 8 packed, 32 not interleaved).
struct PCMConfigurationTests {
    private func configuration(
        _ entry: FourCC = "lpcm", bits: Int = 24, channels: Int = 2, flags: UInt32 = 12,
        packet: SampleTable.Packing? = SampleTable.Packing(samples: 1, bytes: 6)
    ) -> PCMConfiguration? {
        PCMConfiguration(
            quickTime: entry, bits: bits, channels: channels, isLittleEndian: nil, flags: flags, packing: packet)
    }

    @Test func samplesThatFillTheirPacketAreCarried() {
        let expected = PCMConfiguration(isFloat: false, isLittleEndian: true, bits: 24)
        #expect(expected != nil)
        #expect(configuration() == expected)
        #expect(configuration(packet: SampleTable.Packing(samples: 4, bytes: 24)) == expected)
        // Who doesn't say that they are packed says it by the packet's size.
        #expect(configuration(flags: 4) == expected)
    }

    @Test func wordsWiderThanTheirSamplesAreRefused() {
        let wide = SampleTable.Packing(samples: 1, bytes: 8)
        #expect(configuration(flags: 4, packet: wide) == nil)
        #expect(configuration(flags: 4 | 16, packet: wide) == nil)
        #expect(configuration(packet: wide) == nil)
        #expect(configuration(flags: 4, packet: nil) == nil)
        #expect(configuration("in24", packet: wide) == nil)
    }

    @Test func planesAreRefusedButForOneChannel() {
        #expect(configuration(flags: 12 | 32) == nil)
        let plane = SampleTable.Packing(samples: 1, bytes: 3)
        #expect(configuration(flags: 12 | 32, packet: plane) == nil)
        #expect(configuration(channels: 1, flags: 12 | 32, packet: plane) != nil)
    }

    @Test func aPacketTooLargeToBeTrueIsRefused() {
        let huge = SampleTable.Packing(samples: .max, bytes: 6)
        #expect(configuration(packet: huge) == nil)
        #expect(configuration(channels: .max) == nil)
    }
}
