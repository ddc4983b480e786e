import FormatProperties
import MediaContainers
import TestSupport
import Testing

/// Tests that read, join and cut damaged inputs, write them to another container, and read the result.
struct RemuxFuzzTests {
    private struct Seeds {
        let streams: TransportStreamSeeds
        let movies: [MP4Seed]

        init() throws {
            streams = try TransportStreamSeeds()
            movies = try MP4Seed.all()
        }

        /// Returns a damaged input of any kind.
        func input(_ seed: UInt64, _ random: inout SeededGenerator) -> MemorySource {
            var mutator = Mutator(seed: seed)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let origin = streams.streams.randomElement(using: &random) ?? []
                return MemorySource(
                    mutator.mutate(
                        origin, at: TransportStreamSeeds.headers(origin), fields: TimeField.ofStream(origin)))
            case 2:
                let origin = streams.packed.randomElement(using: &random) ?? []
                return MemorySource(
                    mutator.mutate(
                        origin, at: [0..<min(200, origin.count)], fields: TimeField.ofPackedAudio(origin)))
            default:
                let origin = movies.randomElement(using: &random) ?? movies[0]
                return MemorySource(mutator.mutate(origin.bytes, at: origin.places, fields: origin.times))
            }
        }
    }

    /// Returns a sink in front of the writer, which may cut the samples.
    private func sink<Writer: SampleSink>(
        _ writer: Writer, scrambles: Bool, _ random: inout SeededGenerator
    ) -> BoundedSink<TimeCut<ScramblingSink<Writer>>> {
        let scrambling = ScramblingSink(writer, seed: random.next(), rate: scrambles ? 20 : 0)
        let isCut = Int.random(in: 0..<3, using: &random) == 0
        let from = isCut ? [-1, 0, 0.5, 1e18].randomElement(using: &random) : nil
        let end = isCut ? [nil, 0, 0.7, .infinity].randomElement(using: &random) ?? nil : nil
        return BoundedSink(TimeCut(scrambling, from: from, to: end))
    }

    /// Remuxes all inputs into a writer. Returns nil if an input or the result was rejected.
    private func remux<Writer: SampleSink>(
        _ inputs: [MemorySource], into writer: Writer, scrambles: Bool, _ random: inout SeededGenerator
    ) -> Writer? {
        let isTogether = Bool.random(using: &random)
        let sink = sink(writer, scrambles: scrambles, &random)
        var remuxer = Remuxer(into: sink, inputs: isTogether ? inputs.count : 1, maximumGap: 60)
        do {
            for join in [SegmentJoin.continuous, .discontinuity, .gap] {
                for (index, input) in inputs.enumerated() {
                    try remuxer.append(input, input: isTogether ? index : 0, join: join)
                }
            }
            var end = try remuxer.finish()
            try end.output.finish()
            return end.output.output.output
        } catch {
            return nil
        }
    }

    @Test func writesOrRejectsDamagedInputs() async throws {
        let seeds = try Seeds()
        var written = 0
        await FuzzRun(of: "damaged inputs of a remux").run { seed in
            var random = SeededGenerator(seed: seed ^ 0xBEEF)
            let inputs = (0..<Int.random(in: 1...2, using: &random)).map { seeds.input(seed + UInt64($0), &random) }
            // A third of the runs pass contradictory samples to the writers.
            let scrambles = Int.random(in: 0..<3, using: &random) == 0
            switch seed % 4 {
            case 0, 1:
                let file = MemoryFile()
                guard var writer = remux(inputs, into: MovieFileWriter(file), scrambles: scrambles, &random),
                    (try? writer.finish()) != nil
                else { return }
                written += 1
                if !scrambles {
                    let problem = MovieCheck.readingProblem(file.contents)
                    #expect(problem == nil, "seed \(seed)")
                }
            case 2:
                guard
                    var writer = remux(
                        inputs, into: TransportStreamWriter(MemorySink()), scrambles: scrambles, &random),
                    (try? writer.finish()) != nil
                else { return }
                written += 1
                #expect(writer.sink.contents.count % 188 == 0, "seed \(seed)")
            default:
                guard
                    var writer = remux(
                        inputs, into: FragmentedMovieWriterTests.Fragmenter(), scrambles: scrambles, &random),
                    (try? writer.finish()) != nil
                else { return }
                written += 1
            }
        }
        // Checks that enough runs have reached the writers.
        #expect(written > FuzzSettings.count / 8)
    }
}
