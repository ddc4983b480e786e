import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of a channel that is recorded for a simulated week with many small faults.
struct LongRecordingTests {
    private static let second = TimelineRows.second
    private static let hour = 3600 * second
    private static let day = 24 * hour
    private static let week = 7 * day

    /// The hours at which the faults occur.
    private enum Hour {
        static let renditionStops = 50, renditionReturns = 55
        static let recordersClockIsSetForward = 30, recordersClockIsSetBack = 80
        static let encodersClockIsSetBack = 100, encodersClockIsSetForward = 120
        /// These steps are longer than a segment.
        static let encodersClockIsSetFarBack = 135, encodersClockIsSetFarForward = 150

        /// The hours of the programmes that are exported as MP4: one for each fault, and one without such a fault.
        static let exported = [
            10, recordersClockIsSetForward, renditionStops, renditionReturns, recordersClockIsSetBack,
            encodersClockIsSetBack, encodersClockIsSetForward, encodersClockIsSetFarBack, encodersClockIsSetFarForward,
        ]
    }

    /// The seeds of the weeks: 1, and with `MEDIACACHE_SOAK=1` also 2; or that of `MEDIACACHE_FUZZ_SEED`.
    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["MEDIACACHE_FUZZ_SEED"].flatMap(UInt64.init) { return [seed] }
        return environment["MEDIACACHE_SOAK"] == "1" ? [1, 2] : [1]
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora()), .timeLimit(.minutes(60)), arguments: seeds)
    func weekLongRecordingFollowsClockAndStaysWithinLimits(seed: UInt64) async throws {
        print("a week of a channel, seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let retention = 26 * Self.hour
        let fixture = try await WindowFixture(
            tracks: ["video-1", "audio-1"], retention: Retention(seconds: Double(retention) / 1e9),
            entry: """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="A",URI="audio-1/index.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=2000000,AUDIO="a"
                video-1/index.m3u8

                """)
        let recording = fixture.recording
        var encoder = Encoder(start: fixture.library.time.now.nanosecondsSinceEpoch)
        let first = encoder.date(of: 0)
        func programme(_ name: String, _ start: Int64, _ format: ProgrammeFormat) -> Programme {
            Programme(
                name: name, from: Date(nanosecondsSinceEpoch: first + start),
                to: Date(nanosecondsSinceEpoch: first + start + Self.hour), formats: [format])
        }
        // Programmes of an hour are created in advance: one every ten hours, and one around each fault.
        let programmes = stride(from: 3, to: 160, by: 10).map { programme("\($0)", Int64($0) * Self.hour, .hls) }
        let films = Hour.exported.map { programme("film \($0)", Int64($0) * Self.hour - Self.hour / 4, .mp4) }
        let pinned = programmes + films
        let media = try LongRecordingMedia(fixture)
        try await recording.change { $0.programmes = pinned }
        await recording.dependencies.exports.start()
        var lost = 0
        var steps: Set<Int> = []
        while encoder.elapsed < Self.week {
            let load = encoder.makeSegments(4)
            fixture.library.time.advance(by: .nanoseconds(load))
            let hour = Int(encoder.elapsed / Self.hour)
            if steps.insert(hour).inserted {
                let wall = fixture.library.time.now
                switch hour {
                case Hour.recordersClockIsSetForward:
                    fixture.library.time.setWallClock(to: wall.addingTimeInterval(3600))
                case Hour.recordersClockIsSetBack:
                    fixture.library.time.setWallClock(to: wall.addingTimeInterval(-7200))
                case Hour.encodersClockIsSetBack: encoder.setClock(by: -20 * Self.second)
                case Hour.encodersClockIsSetForward: encoder.setClock(by: 45 * Self.second)
                case Hour.encodersClockIsSetFarBack: encoder.setClock(by: -150 * Self.second)
                case Hour.encodersClockIsSetFarForward: encoder.setClock(by: 300 * Self.second)
                default: break
                }
            }
            let isDead = (Hour.renditionStops..<Hour.renditionReturns).contains(hour)
            for index in 0..<(isDead ? 1 : 2) {
                _ = try await recording.take(encoder.playlist(of: index), index)
                var rows = await recording.takeAwaited(index)
                for place in rows.indices {
                    // One segment in a hundred can't be fetched. In exported hours, another one has damaged bytes.
                    let (row, chance) = (rows[place], Int.random(in: 0..<100, using: &random))
                    rows[place].state = chance == 0 ? .gap : .stored
                    rows[place].length = chance == 0 ? 0 : 1000
                    if chance == 0 { lost += 1 }
                    guard chance > 0, films.contains(where: { $0.nanoseconds.overlaps(row.start..<row.end) }),
                        let number = Encoder.number(of: row)
                    else { continue }
                    rows[place].length = try await media.fetch(
                        row, number: number, track: index, isAdvertisement: Encoder.isAdvertisement(number),
                        isDamaged: chance == 1)
                }
                try await recording.timelines[index].settle(rows)
            }
            await recording.applyRetention()
            await recording.exportFinishedProgrammes()
            try await check(fixture, encoder, retention, pinned, isDead: isDead)
        }
        #expect(lost > 100)
        try await checkRows(fixture, encoder)
        try await checkProgrammes(fixture, programmes)
        for film in films { try await checkFilm(fixture, film, media) }
        // The next process opens this process's store.
        let again = try await Timeline.open(track: "video-1", of: recording.id, in: fixture.recordingStore.reopened())
        #expect(again.totals == fixture.timeline.totals)
        #expect(again.recordedRanges() == fixture.timeline.recordedRanges())
        await recording.dependencies.exports.stop()
        await fixture.close()
    }

    // MARK: - Invariants

    private func check(
        _ fixture: WindowFixture, _ encoder: Encoder, _ retention: Int64, _ programmes: [Programme], isDead: Bool
    ) async throws {
        let (recording, hour) = (fixture.recording, encoder.elapsed / Self.hour)
        let last = encoder.count - 1
        // Detecting a dead rendition delays the edge. It gradually approaches a clock that was set far back.
        let edge = try #require(await recording.edge)
        let end = encoder.date(of: last) + Encoder.length
        let patience = isDead && encoder.elapsed - Int64(Hour.renditionStops) * Self.hour < Self.hour / 4
        if !patience {
            #expect(
                abs(edge - end) <= 2 * Encoder.length + encoder.approach(of: last),
                "hour \(hour): \(Double(edge - end) / 1e9) s")
        }
        // The oldest video segment is as old as the limit permits.
        let oldest = try #require(
            try await fixture.timeline.first(from: 0, outside: programmes.map(\.nanoseconds)), "hour \(hour)")
        let age = encoder.elapsed - encoder.publication(of: try #require(Encoder.number(of: oldest)))
        #expect(age <= retention + Encoder.length, "hour \(hour)")
        if encoder.elapsed > retention + 2 * Self.hour {
            // A programme may pin segments that have reached the limit.
            let isPinned = programmes.contains {
                $0.nanoseconds.overlaps(oldest.start - 2 * Encoder.length..<oldest.start + 1)
            }
            #expect(isPinned || age >= retention - Encoder.length, "hour \(hour): \(age / Self.second) s")
        }
        // A window whose end is some time before the edge is over on every track that has any part of it.
        let request = WindowRequest.span(from: edge - 30 * 60 * Self.second, to: edge - 4 * Encoder.length)
        guard encoder.count % 20 == 0, encoder.elapsed > Self.hour else { return }
        for timeline in recording.timelines
        where timeline.has((edge - 30 * 60 * Self.second, edge - 4 * Encoder.length)) {
            let window = try await fixture.window(request, track: timeline.track)
            #expect(window.hasEndList, "\(timeline.track), hour \(hour)")
        }
    }

    /// Checks that the timeline stays within one segment of the stream's clock, except while it approaches a clock that
    /// was set far back, that rows don't overlap, and that all discontinuities are recorded.
    private func checkRows(_ fixture: WindowFixture, _ encoder: Encoder) async throws {
        for timeline in fixture.recording.timelines {
            let rows = try await timeline.rows(from: 0)
            var last: RecordedSegment?
            var next: Int?
            for row in rows {
                if let last {
                    #expect(row.number > last.number && row.start >= last.end, "\(row.name)")
                    // Rows that were removed may have had discontinuities.
                    if row.number != last.number + 1 { next = nil }
                }
                last = row
                guard let number = Encoder.number(of: row) else { continue }
                #expect(
                    abs(row.start - encoder.date(of: number)) <= Encoder.length + encoder.approach(of: number),
                    "\(row.name)")
                // This includes discontinuities that occurred while the rendition was dead.
                let breaks = min(next ?? number, number)...number
                #expect(row.isDiscontinuous == breaks.contains(where: Encoder.isBreak), "\(row.name)")
                next = number + 1
                #expect(row.conditions.map != nil)
            }
        }
        // The tracks agree on the numbers of discontinuities.
        #expect(Set(fixture.recording.timelines.map(\.discontinuities)).count == 1)
    }

    private func checkProgrammes(_ fixture: WindowFixture, _ programmes: [Programme]) async throws {
        for programme in programmes {
            guard try await exported(fixture, programme, .hls) != nil else { continue }
            let span = programme.nanoseconds
            let range = try await fixture.timeline.range(from: span.lowerBound, to: span.upperBound)
            // Programmes are complete, except for the time that was skipped when the encoder's clock was set forward.
            #expect(range.segments.count >= 59, "\(programme.name)")
        }
    }

    /// Returns a programme's finished export. Records an issue and returns nil if the export failed.
    private func exported(
        _ fixture: WindowFixture, _ programme: Programme, _ format: ProgrammeFormat
    ) async throws -> ProgrammeExport? {
        var export = await fixture.recording.programme(programme.id)?[format]
        while let state = export?.state {
            if case .done = state { break }
            if case .failed = state { break }
            if case .cancelled = state { break }
            try await Task.yieldUnlessCancelled()
            export = await fixture.recording.programme(programme.id)?[format]
        }
        guard case .done(let bytes) = export?.state, bytes > 0 else {
            Issue.record("the programme \(programme.name) is \(String(describing: export?.state))")
            return nil
        }
        return export
    }

    /// Checks that a programme's MP4 lacks at most two intact segments per track, and that the export lists the other
    /// segments, except those among the first and the last two, as damaged.
    private func checkFilm(_ fixture: WindowFixture, _ film: Programme, _ media: LongRecordingMedia) async throws {
        guard let export = try await exported(fixture, film, .mp4) else { return }
        let path = "\(fixture.library.folder)/exports/\(film.id).mp4"
        let samples = try MovieSampleList(FileSource(path: path)).tracks
        #expect(samples.count == 2, "\(film.name)")
        let named = Set(export.damaged.map(\.name))
        let span = film.nanoseconds
        var expected: [ClosedRange<Int>] = []
        for timeline in fixture.recording.timelines {
            let rows = try await timeline.range(from: span.lowerBound, to: span.upperBound).segments
            let names = { (row: RecordedSegment) in "\(timeline.track)/\(row.name)" }
            let recorded = rows.filter { $0.state == .stored }
            let odd = Set(recorded.map(names)).intersection(media.damaged.union(media.advertised))
            let inner = Set(recorded.dropFirst(2).dropLast(2).map(names))
            #expect(odd.intersection(inner).isSubset(of: named), "\(film.name): \(timeline.track)")
            #expect(
                named.filter { $0.hasPrefix(timeline.track) }.isSubset(of: media.damaged.union(media.advertised)),
                "\(film.name)")
            let whole = recorded.filter { !odd.contains(names($0)) }.count * LongRecordingMedia.samples
            let most = recorded.count * LongRecordingMedia.samples
            expected.append(whole - 2 * LongRecordingMedia.samples...most)
        }
        // The order of a film's tracks depends on which first sample is read first, so sorted counts are compared.
        expected.sort { $0.lowerBound < $1.lowerBound }
        for (count, range) in zip(samples.map(\.count).sorted(), expected) {
            #expect(range.contains(count), "\(film.name): \(count) samples in a track, \(range) expected")
        }
    }
}

