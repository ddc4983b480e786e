import Foundation
import MediaContainers
import Testing

/// Damaged transport streams, elementary streams and packed audio must give samples, diagnostics or a typed error: no
/// crash, no hang, no allocation beyond what the bytes can hold.
struct TransportStreamFuzzTests {
    /// Counts what comes, and keeps nothing.
    private struct Counter: SampleSink {
        var samples = 0
        var bytes = 0
        mutating func tracks(_ tracks: [MediaTrack]) {}
        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
            samples += 1
            self.bytes += bytes.count
            // Reading both ends shows that the bytes are there.
            if let first = bytes.first, let last = bytes.last { samples &+= Int(first ^ last) & 0 }
        }
    }

    private struct Seeds {
        var streams: [[UInt8]] = []
        var elementary: [[UInt8]] = []
        var packed: [[UInt8]] = []

        init() throws {
            var builder = TransportStreamBuilder()
            builder.tables(
                TransportStreamBuilder.both + [TransportStreamBuilder.Stream(pid: 0x110, type: 0x86)], version: 3)
            builder.play(from: (1 << 33) - 18_000, pictures: 12)
            streams.append(builder.bytes)
            var disc = TransportStreamBuilder()
            disc.before = [1, 2, 3, 4]
            disc.tables()
            disc.play(from: 90_000, pictures: 6)
            streams.append(disc.bytes)
            let picture = TransportStreamBuilder.picture(isKey: true)
            elementary = [
                picture + picture, TransportStreamBuilder.aac() + TransportStreamBuilder.aac(),
                ElementarySamples.mpeg2Video, ElementarySamples.latm, ElementarySamples.enhancedAC3,
                ElementarySamples.mp2, ElementarySamples.hevc,
                [0x7F, 0xE0, 10, 0xFC] + [UInt8](repeating: 5, count: 9) + [0x7F, 0xF8, 3, 0, 1, 0, 2, 0xFC, 1, 2],
            ]
            packed = [TransportStreamBuilder.aac() + TransportStreamBuilder.aac(), ElementarySamples.enhancedAC3]
            guard Corpora.root != nil else { return }
            for name in ["muxed", "audioMaxOffset", "videoOneSecond", "zeroLength", "id3", "videoDiffPtsDts"] {
                streams.append(try Corpora.bytes("videojs-http-streaming/segments/\(name).ts"))
            }
            streams.append(try Corpora.bytes("androidx-media/media/ts/sample_h264_mpeg_audio.ts"))
            streams.append(try Corpora.bytes("videojs-mux.js/segments/test-middle-pat-pmt.ts"))
            packed.append(Array(try Corpora.bytes("androidx-media/media/ts/sample_with_id3.adts").prefix(1500)))
            packed.append(Array(try Corpora.bytes("shaka-player/hls-raw-ac3/fileSequence1.ac3").prefix(5000)))
            packed.append(try Corpora.bytes("androidx-media/media/id3/comm_apic.id3"))
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
        if let found = try? TransportStreamRecording.push(bytes, bufferSize: bufferSize, into: Counter()) {
            // No byte is handed out twice.
            #expect(found.bytes <= bytes.count)
        }
        var remuxer = Remuxer(into: Counter(), longestGap: 60)
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

    @Test func damagedStreamsAreReadOrRefused() throws {
        let (count, first) = (FuzzSettings.count, FuzzSettings.firstSeed)
        let seeds = try Seeds()
        let clock = ContinuousClock()
        var slowest = (time: Duration.zero, seed: UInt64(0))
        for number in 0..<UInt64(count) {
            let seed = first + number
            var random = SeededGenerator(seed: seed ^ 0xF00D)
            var mutator = Mutator(seed: seed)
            let size = Int.random(in: 1...5000, using: &random)
            let time = clock.measure {
                switch seed % 4 {
                case 0, 1:
                    let origin = seeds.streams[Int(seed / 4) % seeds.streams.count]
                    demux(mutator.mutate(origin, at: Self.headers(origin)), bufferSize: size)
                case 2:
                    let origin = seeds.elementary[Int(seed / 4) % seeds.elementary.count]
                    demux(wrap(mutator.mutate(origin, at: [0..<min(60, origin.count)]), &random), bufferSize: size)
                default:
                    let origin = seeds.packed[Int(seed / 4) % seeds.packed.count]
                    readPacked(mutator.mutate(origin, at: [0..<min(200, origin.count)]), bufferSize: size)
                }
            }
            if time > slowest.time { slowest = (time, seed) }
        }
        print("\(count) damaged streams; the slowest, seed \(slowest.seed), took \(slowest.time)")
        // A hundred times what the slowest of a million took in a release build.
        #expect(slowest.time < .seconds(10), "seed \(slowest.seed)")
    }

    /// The headers of transport packets and what begins in them.
    private static func headers(_ bytes: [UInt8]) -> [Range<Int>] {
        let stride = bytes.count > 192 && bytes[0] != 0x47 ? 192 : 188
        return Swift.stride(from: stride - 188, to: bytes.count, by: stride).map { $0..<min(bytes.count, $0 + 40) }
    }

    /// A stream whose map may lie about how its payload is coded.
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
