import Foundation
import MediaContainers
import Testing

/// Damaged files must give samples or a typed error: no crash, no hang, no allocation beyond the file's own size.
struct MP4FuzzTests {
    struct Seed {
        var bytes: [UInt8]
        var places: [Range<Int>]

        /// Everything but the content of `mdat` is structure.
        init(_ bytes: [UInt8]) throws {
            self.bytes = bytes
            places = []
            var boxes = TopLevelBoxes(MemorySource(bytes))
            while let header = try boxes.next() {
                let end = min(Int(header.end), bytes.count)
                let stop = header.type == "mdat" ? Int(header.offset) + header.headerSize : end
                places.append(Int(header.offset)..<min(stop, bytes.count))
            }
        }
    }

    private static let files = [
        "abema-go-mp4/sample.mp4", "abema-go-mp4/sample_fragmented.mp4", "abema-go-mp4/sample_init.encv.mp4",
        "alfg-mp4-rust/tests/samples/minimal.mp4", "androidx-media/media/mp4/sample_audio_only.mp4",
        "androidx-media/media/mp4/sample_simple.mp4", "eyevinn-mp4ff/cmd/mp4ff-mvhevc/testdata/stereo_spatial.mp4",
        "eyevinn-mp4ff/cmd/mp4ff-subslister/testdata/sample_short.ismt",
        "eyevinn-mp4ff/cmd/mp4ff-subslister/testdata/stpp_combined.mp4", "eyevinn-mp4ff/mp4/testdata/ed_hevc.mp4",
        "eyevinn-mp4ff/mp4/testdata/init_cenc.cmfv", "eyevinn-mp4ff/mp4/testdata/opus.mp4",
        "videojs-http-streaming/segments/mp4Video.mp4", "eyevinn-mp4ff/mp4/testdata/moof_enc.m4s",
    ]

    private static func seeds() throws -> [Seed] {
        var builder = MovieBuilder()
        let format = MediaFormat(codec: .aac, configuration: [0x12, 0x10], sampleRate: 44100, channels: 2)
        _ = try builder.add(MediaTrack(id: 1, kind: .audio, formats: [format], timescale: 44100), priming: 2112)
        for index in 0..<40 {
            let time = Int64(index) * 1024
            try builder.add(MediaSample(track: 0, pts: time, dts: time, duration: 1024, size: 9, isSync: true))
        }
        let layout = try builder.progressiveLayout()
        var seeds = [try Seed(layout.head + [UInt8](repeating: 1, count: Int(layout.mediaLength)))]
        guard Corpora.root != nil else { return seeds }
        for path in files { seeds.append(try Seed(try Corpora.bytes(path))) }
        return seeds
    }

    /// Takes samples without keeping them, up to a number: damaged counts may promise millions.
    private struct Limited: SampleSink {
        struct Enough: Error {}
        var left = 3000
        mutating func tracks(_ tracks: [MediaTrack]) {}
        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
            left -= 1
            if left <= 0 { throw ContainerError(.limitExceeded, "enough") }
        }
    }

    private func readEverything(_ bytes: [UInt8], _ initialization: Movie) {
        let source = MemorySource(bytes)
        _ = try? BoxTree(source)
        if let view = try? FastStart.view(of: source) {
            var sink = MemorySink()
            try? view.write(to: &sink, bufferSize: 1 << 16)
        }
        for movie in [nil, initialization] {
            guard let reader = try? MP4Reader(source, initialization: movie) else { continue }
            var sink = Limited()
            try? reader.deliver(to: &sink)
        }
        if let reader = try? MP4Reader(source), reader.movie.tracks.allSatisfy({ $0.table.sampleCount < 10_000 }) {
            _ = try? ProgressiveRemux(reader)
        }
        let content = Array(bytes.prefix(400))
        _ = try? SegmentIndex(payload: content, header: BoxHeader(type: "sidx", offset: 0, size: 408))
        _ = try? EventMessage(payload: content)
    }

    @Test func damagedFilesAreReadOrRefused() throws {
        let (count, first) = (FuzzSettings.count, FuzzSettings.firstSeed)
        let seeds = try Self.seeds()
        let clean = try MP4Reader(MemorySource(seeds[0].bytes)).movie
        let clock = ContinuousClock()
        var slowest = (time: Duration.zero, seed: UInt64(0))
        for number in 0..<UInt64(count) {
            let seed = first + number
            var mutator = Mutator(seed: seed)
            let origin = seeds[Int(seed % UInt64(seeds.count))]
            let damaged = mutator.mutate(origin.bytes, at: origin.places)
            let time = clock.measure { readEverything(damaged, clean) }
            if time > slowest.time { slowest = (time, seed) }
        }
        print("\(count) damaged files; the slowest, seed \(slowest.seed), took \(slowest.time)")
        // A hundred times what the slowest of a million took in a release build.
        #expect(slowest.time < .seconds(10), "seed \(slowest.seed)")
    }
}