/// A simulated encoder that runs for a week. Its segments last a minute by a clock that is 50 ppm fast and three hours
/// behind, and their durations are rounded up by 4 %. Each hour has an advertisement of two minutes with another codec.
private struct Encoder {
    static let second = TimelineRows.second
    static let length = 60 * second
    private static let window = 8
    private static let fast = 50.0e-6

    let start: Int64
    private(set) var count = 0
    /// The adjustments of the clock, with the first affected segment.
    private var steps: [(from: Int, by: Int64)] = []

    init(start: Int64) { self.start = start }

    /// The time to produce a segment, by a correct clock.
    private static let pace = Int64(Double(length) * (1 - fast))

    /// The time since the start, by a correct clock.
    var elapsed: Int64 { Int64(count) * Self.pace }

    /// Returns the time since the start at which a segment is complete.
    func publication(of number: Int) -> Int64 { Int64(number + 1) * Self.pace }

    /// Produces segments. Returns the time that this takes.
    mutating func makeSegments(_ more: Int) -> Int64 {
        count += more
        return Int64(more) * Self.pace
    }

    mutating func setClock(by nanoseconds: Int64) { steps.append((count, nanoseconds)) }

    /// Returns the date of a segment (EXT-X-PROGRAM-DATE-TIME).
    func date(of number: Int) -> Int64 {
        start - 3 * 3600 * Self.second + Int64(number) * Self.length
            + steps.reduce(0) { $0 + (number >= $1.from ? $1.by : 0) }
    }

