import FormatProperties
import MediaContainers
import Testing

/// Tests that damaged files yield samples or a typed error, without a crash, a hang or an excessive allocation.
struct MP4FuzzTests {
    @Test func readsOrRejectsDamagedFiles() async throws {
        let seeds = try MP4Seed.all()
        let clean = try MP4Reader(MemorySource(seeds[0].bytes)).movie
        await FuzzRun(of: "damaged files").run { seed in
            var mutator = Mutator(seed: seed)
            let origin = seeds[Int(seed % UInt64(seeds.count))]
            let bytes = mutator.mutate(origin.bytes, at: origin.places, fields: origin.times)
            let problem = MovieCheck.problem(bytes, initialization: clean)
            #expect(problem == nil, "seed \(seed)")
        }
    }
}
