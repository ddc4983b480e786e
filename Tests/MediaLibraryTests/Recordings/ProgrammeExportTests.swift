import Foundation
import MediaCache
import MediaCacheTesting
import MediaContainers
import Synchronization
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of exporting programmes to files. Each segment is a clip with video and audio.
@Suite(.enabled(if: try Prerequisite.hasCorpora()), .timeLimit(.minutes(30)))
struct ProgrammeExportTests {
    private let encoder = ScriptedEncoder()

    /// Returns a fixture that has been recording for a minute.
    private func fixture(files: any BlobFileSystem = POSIXFileSystem()) async throws -> RecordingFixture {
        let live = LiveOrigin(files: files)
        let clip = try #require(PublicClip.bytes)
        live.seal = { _, _ in clip }
        live.line = { _, _ in "#EXT-X-DISCONTINUITY\n" }
        let fixture = RecordingFixture(live)
        fixture.encoder = encoder
        live.publish()
        try await fixture.open()
        try await fixture.record()
        try await fixture.pass(60)
        return fixture
    }

    private func recorded() async throws -> (RecordingFixture, Recordings, AsyncStream<RecordingEvent>) {
        let fixture = try await fixture()
        let recordings = try #require(fixture.recordings)
        return (fixture, recordings, recordings.events())
    }

    /// Returns a programme whose start and end are given in seconds from now.
    private func programme(
        _ fixture: RecordingFixture, from: Double, to: Double, _ formats: ProgrammeFormat...
    ) throws -> Programme {
        let now = try #require(fixture.store).now
        return Programme(
            name: "Match", from: now.addingTimeInterval(from), to: now.addingTimeInterval(to), formats: formats)
    }

    /// Waits until an export's state meets a condition.
    private func next(
        _ events: AsyncStream<RecordingEvent>, _ format: ProgrammeFormat, _ matches: (ProgrammeExport.State) -> Bool
    ) async throws -> ProgrammeExport {
        for await event in events {
            if case .export(_, _, let export) = event, export.format == format, matches(export.state) { return export }
        }
        throw CacheError(.closed, "the event stream ended")
    }

    private func isDone(_ state: ProgrammeExport.State) -> Bool {
        if case .done = state { true } else { false }
    }

    private func isFailed(_ state: ProgrammeExport.State) -> Bool {
        if case .failed = state { true } else { false }
    }

    private func export(
        _ fixture: RecordingFixture, _ programme: Programme, _ format: ProgrammeFormat
    ) async throws -> ProgrammeExport? {
        let channel = try await fixture.recordings?.status(of: fixture.name).channel
        return try #require(channel?.programmes.first { $0.id == programme.id })[format]
    }