    /// Returns how much further from its date a segment may be recorded. After a step back of more than a minute, the
    /// recorder ignores the clock for three segments. Then each segment makes up half its length until less than one
    /// segment remains.
    func approach(of number: Int) -> Int64 {
        let step = steps.last { number >= $0.from && $0.by < -Self.length }
        guard let step else { return 0 }
        let approaching = 3 + Int((-step.by - Self.length) * 2 / Self.length)
        return number < step.from + approaching ? -step.by - Self.length + Self.length * 4 / 100 : 0
    }

    static func isAdvertisement(_ number: Int) -> Bool { [30, 31].contains(number % 60) }

    /// Returns whether an advertisement begins or ends before a segment.
    static func isBreak(_ number: Int) -> Bool { [30, 32].contains(number % 60) }

    /// Returns the encoder's number for a row, or nil for a segment that was never listed.
    static func number(of row: RecordedSegment) -> Int? {
        row.url.split(separator: "/").last.flatMap { Int($0.prefix { $0 != "." }) }
    }

    func playlist(of track: Int) -> MediaPlaylist {
        let numbers = max(0, count - Self.window)..<count
        var playlist = MediaPlaylist(targetDuration: 62)
        playlist.mediaSequence = numbers.lowerBound + track * 1000
        playlist.segments = numbers.map { number in
            var segment = MediaSegment(
                uri: "http://origin.example/\(track)/\(number).m4s",
                duration: DecimalValue(nanoseconds: Self.length * 104 / 100))
            segment.programDateTime = DateTime(nanosecondsSinceEpoch: date(of: number) / 1_000_000 * 1_000_000)
            segment.isDiscontinuous = Self.isBreak(number)
            segment.map = MediaInitializationSection(
                uri: "http://origin.example/\(track)/\(Self.isAdvertisement(number) ? "advertisement" : "film").mp4")
            return segment
        }
        return playlist
    }
}

extension Recording {
    /// Returns a track's awaited segments in order, and clears the list.
    fileprivate func takeAwaited(_ index: Int) -> [RecordedSegment] {
        let rows = tracks[index].awaited.values.map(\.row).sorted { $0.number < $1.number }
        tracks[index].forgetAwaitedSegments()
        return rows
    }
}
