import MediaContainers
import TestSupport
import Testing

/// Tests that readers reject times beyond the bounds of `Timescale`, so that later sums of times can't overflow.
struct TimeBoundTests {
    private static let maximumEdit: UInt64 = 1 << 56 - 1
    private static let limit: UInt64 = 1 << 33
    private static let headers: [(UInt64, Int64?)] = [
        (1 << 63 - 1, nil), (1 << 59, nil), (.max, nil), (1 << 40, 1 << 40),
    ]

    private func read(_ bytes: [UInt8]) throws -> SampleRecording { try SampleRecording(MemorySource(bytes)) }

    private func expectRejection(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: ContainerError.self, sourceLocation: sourceLocation) { try read(bytes) }
        #expect(error?.code == .malformed, sourceLocation: sourceLocation)
    }

    /// Expects a segment to be reported as damaged, and the valid segment after it to be remuxed.
    private func expectGap(_ movie: TimedMovie, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var remuxer = Remuxer(into: SampleRecording())
        let damage: SegmentDamage?
        do throws(ContainerError) {
            let section = try MP4Reader(MemorySource(movie.initialization)).movie
            damage = try remuxer.append(MemorySource(movie.fragments), initialization: section, toleratesDamage: true)
        } catch {
            damage = SegmentDamage(error: error, isTruncated: true, isEmpty: true)
        }
        #expect(damage?.error.code == .malformed, sourceLocation: sourceLocation)
        let whole = TimedMovie()
        let section = try MP4Reader(MemorySource(whole.initialization)).movie
        let next = try remuxer.append(
            MemorySource(whole.fragments), initialization: section, join: .gap, toleratesDamage: true)
        #expect(next == nil, sourceLocation: sourceLocation)
        #expect(try remuxer.finish().samples.first?.count == 2, sourceLocation: sourceLocation)
    }

    @Test func readsMovieWithOrdinaryTimes() throws {
        #expect(try read(TimedMovie().fragmentedFile).samples[0].map(\.dts) == [0, 3000])
        let edited = TimedMovie(edits: [(600, -1), (0, 1000)])
        #expect(try read(edited.fragmentedFile).samples[0].first?.dts == 89_000)
        let delayed = TimedMovie(edits: [(600, -1), (300, -1), (0, 1000)])
        #expect(try read(delayed.fragmentedFile).samples[0].first?.dts == 134_000)
        #expect(try read(TimedMovie(edits: [(0, 0)], compositionOffset: -1000).progressiveFile).samples[0].count == 5)
    }

    @Test(arguments: ["vide", "soun"])
    func rejectsExcessiveEmptyEdit(handler: String) throws {
        let edits: [(UInt64, Int64)] = [(Self.maximumEdit, -1)]
        let movie = TimedMovie(edits: edits, handler: handler, decodeTimes: [1000])
        expectRejection(movie.fragmentedFile)
        try expectGap(movie)
        expectRejection(TimedMovie(edits: edits + [(0, 0)], handler: handler, decodeTimes: [1000]).fragmentedFile)
    }

    @Test(arguments: ["vide", "soun"])
    func rejectsEditsWithExcessiveSum(handler: String) {
        let edits: [(UInt64, Int64)] = [(Self.maximumEdit, -1), (1, -1), (0, 0)]
        expectRejection(TimedMovie(edits: edits, handler: handler, compositionOffset: -1000).progressiveFile)
        // Each edit is within the bound, but their sum isn't.
        let long = [(UInt64, Int64)](repeating: (600 * (Self.limit - 1), -1), count: 3) + [(0, 0)]
        expectRejection(TimedMovie(edits: long, handler: handler, compositionOffset: -1000).progressiveFile)
    }

    @Test func rejectsEditBeyondBound() throws {
        let edits: [(UInt64, Int64)] = [(0, Int64(Self.maximumEdit))]
        for timescale in [1, 8001, 90_000, 0x7FFF_FFFF] as [UInt32] {
            let movie = TimedMovie(timescale: timescale, edits: edits)
            // With the finest timescale, an edit of this size stays within the bound.
            if timescale < 0x7FFF_FFFF { try expectGap(movie) } else { _ = try read(movie.fragmentedFile) }
        }
    }

    @Test func rejectsDecodingTimesBeyondBound() throws {
        for timescale in [1, 3, 8001, 90_000, 0x7FFF_FFFF] as [UInt32] {
            for time in [1 << 47, 1 << 58, 1 << 59, 1 << 60 - 1, .max] as [UInt64]
            where time >= 1 << 59 || time >= UInt64(timescale) << 33 {
                try expectGap(TimedMovie(timescale: timescale, decodeTimes: [time], duration: .max))
            }
        }
    }

    @Test func rejectsDurationsThatExceedBound() throws {
        try expectGap(TimedMovie(timescale: 1, decodeTimes: [Self.limit - 1], duration: .max))
        expectRejection(TimedMovie(timescale: 1, duration: .max).progressiveFile)
    }

    /// Clocks that count from 1900, 1904 or 1970 are common in live streams.
    @Test func readsCalendarTimes() throws {
        for seconds in [1_700_000_000, 3_900_000_000, Self.limit - 1] as [UInt64] {
            for timescale in [1, 600, 90_000, 10_000_000] as [UInt32] {
                let time = seconds * UInt64(timescale)
                let movie = TimedMovie(timescale: timescale, decodeTimes: [time], duration: 0)
                #expect(try read(movie.fragmentedFile).samples[0].map(\.dts) == [Int64(time), Int64(time)])
                #expect(try SampleRecording(remuxing: movie.fragmentedFile).samples[0].count == 2)
            }
        }
    }

    /// Consecutive segments with various timescales, whose times are alternately just below the bound and 0.
    @Test(arguments: [SegmentJoin.continuous, .gap, .discontinuity, .file])
    func joinsSegmentsAtBound(join: SegmentJoin) throws {
        var remuxer = Remuxer(into: SampleRecording(), maximumGap: .max)
        for index in 0..<40 {
            let timescale = [0x7FFF_FFFF, 1, 90_000, 8001, 3][index % 5] as UInt32
            let last = min(UInt64(timescale) << 33, 1 << 59) - 1 - UInt64(timescale)
            let movie = TimedMovie(
                timescale: timescale, decodeTimes: [index % 2 == 0 ? last : 0], duration: timescale / 2)
            try remuxer.append(MemorySource(movie.fragmentedFile), join: join, missing: 1e12, toleratesDamage: true)
        }
        let recording = try remuxer.finish()
        for sample in recording.samples.joined() { #expect(sample.dts.magnitude < 1 << 62) }
    }

    @Test func treatsExcessiveHeaderDurationAsUnknown() throws {
        for (duration, known) in Self.headers {
            let movie = TimedMovie(mediaDuration: duration)
            let reader = try MP4Reader(MemorySource(movie.fragmentedFile))
            #expect(reader.tracks[0].duration == known)
        }
    }
}
