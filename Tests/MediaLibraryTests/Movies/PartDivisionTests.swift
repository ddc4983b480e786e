import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of transport streams that are divided between packets, by a playlist or for reading.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct PartDivisionTests {
    private let plan = StreamPlan(inputs: [[StreamPart(url: "http://h/a.ts")]])

    /// Returns a movie of a single file, read in parts of 20,000 bytes.
    private func movie(_ file: [UInt8]) throws -> StreamMovie<MemoryResources> {
        try StreamMovie(plan, resources: MemoryResources(["http://h/a.ts": file]), partLength: 20_000)
    }

    private func samples(_ movie: StreamMovie<MemoryResources>) throws -> MovieSampleList {
        try MovieSampleList(movie.reader())
    }

    /// Returns the samples of a file that is remuxed without being divided.
    private func undivided(_ file: [UInt8]) throws -> MovieSampleList {
        try WrittenMovie(plan, MemoryResources(["http://h/a.ts": file])).samples()
    }

    private func checkRanges(_ movie: StreamMovie<MemoryResources>) throws {
        let bytes = try movie.reader().bytes(0..<movie.length, limit: 64 << 20)
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let range = start..<min(bytes.count, start + Int.random(in: 1...20_000, using: &generator))
            let read = try movie.reader().bytes(Int64(range.lowerBound)..<Int64(range.upperBound), limit: 1 << 20)
            #expect(read == Array(bytes[range]), "seed \(seed), \(range)")
        }
    }

    @Test(arguments: 1...6) func divisionBetweenPacketsPreservesSamples(seed: UInt64) throws {
        let clip = try #require(PublicClip.bytes)
        let cuts = SampleStream.cut(clip, into: Int(seed) * 12, seed: seed)
        let files = cuts.enumerated().map { ("\($0).ts", Array(clip[$1])) }
        let (plan, resources) = try SampleStream.stream(
            files.map { "#EXTINF:1,\n\($0.0)" }, Dictionary(uniqueKeysWithValues: files))
        let movie = try StreamMovie(plan, resources: resources)
        #expect(try samples(movie) == undivided(clip))
        try checkRanges(movie)
    }

    @Test func readsLongFileInParts() throws {
        let clip = try #require(PublicClip.bytes)
        let movie = try movie(clip)
        let parts = movie.plan.inputs[0]
        #expect(parts.count == 9)
        #expect(parts.first?.range?.lowerBound == 0 && parts.last?.range?.upperBound == Int64(clip.count))
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.range?.upperBound == $1.range?.lowerBound })
        #expect(parts.allSatisfy { $0.join == .continuous && ($0.range?.lowerBound ?? 1) % 188 == 0 })
        #expect(try samples(movie) == undivided(clip))
        try checkRanges(movie)
    }

    /// A timestamp may precede each packet (Blu-ray), or parity may follow it (broadcast).
    @Test(arguments: [(4, 0), (0, 16)]) func acceptsPacketsWithTimeStampOrParity(before: Int, behind: Int) throws {
        let clip = try #require(PublicClip.bytes)
        var file: [UInt8] = []
        for start in stride(from: 0, to: clip.count, by: 188) {
            file += [UInt8](repeating: 1, count: before) + clip[start..<start + 188]
            file += [UInt8](repeating: 2, count: behind)
        }
        let movie = try movie(file)
        #expect(movie.plan.inputs[0].count > 8)
        #expect(try samples(movie) == undivided(clip))
        try checkRanges(movie)
    }

    @Test func damageDoesNotMoveBoundaries() throws {
        let clip = try #require(PublicClip.bytes)
        // Extra bytes shift the packets that follow.
        let file = clip[..<94_000] + [UInt8](repeating: 0, count: 101) + clip[94_000...]
        let movie = try movie(Array(file))
        #expect(movie.plan.inputs[0].count == 5)
        #expect(try samples(movie) == undivided(Array(file)))
        try checkRanges(movie)
    }

    @Test(arguments: ["0", "100"]) func unreadableLongPartBecomesGap(duration: String) throws {
        let clip = try #require(PublicClip.bytes)
        let (plan, resources) = try SampleStream.stream(
            ["#EXTINF:\(duration),\n1.ts", "#EXTINF:\(duration),\ngone.ts"], ["1.ts": clip])
        let movie = try StreamMovie(plan, resources: resources, partLength: 20_000, missingParts: .leaveGaps)
        #expect(movie.plan.inputs[0].count == 10)
        #expect(movie.gaps.filter { $0.cause == .missing }.map(\.name) == ["gone.ts"])
        let error = #expect(throws: ContainerError.self) {
            try StreamMovie(plan, resources: resources, partLength: 20_000)
        }
        #expect(error?.code == .inputOutput)
    }

    @Test func doesNotDivideOtherFormats() throws {
        let (plan, resources) = try SampleStream.oneMP4.open()
        #expect(try PartDivision(resources, partLength: 1000).divided(plan) == plan)
        let (audio, files) = try SampleStream.packedAC3.open()
        let file = try #require(files[audio.inputs[0][0].url])
        #expect(try movie(file).plan.inputs[0].count == 1)
    }

    @Test func doesNotDivideSegments() throws {
        let (plan, resources) = try SampleStream.videoAndAudio.open()
        let before = resources.requests.count
        #expect(try PartDivision(resources, partLength: 20_000).divided(plan) == plan)
        #expect(resources.requests.count == before)
        let (long, others) = try SampleStream.stream(["#EXTINF:100,", "1.ts"], ["1.ts": #require(PublicClip.bytes)])
        let parts = try PartDivision(others, partLength: 20_000).divided(long).inputs[0]
        #expect(parts.count == 9)
        #expect(abs(parts.reduce(0) { $0 + $1.duration } - 100) < 1e-6)
        #expect(zip(parts, parts.dropFirst()).allSatisfy { abs($0.start + $0.duration - $1.start) < 1e-6 })
    }
}
