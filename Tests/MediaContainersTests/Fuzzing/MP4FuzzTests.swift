import MediaContainers
import Testing

/// Tests that damaged files yield samples or a typed error, without a crash, a hang or an excessive allocation.
struct MP4FuzzTests {
    /// A sink that discards a limited number of samples and then throws an error, because damaged counts may announce
    /// millions.
    private struct Limited: SampleSink {
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
    }

    @Test func readsOrRejectsDamagedFiles() async throws {
        let seeds = try MP4Seed.all()
        let clean = try MP4Reader(MemorySource(seeds[0].bytes)).movie
        await FuzzRun(of: "damaged files").run { seed in
            var mutator = Mutator(seed: seed)
            let origin = seeds[Int(seed % UInt64(seeds.count))]
            readEverything(mutator.mutate(origin.bytes, at: origin.places, fields: origin.times), clean)
        }
    }
}
