import Testing

@testable import MediaContainers

/// Tests of codecs and stream properties that the corpora's transport streams lack. The expected values are FFmpeg's.
struct ElementaryStreamTests {
    private func record(_ type: UInt8, _ payload: [UInt8], descriptors: [UInt8] = []) throws -> DemuxerRecording {
        var builder = TransportStreamBuilder()
        builder.tables([TransportStreamBuilder.Stream(pid: 0x101, type: type, descriptors: descriptors)])
        builder.pes(pid: 0x101, pts: 90_000, isBounded: type != 0x02 && type != 0x24, payload)
        return try DemuxerRecording(builder.bytes)
    }

    @Test func createsHEVCRecordFromParameterSets() throws {
        let recording = try record(0x24, ElementarySamples.hevc)
        let format = try #require(recording.tracks.first?.format)
        #expect(format.codec == .hevc && format.width == 32 && format.height == 32)
        #expect(format.codecString.hasPrefix("hvc1.1.6.L30"))
        let configuration = try HEVCConfiguration(record: format.configuration)
        #expect(configuration.arrays.map(\.nalUnitType) == [32, 33, 34])
        #expect(recording.tracks[0].frameRate == 25)
        #expect(recording.samples.map(\.sample.isSync) == [true, false, false, false, false])
        #expect(recording.samples.reduce(0) { $0 + $1.bytes.count } == ElementarySamples.hevc.count)
    }

    @Test func includesHeadersInH262Pictures() throws {
        let recording = try record(0x02, ElementarySamples.mpeg2Video)
        let format = try #require(recording.tracks.first?.format)
        #expect(format.codec == .mpeg2Video && format.codecString == "mp4v.61")
        #expect(format.width == 32 && format.height == 16)
        #expect(recording.tracks[0].frameRate == 25)
        #expect(recording.samples.count == 5)
        #expect(recording.samples.reduce(0) { $0 + $1.bytes.count } == ElementarySamples.mpeg2Video.count)
    }

    @Test func extractsAACFromLATM() throws {
        let recording = try record(0x11, ElementarySamples.latm)
        let format = try #require(recording.tracks.first?.format)
        #expect(format.codec == .aac && format.framing == .loas && format.sampleRate == 8000)
        let configuration = try AudioSpecificConfig(record: format.configuration)
        #expect(configuration.objectType == 2 && configuration.channelConfiguration == 1)
        #expect(recording.samples.count == 4)
        #expect(recording.samples[1].sample.pts - recording.samples[0].sample.pts == 11_520)
        var builder = TransportStreamBuilder()
        builder.tables([TransportStreamBuilder.Stream(pid: 0x101, type: 0x11)])
        builder.pes(pid: 0x101, pts: 0, ElementarySamples.latm)
        let bare = try SampleRecording(remuxing: builder.bytes)
        #expect(bare.samples[0].count == 4)
        #expect(bare.tracks[0].format?.framing == .stored)
        // The extracted frames lack the three bytes of sync word and length, and the length of the payload, which has
        // at least one byte.
        #expect(zip(bare.samples[0], recording.samples).allSatisfy { $0.size < $1.bytes.count - 3 })
    }

    /// The first frame contains the program config element, which is aligned differently in a configuration.
    @Test(arguments: [false, true], [1, 3] as [UInt8])
    func addsProgramConfigElementOfADTSToConfiguration(hasChecksum: Bool, blocks: UInt8) throws {
        // 5.1: a center and a pair in front, a pair in the back, and a low-frequency channel.
        let fields: [(value: UInt32, count: Int)] = [
            (0, 4), (1, 2), (3, 4), (2, 4), (0, 4), (1, 4), (1, 2), (0, 3), (0, 4), (0, 3), (0, 5), (0b10000, 5),
            (0b10001, 5), (0, 4),
        ]
        var (block, expected) = (BitWriter(), BitWriter())
        block.write(5, count: 3)
        // AAC LC at 48 kHz with channel configuration 0, then three flags.
        expected.write(0b00010_0011_0000_000, count: 16)
        for field in fields {
            block.write(field.value, count: field.count)
            expected.write(field.value, count: field.count)
        }
        let comment: [UInt8] = [2, 0x68, 0x69]
        let payloads = [block.bytes + comment, [UInt8](repeating: 0x21, count: 60)]
        // The positions of the blocks after the first, and the checksum.
        let check = [UInt8](repeating: 0, count: hasChecksum ? 2 * Int(blocks) : 0)
        let frames = payloads.map { (payload: [UInt8]) -> [UInt8] in
            let length = UInt8(7 + check.count + payload.count)
            let mark: UInt8 = hasChecksum ? 0xF0 : 0xF1
            let header: [UInt8] = [0xFF, mark, 0x4C, 0, length >> 3, length << 5 | 0x1F, 0xFC | (blocks - 1)]
            return header + check + payload
        }
        let recording = try record(0x0F, frames[0] + frames[1])
        #expect(recording.samples.map(\.bytes) == frames)
        #expect(recording.tracks[0].formats.map(\.channels) == [6])
        #expect(recording.tracks[0].formats.map(\.configuration) == [expected.bytes + comment])
    }

