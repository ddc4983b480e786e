import FormatProperties
import MediaContainers
import TestSupport
import Testing

/// Tests that damaged streams yield samples, diagnostics or a typed error, without a crash, a hang or an excessive
/// allocation.
struct TransportStreamFuzzTests {
    private static let types: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x06, 0x0F, 0x11, 0x15, 0x1B, 0x24, 0x81, 0x84, 0x86, 0x87, 0xC1, 0xCF, 0xDB,
    ]
    private static let descriptors: [[UInt8]] = [
        [], [0x05, 4] + Array("Opus".utf8) + [0x7F, 2, 0x80, 6], [0x05, 4] + Array("HEVC".utf8), [0x6A, 1, 0],
        [0x7A, 1, 0], [0x26, 13, 0xFF, 0xFF] + Array("ID3 ".utf8) + [0xFF] + Array("ID3 ".utf8) + [0, 0x0F],
    ]

    private func expectProperties(ofStream bytes: [UInt8], _ seed: UInt64, bufferSize: Int) {
        let problem = StreamCheck.problem(ofTransportStream: bytes, bufferSize: bufferSize)
        #expect(problem == nil, "seed \(seed)")
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
                let bytes = mutator.mutate(origin, at: TransportStreamSeeds.headers(origin), fields: fields)
                expectProperties(ofStream: bytes, seed, bufferSize: size)
            case 2:
                let origin = seeds.elementary[Int(seed / 4) % seeds.elementary.count]
                let bytes = wrap(mutator.mutate(origin, at: [0..<min(60, origin.count)]), &random)
                expectProperties(ofStream: bytes, seed, bufferSize: size)
            default:
                let origin = seeds.packed[Int(seed / 4) % seeds.packed.count]
                let fields = TimeField.ofPackedAudio(origin)
                let bytes = mutator.mutate(origin, at: [0..<min(200, origin.count)], fields: fields)
                let problem = StreamCheck.problem(ofPackedAudio: bytes, bufferSize: size)
                #expect(problem == nil, "seed \(seed)")
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
