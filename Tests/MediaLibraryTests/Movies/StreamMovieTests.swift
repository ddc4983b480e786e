import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct StreamMovieTests {
    private func whole(_ movie: StreamMovie<MemoryResources>) throws -> [UInt8] {
        try movie.reader().bytes(0..<movie.length, limit: 64 << 20)
    }

    @Test(arguments: SampleStream.allCases) func hasSamplesOfWrittenFile(stream: SampleStream) throws {
        let (plan, resources) = try stream.open()
        let bytes = try whole(StreamMovie(plan, resources: resources))
        let written = try WrittenMovie(plan, resources)
        let samples = try MovieSampleList(MemorySource(bytes))
        #expect(!samples.tracks.isEmpty && samples.tracks.allSatisfy { !$0.isEmpty })
        #expect(try samples == written.samples())
        #expect(try BoxTree(MemorySource(bytes)).roots.map(\.header.type) == ["ftyp", "moov", "mdat"])
    }

    @Test(
        .enabled(if: try Prerequisite.isMet("ffprobe", WrittenMovie.ffprobe != nil)), arguments: SampleStream.allCases
    ) func ffprobeReportsPacketsOfWrittenFile(stream: SampleStream) throws {
        let (plan, resources) = try stream.open()
        let packets = try WrittenMovie(whole(StreamMovie(plan, resources: resources))).packets()
        #expect(!packets.isEmpty)
        #expect(try packets == WrittenMovie(plan, resources).packets())
    }

    @Test func listsGaps() throws {
        let (plan, resources) = try SampleStream.damaged.open()
        let damaged = try StreamMovie(plan, resources: resources).gaps
        #expect(damaged.map(\.name) == ["2.ts", "5.ts", "7.ts"])
        #expect(damaged.map(\.start) == [1.5, 3.75, 5.25])
        #expect(damaged.allSatisfy { $0.cause == .damaged && $0.duration == 0.75 })
        let (gapped, others) = try SampleStream.gaps.open()
        let lost = try StreamMovie(gapped, resources: others).gaps
        #expect(!lost.isEmpty && lost.allSatisfy { $0.cause == .lost })
    }

    @Test(arguments: SampleStream.allCases) func rangesMatchWholeFile(stream: SampleStream) throws {
        let movie = try stream.movie()
        let bytes = try whole(movie)
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let shared = movie.reader()
        for turn in 0..<16 {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let length = turn % 4 == 0 ? 2 : Int.random(in: 1...200_000, using: &generator)
            let range = start..<min(bytes.count, start + length)
            let reader = turn % 2 == 0 ? movie.reader() : shared
            let read = try reader.bytes(Int64(range.lowerBound)..<Int64(range.upperBound), limit: 1 << 20)
            #expect(read == Array(bytes[range]), "seed \(seed), \(range)")
        }
    }

    @Test func sequentialReadsReadEachPartOnce() throws {
        let movie = try SampleStream.videoAndAudio.movie()
        let bytes = try whole(movie)
        let before = movie.resources.requests.count
        let reader = movie.reader()
        var read: [UInt8] = []
        while read.count < bytes.count {
            let end = min(bytes.count, read.count + 70_001)
            read += try reader.bytes(Int64(read.count)..<Int64(end), limit: 1 << 20)
        }
        #expect(read == bytes)
        #expect(movie.resources.requests.count - before == 6)
    }

    @Test(arguments: [
        SampleStream.discontinuities, .video, .videoAndAudio, .audio, .gaps, .packedAAC, .packedAC3, .ac3, .enhancedAC3,
    ])
    func lateRangeReadsFewParts(stream: SampleStream) throws {
        let movie = try stream.movie()
        for place in [movie.length - 1, movie.length - 2000, movie.length * 9 / 10, movie.length / 2] {
            let before = movie.resources.requests.count
            _ = try movie.reader().bytes(place..<place + 1, limit: 1)
            #expect((1...4).contains(movie.resources.requests.count - before), "byte \(place)")
        }
    }

    @Test func seekReadsFewParts() throws {
        let movie = try SampleStream.discontinuities.movie()
        let reader = movie.reader()
        for place in [1, 9, 4, 6, 5, 8].map({ movie.length * $0 / 10 }) {
            let before = movie.resources.requests.count
            _ = try reader.bytes(place..<place + 1, limit: 1)
            #expect((1...4).contains(movie.resources.requests.count - before), "byte \(place)")
        }
    }

    @Test func rangeOfSeveralInputsReadsFewPartsOfEach() throws {
        let movie = try SampleStream.threeAudioTracks.movie()
        for place in stride(from: movie.length / 3, to: movie.length, by: 40_000) {
            let before = movie.resources.requests.count
            _ = try movie.reader().bytes(place..<place + 1, limit: 1)
            for input in movie.plan.inputs {
                let count = movie.resources.requests.dropFirst(before).count { $0 == input[0].url }
                #expect((1...4).contains(count), "byte \(place)")
            }
        }
    }

    @Test func listsDefaultAudioTrackFirst() throws {
        let movie = try SampleStream.threeRenditions.movie()
        #expect(movie.table.tracks.map(\.name) == [nil, "high_pitch", "original", "low_pitch"])
        #expect(try MP4Reader(MemorySource(whole(movie))).tracks.map(\.isEnabled) == [true, true, false, false])
    }

    @Test func equalStreamsHaveEqualIdentity() throws {
        let movie = try SampleStream.separateAudio.movie()
        #expect(movie.identity.count == 32)
        #expect(try StreamMovie(movie.plan, resources: movie.resources).identity == movie.identity)
        // The media has the same sizes and times but different bytes.
        let url = movie.plan.inputs[1][3].url
        movie.resources[url] = try other(#require(movie.resources[url]))
        let changed = try StreamMovie(movie.plan, resources: movie.resources)
        #expect(changed.length == movie.length && changed.identity != movie.identity)
    }

    /// Returns a segment with one changed bit of media, outside all headers.
    private func other(_ segment: [UInt8]) -> [UInt8] {
        var changed = segment
        changed[segment.count * 2 / 3 / 188 * 188 + 120] ^= 1
        return changed
    }

    @Test func throwsForChangedSegment() throws {
        let movie = try SampleStream.audio.movie()
        let bytes = try whole(movie)
        let url = movie.plan.inputs[0][5].url
        movie.resources[url] = try other(#require(movie.resources[url]))
        let error = #expect(throws: ContainerError.self) { try whole(movie) }
        #expect(error?.code == .inputOutput)
        #expect(error?.summary == "the stream changed while it was being read")
        // Ranges in other segments can still be read.
        let half = movie.length / 2
        #expect(try movie.reader().bytes(0..<half, limit: 1 << 20) == Array(bytes[..<Int(half)]))
        #expect(try movie.reader().bytes(movie.length - 9..<movie.length, limit: 9) == Array(bytes.suffix(9)))
    }

    @Test func neverReturnsWrongBytesOfChangedSegments() throws {
        let movie = try SampleStream.byteRanges.movie()
        let bytes = try whole(movie)
        let url = movie.plan.inputs[0][0].url
        let segment = try #require(movie.resources[url])
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var (correct, rejected) = (0, 0)
        for _ in 0..<24 {
            var changed = segment
            let place = Int.random(in: 0..<segment.count - 4000, using: &generator)
            for index in place..<place + Int.random(in: 1...4000, using: &generator) {
                changed[index] = UInt8.random(in: 0...255, using: &generator)
            }
            movie.resources[url] = changed
            let start = Int64.random(in: 0..<movie.length - 1000, using: &generator)
            for range in [start..<start + 1000, 0..<movie.length] {
                do {
                    let read = try movie.reader().bytes(range, limit: 64 << 20)
                    #expect(read == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]), "seed \(seed)")
                    correct += 1
                } catch {
                    rejected += 1
                }
            }
        }
        // Reads of the whole movie include the changed bytes. Most short reads don't.
        #expect(correct > 0 && rejected > 0, "seed \(seed)")
    }

    @Test func reportsMissingSegment() throws {
        let movie = try SampleStream.audio.movie()
        movie.resources[movie.plan.inputs[0][7].url] = nil
        let error = #expect(throws: ContainerError.self) { try whole(movie) }
        #expect(error?.code == .inputOutput && error?.summary.hasPrefix("segment_7.ts: ") == true)
        let early = #expect(throws: ContainerError.self) { try StreamMovie(movie.plan, resources: movie.resources) }
        #expect(early?.code == .inputOutput && early?.summary.hasPrefix("segment_7.ts: ") == true)
    }

    @Test func throwsWithoutSamples() throws {
        let (_, resources) = try SampleStream.video.open()
        let error = #expect(throws: ContainerError.self) {
            try StreamMovie(StreamPlan(inputs: [[]]), resources: resources)
        }
        #expect(error?.code == .malformed)
    }

    @Test func callbackCanEndSurvey() throws {
        let (plan, resources) = try SampleStream.audio.open()
        let error = #expect(throws: ContainerError.self) {
            try StreamMovie(plan, resources: resources) { (done, all) throws(ContainerError) in
                #expect(all == 8)
                if done == 3 { throw ContainerError(.inputOutput, "enough") }
            }
        }
        #expect(error?.summary == "enough")
        #expect(resources.requests.count { $0.hasSuffix(".ts") } == 3)
    }

    @Test func readsLongStreamWithinMemoryLimit() throws {
        let movie = try SampleStream.discontinuities.movie()
        let reader = movie.reader()
        _ = try reader.bytes(0..<movie.length, limit: 64 << 20)
        // Thirty parts of 187,436 bytes.
        #expect((1...2 * 187_436).contains(reader.peakSize))
    }

    @Test func memoryShareDependsOnNumberOfReaders() throws {
        let budget = ReaderMemoryBudget(of: 1000, least: 100)
        #expect(budget.share == 1000)
        let movie = try SampleStream.video.movie()
        var readers = (0..<4).map { _ in movie.reader(sharing: budget) }
        #expect(budget.share == 250)
        readers += (0..<20).map { _ in movie.reader(sharing: budget) }
        #expect(budget.share == 100)
        readers.removeAll()
        #expect(budget.share == 1000)
    }

    @Test(arguments: [SampleStream.oneMP4, .video, .separateAudio])
    func rebuildsChunksBeyondMemoryLimit(stream: SampleStream) throws {
        let movie = try stream.movie()
        let reader = movie.reader(sharing: ReaderMemoryBudget(of: 20_000, least: 0))
        #expect(try reader.bytes(0..<movie.length, limit: 64 << 20) == whole(movie))
        // The chunk being collected for each track, and the requested one.
        let longest = try #require(movie.table.chunks.map(\.length).max())
        #expect(reader.peakSize <= 20_000 + Int(longest) * (movie.table.tracks.count + 1))
    }
}