    @Test func readsEnhancedAC3Rate() throws {
        let recording = try record(0x87, ElementarySamples.enhancedAC3)
        let format = try #require(recording.tracks.first?.format)
        #expect(format.codec == .eac3 && format.codecString == "ec-3" && format.channels == 1)
        #expect(recording.samples.map(\.bytes.count) == [128, 128, 128, 128])
        // data_rate: 13 bits, 32 kbit/s.
        #expect(format.configuration.prefix(2).reduce(0) { $0 << 8 | Int($1) } >> 3 == 32)
    }

    @Test func distinguishesLayerTwoFromLayerThree() throws {
        let format = try #require(try record(0x04, ElementarySamples.mp2).tracks.first?.format)
        #expect(format.codec == .mp2 && format.codecString == "mp4a.69" && format.sampleRate == 16_000)
    }

    /// A stitched advertisement may have another sample rate or layer, without a packet loss before its frames.
    @Test(
        arguments: [([0xFF, 0xFB, 0x94, 0], 384, .mp3), ([0xFF, 0xFD, 0x94, 0], 480, .mp2)] as [([UInt8], Int, Codec)])
    func continuesAfterChangeOfMPEGAudioFormat(header: [UInt8], length: Int, codec: Codec) throws {
        let first: [UInt8] = [0xFF, 0xFB, 0x90, 0] + [UInt8](repeating: 0, count: 413)
        let second = header + [UInt8](repeating: 0, count: length - 4)
        let recording = try record(0x03, first + first + first + second + second + second)
        #expect(recording.samples.map(\.bytes) == [first, first, first, second, second, second])
        #expect(recording.tracks[0].formats.map(\.sampleRate) == [44_100, 48_000])
        #expect(recording.tracks[0].formats.map(\.codec) == [.mp3, codec])
        #expect(recording.diagnostics.isEmpty)
    }

    @Test func removesOpusControlHeader() throws {
        let packet: [UInt8] = [0xFC] + [UInt8](repeating: 7, count: 20)
        let trimmed: [UInt8] = [0x7F, 0xF0, 21, 0x01, 0x38] + packet
        let plain: [UInt8] = [0x7F, 0xE0, 21] + packet
        let recording = try record(
            0x06, trimmed + plain, descriptors: [0x05, 4] + Array("Opus".utf8) + [0x7F, 2, 0x80, 6])
        let format = try #require(recording.tracks.first?.format)
        #expect(format.codec == .opus && format.channels == 6)
        #expect(format.configuration.count == 11 + 8)
        #expect(recording.samples.map(\.bytes) == [packet, packet])
        #expect(recording.samples.map(\.sample.duration) == [1800, 1800])
    }

    /// The mappings are those of FFmpeg's demuxer for MPEG-TS: the mapping family and, for family 1, the number of
    /// streams, the number of coupled streams, and the channel mapping.
    @Test(
        arguments: [
            (1, [0]), (2, [0]), (6, [1, 4, 2, 0, 4, 1, 2, 3, 5]), (7, [1, 4, 3, 0, 4, 1, 2, 3, 5, 6]),
            (8, [1, 5, 3, 0, 6, 1, 2, 3, 4, 5, 7]),
        ] as [(UInt8, [UInt8])]) func mapsOpusChannels(code: UInt8, mapping: [UInt8]) throws
    {
        let recording = try record(
            0x06, [0x7F, 0xE0, 2, 0xFC, 0], descriptors: [0x05, 4] + Array("Opus".utf8) + [0x7F, 2, 0x80, code])
        let format = try #require(recording.tracks.first?.format)
        #expect(format.channels == Int(code))
        #expect(Array(format.configuration.dropFirst(10)) == mapping)
    }
}

struct FrameClockTests {
    @Test func placesFramesOnGridOfWholeFrames() {
        let duration = FrameParser.FrameDuration(samples: 1024, rate: 44_100)
        var time: Int64 = 0
        for _ in 0..<44_100 { time = FrameClock.end(of: time, duration) }
        #expect(time == 1024 * 90_000)
    }

    /// A damaged stream may combine times far from 0 with the largest sample rate that fits into the
    /// 24-bit field.
    @Test(arguments: [1, -1] as [Int64]) func acceptsLargestTimeWhoseProductWithRateFits(sign: Int64) {
        let rate: Int64 = (1 << 24) - 1
        let start = Int64.max / rate * sign
        #expect(FrameClock.end(of: start, FrameParser.FrameDuration(samples: 1024, rate: rate)) == start + 5)
    }
}