    private func files(_ fixture: RecordingFixture) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(fixture.live.library.folder)/exports")
        return (names ?? []).sorted()
    }

    private func bytes(_ fixture: RecordingFixture, _ name: String) -> Data? {
        FileManager.default.contents(atPath: "\(fixture.live.library.folder)/exports/\(name)")
    }

    /// A rendition's segments fail from the middle of the programme on, so that the rendition becomes silent. They may
    /// become available again after the end.
    @Test(arguments: [true, false]) func waitsForSilentTrackAndCountsMissingEnd(returns: Bool) async throws {
        let (fixture, recordings, events) = try await recorded()
        let match = try programme(fixture, from: 0, to: 60, .hls)
        try await recordings.addProgramme(match, to: fixture.name)
        try await fixture.pass(30)
        let live = fixture.live
        for number in live.next..<live.next + 60 { live.fail(live.segment(number, in: "a1"), .status(503)) }
        try await fixture.pass(50)
        #expect(await (try fixture.recording).silentTracks == ["audio-1"])
        #expect(try await export(fixture, match, .hls)?.state == .waiting)
        if returns { live.clearFaults() }
        try await fixture.pass(60)
        let missing = try await next(events, .hls, isDone).missing
        #expect((missing == 0) == returns, "\(missing)")
        await fixture.close()
    }

    @Test func exportsProgrammeAfterItsEnd() async throws {
        let (fixture, recordings, events) = try await recorded()
        let match = try programme(fixture, from: 20, to: 60, .mp4, .hls, .threeGP, .mp4)
        try await recordings.addProgramme(match, to: fixture.name)
        try await fixture.pass(50)
        for format in ProgrammeFormat.allCases { #expect(try await export(fixture, match, format)?.state == .waiting) }
        #expect(files(fixture) == [])
        try await fixture.pass(20)
        let movie = try await next(events, .mp4, isDone)
        let stream = try await next(events, .hls, isDone)
        let encoded = try await next(events, .threeGP, isDone)
        #expect([movie, stream, encoded].map(\.missing) == [0, 0, 0])
        #expect(encoded.state == .done(bytes: Int64(ScriptedEncoder.text.utf8.count)))
        #expect(encoder.films.withLock { $0.count == 1 && $0[0] > 100_000 })
        #expect(files(fixture) == ["\(match.id).3gp", "\(match.id).mp4"])
        let file = try #require(try await recordings.file(of: match, as: .mp4))
        #expect(movie.state == .done(bytes: file.length) && !movie.isAudioOnly)
        let reader = try MP4Reader(MemorySource(Array(try #require(bytes(fixture, "\(match.id).mp4")))))
        #expect(Set(reader.tracks.map(\.kind)) == [.video, .audio])
        let span = match.nanoseconds
        let rows = try await (fixture.rows("video-1") + fixture.rows("audio-1")).filter {
            $0.start < span.upperBound && $0.end > span.lowerBound
        }
        #expect(rows.count >= 2 * 7 && stream.state == .done(bytes: rows.reduce(0) { $0 + $1.length }))
        let entry = try await fixture.recording.entry(of: match)
        #expect(entry.contains("\n../../video-1/span-") && entry.contains("\"../../audio-1/span-"))
        // The export isn't repeated.
        try await fixture.pass(20)
        #expect(try await export(fixture, match, .mp4) == movie)
        await fixture.close()
    }

    /// A programme that is over is exported immediately, and one that lasts longer than the recording when the
    /// recording ends.
    @Test func exportsProgrammeWhenRecordingEnds() async throws {
        let (fixture, recordings, events) = try await recorded()
        let past = try programme(fixture, from: -30, to: -20, .mp4)
        try await recordings.addProgramme(past, to: fixture.name)
        _ = try await next(events, .mp4, isDone)
        let long = try programme(fixture, from: -10, to: 3600)
        try await recordings.addProgramme(long, to: fixture.name)
        #expect(try await recordings.export(long.id, of: fixture.name, as: .hls).isNew)
        #expect(try await export(fixture, long, .hls)?.state == .waiting)
        try await fixture.end()
        _ = try await next(events, .hls, isDone)
        // A programme that begins after the end of the recording has no segments.
        let never = try programme(fixture, from: 100, to: 200, .mp4)
        try await recordings.addProgramme(never, to: fixture.name)
        guard case .failed(let reason) = try await next(events, .mp4, isFailed).state else { return }
        #expect(reason.contains("no part of the programme “Match” is recorded"))
        await fixture.close()
    }

    @Test func countsMissingSegments() async throws {
        let (fixture, recordings, events) = try await recorded()
        let lost = fixture.live.segment(fixture.live.next + 3)
        fixture.live.library.origin.always(lost, .status(404))
        let match = try programme(fixture, from: 10, to: 70, .hls, .mp4, .threeGP)
        try await recordings.addProgramme(match, to: fixture.name)
        try await fixture.pass(200)
        for format in ProgrammeFormat.allCases { #expect(try await next(events, format, isDone).missing == 1) }
        await fixture.close()
    }

    @Test func cancelsAndRestartsExport() async throws {
        let (fixture, recordings, events) = try await recorded()
        encoder.behavior.withLock { $0 = .hangs }
        // The second export waits for the first.
        let match = try programme(fixture, from: -30, to: -20, .threeGP, .mp4)
        try await recordings.addProgramme(match, to: fixture.name)
        for await _ in encoder.hangs { break }
        #expect(try await export(fixture, match, .threeGP)?.state == .running(progress: 0.55))
        #expect(try await export(fixture, match, .mp4)?.state == .waiting)
        #expect(files(fixture) == ["\(match.id).3gp.part", "\(match.id).film.part"])
        try await recordings.removeExport(.threeGP, of: match.id, in: fixture.name)
        #expect(try await export(fixture, match, .threeGP)?.state == .cancelled)
        _ = try await next(events, .mp4, isDone)
        #expect(files(fixture) == ["\(match.id).mp4"])
        // A cancelled export can be requested again.
        encoder.behavior.withLock { $0 = .writes }
        #expect(try await !recordings.export(match.id, of: fixture.name, as: .threeGP).isNew)
        _ = try await next(events, .threeGP, isDone)
        #expect(files(fixture) == ["\(match.id).3gp", "\(match.id).mp4"])
        // Requesting a finished export again has no effect. Removing it deletes its file.
        let done = try await export(fixture, match, .threeGP)
        _ = try await recordings.export(match.id, of: fixture.name, as: .threeGP)
        #expect(try await export(fixture, match, .threeGP) == done)
        try await recordings.removeExport(.threeGP, of: match.id, in: fixture.name)
        #expect(try await export(fixture, match, .threeGP) == nil)
        #expect(files(fixture) == ["\(match.id).mp4"])
        await #expect(throws: CacheError.self) {
            try await recordings.removeExport(.threeGP, of: match.id, in: fixture.name)
        }
        await fixture.close()
    }

    @Test(arguments: [true, false]) func nextProcessRestartsExports(isCrash: Bool) async throws {
        let fixture = try await fixture()
        encoder.behavior.withLock { $0 = .hangs }
        let match = try programme(fixture, from: -30, to: -20, .mp4, .threeGP)
        try await fixture.recordings?.addProgramme(match, to: fixture.name)
        for await _ in encoder.hangs { break }
        if isCrash { await fixture.crash() } else { await fixture.close() }
        // The files that a killed process leaves, and the file of a removed programme.
        let folder = "\(fixture.live.library.folder)/exports"
        for name in ["\(match.id).3gp.part", "\(match.id).film.part", "other.mp4"] {
            try Data("half".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        let movie = try #require(bytes(fixture, "\(match.id).mp4"))
        encoder.behavior.withLock { $0 = .writes }
        try await fixture.open()
        // The export may end before the test reads its events.
        while try await !isDone(export(fixture, match, .threeGP)?.state ?? .waiting) {
            try await Task.yieldUnlessCancelled()
        }
        #expect(files(fixture) == ["\(match.id).3gp", "\(match.id).mp4"])
        #expect(bytes(fixture, "\(match.id).mp4") == movie)
        // If its file was deleted, an export is repeated.
        await fixture.close()
        try FileManager.default.removeItem(atPath: "\(folder)/\(match.id).mp4")
        try await fixture.open()
        while try await !isDone(export(fixture, match, .mp4)?.state ?? .waiting) {
            try await Task.yieldUnlessCancelled()
        }
        #expect(bytes(fixture, "\(match.id).mp4") == movie)
        await fixture.close()
    }

    /// Ends the process during an export. The next process finds the channel's record as it is at that moment.
    private func kill(_ fixture: RecordingFixture) async throws {
        for await _ in encoder.hangs { break }
        let folder = "\(fixture.live.library.folder)/channels"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let name = try #require(names.first { $0.hasSuffix(".json") })
        let channel = URL(fileURLWithPath: "\(folder)/\(name)")
        let bytes = try Data(contentsOf: channel)
        await fixture.close()
        try bytes.write(to: channel)
    }

    @Test func failsAfterTwoCrashesDuringExport() async throws {
        let fixture = try await fixture()
        encoder.behavior.withLock { $0 = .hangs }
        let match = try programme(fixture, from: -30, to: -20, .threeGP)
        try await fixture.recordings?.addProgramme(match, to: fixture.name)
        try await kill(fixture)
        try await fixture.open()
        try await kill(fixture)
        try await fixture.open()
        while try await !isFailed(export(fixture, match, .threeGP)?.state ?? .waiting) {
            guard encoder.films.withLock({ $0.count }) == 2 else { break }
            try await Task.yieldUnlessCancelled()
        }
        #expect(encoder.films.withLock { $0.count } == 2)
        guard case .failed(let reason) = try await export(fixture, match, .threeGP)?.state else {
            Issue.record("expected the export to fail")
            return await fixture.close()
        }
        #expect(reason.contains("“Match”"))
        #expect(reason.contains("2 processes ended"))
        // The next process doesn't retry the export until it is requested.
        await fixture.close()
        try await fixture.open()
        #expect(try await isFailed(export(fixture, match, .threeGP)?.state ?? .waiting))
        encoder.behavior.withLock { $0 = .writes }
        _ = try await fixture.recordings?.export(match.id, of: fixture.name, as: .threeGP)
        while try await !isDone(export(fixture, match, .threeGP)?.state ?? .waiting) {
            try await Task.yieldUnlessCancelled()
        }
        await fixture.close()
    }

    /// Such a process is that of a command without a server. Only `record` starts a recording.
    @Test func processThatDoesNotResumeExportsWhenItRecords() async throws {
        let fixture = try await fixture()
        try await fixture.recordings?.stop(fixture.name)
        await fixture.close()
        try await fixture.open(resuming: false)
        let recordings = try #require(fixture.recordings)
        let events = recordings.events()
        let match = try programme(fixture, from: -30, to: -20, .mp4)
        try await recordings.addProgramme(match, to: fixture.name)
        try await fixture.pass(10)
        #expect(try await export(fixture, match, .mp4)?.state == .waiting)
        try await recordings.start(fixture.name)
        try await fixture.pass(10)
        _ = try await next(events, .mp4, isDone)
        await fixture.close()
    }

    @Test func orderlyStopsDoNotCountAsCrashes() async throws {
        let fixture = try await fixture()
        encoder.behavior.withLock { $0 = .hangs }
        let match = try programme(fixture, from: -30, to: -20, .threeGP)
        try await fixture.recordings?.addProgramme(match, to: fixture.name)
        for _ in 0..<3 {
            for await _ in encoder.hangs { break }
            await fixture.close()
            try await fixture.open()
        }
        for await _ in encoder.hangs { break }
        #expect(try await export(fixture, match, .threeGP)?.state == .running(progress: 0.55))
        await fixture.close()
    }

    @Test func reportsReasonOfFailure() async throws {
        let (fixture, recordings, events) = try await recorded()
        encoder.behavior.withLock { $0 = .fails("the disk of the encoder is full") }
        let match = try programme(fixture, from: -30, to: -20, .threeGP)
        try await recordings.addProgramme(match, to: fixture.name)
        let failed = try await next(events, .threeGP, isFailed)
        #expect(failed.state == .failed(reason: "the disk of the encoder is full"))
        #expect(files(fixture) == [])
        // The export isn't retried, not even by the next process. If there is no encoder, the reason says so.
        try await fixture.pass(10)
        await fixture.close()
        fixture.encoder = nil
        try await fixture.open()
        try await fixture.pass(10)
        #expect(encoder.films.withLock { $0.count } == 1)
        let others = try #require(fixture.recordings)
        let laterEvents = others.events()
        _ = try await others.export(match.id, of: fixture.name, as: .threeGP)
        guard case .failed(let reason) = try await self.next(laterEvents, .threeGP, isFailed).state else { return }
        #expect(reason.contains("install ffmpeg"))
        await fixture.close()
    }

    /// Ctrl-C in a terminal may reach the encoder before this process. A stopped recording adds no pending exports.
    @Test(arguments: [false, true]) func repeatsExportWhoseEncoderWasInterrupted(isStopped: Bool) async throws {
        let fixture = try await fixture()
        encoder.behavior.withLock { $0 = .isEnded }
        let recordings = try #require(fixture.recordings)
        if isStopped { try await recordings.stop(fixture.name) }
        let match = try programme(fixture, from: -30, to: -20, .threeGP)
        try await recordings.addProgramme(match, to: fixture.name)
        while encoder.films.withLock({ $0.isEmpty }) { try await Task.yieldUnlessCancelled() }
        while try await export(fixture, match, .threeGP)?.state != .waiting { try await Task.yieldUnlessCancelled() }
        encoder.behavior.withLock { $0 = .writes }
        let time = fixture.live.library.time
        let retry = time.monotonic + ProgrammeExports.patience
        while !time.deadlines.contains(retry) { try await Task.yieldUnlessCancelled() }
        try await fixture.pass(50)
        #expect(encoder.films.withLock { $0.count } == 1)
        #expect(files(fixture) == [])
        let events = recordings.events()
        try await fixture.pass(20)
        _ = try await next(events, .threeGP, isDone)
        #expect(encoder.films.withLock { $0.count } == 2)
        await fixture.close()
    }

    @Test func removesExportsWithProgrammeAndChannel() async throws {
        let (fixture, recordings, events) = try await recorded()
        let first = try programme(fixture, from: -30, to: -20, .mp4)
        let second = try programme(fixture, from: -30, to: -20, .mp4)
        for programme in [first, second] {
            try await recordings.addProgramme(programme, to: fixture.name)
            _ = try await next(events, .mp4, isDone)
        }
        #expect(files(fixture) == ["\(first.id).mp4", "\(second.id).mp4"].sorted())
        try await recordings.removeProgramme(first.id, from: fixture.name)
        #expect(files(fixture) == ["\(second.id).mp4"])
        // Removes the channel during an export.
        encoder.behavior.withLock { $0 = .hangs }
        _ = try await recordings.export(second.id, of: fixture.name, as: .threeGP)
        for await _ in encoder.hangs { break }
        try await recordings.remove(fixture.name)
        #expect(files(fixture) == [])
        await fixture.close()
        try await fixture.open()
        #expect(await fixture.recordings?.statuses().isEmpty == true)
        await fixture.close()
    }

    /// The export begins while the removal of its programme is being stored.
    @Test func exportOfRemovedProgrammeIsNotReported() async throws {
        let hold = DiskHold { $0 == .replacing && $1.contains("/channels/") }
        defer { hold.release() }
        let fixture = try await fixture(files: hold.files)
        let (recordings, name) = (try #require(fixture.recordings), fixture.name)
        let events = recordings.events()
        let match = try programme(fixture, from: -10, to: 10, .hls)
        try await recordings.addProgramme(match, to: name)
        hold.arm()
        let removal = Task { try await recordings.removeProgramme(match.id, from: name) }
        try await hold.reached()
        try await fixture.pass(30)
        while try await export(fixture, match, .hls)?.state != .running(progress: 0) {
            try await Task.yieldUnlessCancelled()
        }
        hold.release()
        try await removal.value
        await fixture.close()
        for await event in events {
            guard case .export(_, _, let export) = event else { continue }
            #expect(!isDone(export.state))
        }
    }

    /// A track without recorded segments is a gap that lasts the whole programme.
    @Test func listsMissingTrack() async throws {
        let fixture = try await fixture()
        fixture.live.library.origin.always(fixture.live.playlist("a1"), .status(404))
        try await fixture.pass(180)
        let recordings = try #require(fixture.recordings)
        let events = recordings.events()
        let match = try programme(fixture, from: -150, to: -100, .hls, .mp4)
        try await recordings.addProgramme(match, to: fixture.name)
        for format in [ProgrammeFormat.hls, .mp4] {
            let export = try await next(events, format, isDone)
            #expect(export.missing == 1)
            #expect(export.damaged.map(\.name) == ["audio-1"])
            #expect(export.damaged.allSatisfy { abs($0.duration - 50) < 0.01 && $0.start == 0 })
        }
        await fixture.close()
    }
}
