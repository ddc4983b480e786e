import MediaContainers
import TestSupport
import Testing

/// Tests that damaged streams yield samples, diagnostics or a typed error, without a crash, a hang or an excessive
/// allocation.
struct TransportStreamFuzzTests {
    /// A sink that counts samples and bytes.
    private struct Counter: SampleSink {
        var samples = 0
        var bytes = 0
        mutating func tracks(_ tracks: [MediaTrack]) {}
        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
            samples += 1
            self.bytes += bytes.count
            // Reads both ends to check that the bytes are accessible.
            if let first = bytes.first, let last = bytes.last { samples &+= Int(first ^ last) & 0 }
        }
    }

    private static let types: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x06, 0x0F, 0x11, 0x15, 0x1B, 0x24, 0x81, 0x84, 0x86, 0x87, 0xC1, 0xCF, 0xDB,
    ]
    private static let descriptors: [[UInt8]] = [
        [], [0x05, 4] + Array("Opus".utf8) + [0x7F, 2, 0x80, 6], [0x05, 4] + Array("HEVC".utf8), [0x6A, 1, 0],
        [0x7A, 1, 0], [0x26, 13, 0xFF, 0xFF] + Array("ID3 ".utf8) + [0xFF] + Array("ID3 ".utf8) + [0, 0x0F],
    ]

    private func demux(_ bytes: [UInt8], bufferSize: Int) {
        if let found = try? DemuxerRecording.push(bytes, bufferSize: bufferSize, into: Counter()) {
            // No byte may be delivered twice.
            #expect(found.bytes <= bytes.count)
        }
        var remuxer = Remuxer(into: Counter(), maximumGap: 60)
        let source = MemorySource(bytes)
        for join in [SegmentJoin.continuous, .discontinuity, .gap] {
            guard (try? remuxer.append(source, join: join)) != nil else { break }
        }
        _ = try? remuxer.finish()
    }

    private func readPacked(_ bytes: [UInt8], bufferSize: Int) {
        _ = bytes.withUnsafeBytes { try? ID3Tag($0).picture }
        let demuxer = PackedAudioDemuxer()
        var sink = Counter()
        for start in stride(from: 0, to: bytes.count, by: bufferSize) {
            Array(bytes[start..<min(bytes.count, start + bufferSize)]).withUnsafeBytes {
                try? demuxer.push($0, into: &sink)
            }
        }
        try? demuxer.finish(into: &sink)
    }

    @Test func readsOrRejectsDamagedStreams() async throws {
        let seeds = try TransportStreamSeeds()
        await FuzzRun(of: "damaged streams").run { seed in
            var random = SeededGenerator(seed: seed ^ 0xF00D)
            var mutator = Mutator(seed: seed)
            let size = Int.random(in: 1...5000, using: &random)
            switch seed % 4 {
            case 0, 1:
                let origin = seeds.streams[Int(seed / 4) % seeds.streams.count]
                let fields = TimeField.ofStream(origin)
                demux(
                    mutator.mutate(origin, at: TransportStreamSeeds.headers(origin), fields: fields), bufferSize: size)
            case 2:
                let origin = seeds.elementary[Int(seed / 4) % seeds.elementary.count]
                demux(wrap(mutator.mutate(origin, at: [0..<min(60, origin.count)]), &random), bufferSize: size)
            default:
                let origin = seeds.packed[Int(seed / 4) % seeds.packed.count]
                let fields = TimeField.ofPackedAudio(origin)
                readPacked(mutator.mutate(origin, at: [0..<min(200, origin.count)], fields: fields), bufferSize: size)
            }
        }
    }

    /// Wraps a payload in a transport stream whose program map may state a different codec.
    private func wrap(_ payload: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var builder = TransportStreamBuilder()
        let type = Self.types.randomElement(using: &random) ?? 0x1B
        let descriptors = Self.descriptors.randomElement(using: &random) ?? []
        builder.tables([TransportStreamBuilder.Stream(pid: 0x101, type: type, descriptors: descriptors)])
        for _ in 0..<3 {
            builder.pes(
                pid: 0x101, pts: Int64.random(in: 0..<(1 << 33), using: &random),
                isBounded: Bool.random(using: &random), payload)
        }
        return builder.bytes
    }
}
