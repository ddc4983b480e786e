import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of windows and programmes of channels that no longer record.
@Suite(.timeLimit(.minutes(60)))
struct StoppedChannelTests {
    private static func time(_ number: Int64) -> Int64 { TimelineRows.stored(number).start }

    @Test func windowOfStoppedChannelIsOverAtItsEnd() async throws {
        let fixture = try await WindowFixture()
        await fixture.recording.start()
        try await fixture.timeline.append(TimelineRows.stored(0..<100))
        fixture.pass(to: Self.time(100))
        let (from, to) = (Self.time(50), Self.time(150))
        #expect(try await !fixture.window(.span(from: from, to: to)).hasEndList)
        try await fixture.recording.change { $0.isWanted = false }
        await fixture.recording.stop()
        // The window isn't over until its end has passed.
        #expect(try await !fixture.window(.span(from: from, to: to)).hasEndList)
        await #expect(throws: WindowOutOfRangeError.self) { try await fixture.recording.finished(from: from, to: to) }
        fixture.pass(to: to)
        let window = try await fixture.window(.span(from: from, to: to))
        #expect(window.hasEndList && window.type == .onDemand && window.segments.count == 50)
        #expect(try await fixture.recording.finished(from: from, to: to).contents.parts.count == 50)
        // A window without an end may still grow.
        #expect(try await !fixture.window(.span(from: from, to: nil)).hasEndList)
        await fixture.close()
    }

    @Test func awaitedSegmentsOfStoppedChannelAreGaps() async throws {
        var rows = TimelineRows.stored(0..<100)
        rows[50].state = .awaited
        let fixture = try await WindowFixture()
        await fixture.recording.start()
        try await fixture.timeline.append(rows)
        let (from, to) = (Self.time(40), Self.time(80))
        #expect(try await fixture.window(.span(from: from, to: to)).segments.count == 10)
        do {
            _ = try await fixture.recording.finished(from: from, to: to)
            Issue.record("expected an error, because the window isn't over while a segment is awaited")
        } catch is WindowOutOfRangeError {}
        fixture.pass(to: Self.time(100))
        try await fixture.recording.change { $0.isWanted = false }
        await fixture.recording.stop()
        let window = try await fixture.window(.span(from: from, to: to))
        #expect(window.hasEndList && window.segments.count == 40)
        #expect(window.segments.indices.filter { window.segments[$0].isGap } == [10])
        let finished = try await fixture.recording.finished(from: from, to: to)
        #expect(finished.gaps == 1 && finished.contents.parts.count == 39)
        // A window after the awaited segment, and one that begins with it.
        let later = WindowRequest.span(from: Self.time(60), to: to)
        #expect(try await fixture.recording.entry(later).begins == Self.time(60))
        #expect(try await fixture.window(later).segments.map(\.uri) == (60..<80).map { "\($0).ts" })
        let entry = try await fixture.recording.entry(.span(from: Self.time(50), to: to))
        #expect(entry.begins == Self.time(50) && entry.text.contains("video-1"))
        #expect(try await fixture.recording.moment(Self.time(70)).row.number == 70)
        // The segment is still awaited, and arrives when the channel resumes.
        #expect(fixture.timeline.awaited.map(\.number) == [50])
        try await fixture.timeline.settle([TimelineRows.stored(50)])
        #expect(try await fixture.recording.finished(from: from, to: to).gaps == 0)
        await fixture.close()
    }

    @Test(arguments: [0, 50]) func wholeRecordingIncludesSegmentsAfterAwaitedOneWhenStopped(awaited: Int)
        async throws
    {
        var rows = TimelineRows.stored(0..<100)
        rows[awaited].state = .awaited
        let fixture = try await WindowFixture()
        await fixture.recording.start()
        try await fixture.timeline.append(rows)
        if awaited > 0 { #expect(try await fixture.window(.all).segments.count == awaited) }
        fixture.pass(to: Self.time(100))
        try await fixture.recording.change { $0.isWanted = false }
        await fixture.recording.stop()
        let window = try await fixture.window(.all)
        #expect(window.hasEndList && window.segments.count == 100)
        #expect(window.segments.indices.filter { window.segments[$0].isGap } == [awaited])
        let entry = try await fixture.recording.entry(.all)
        let name = try #require(entry.text.split(separator: "\n").last?.split(separator: "/").last)
        let granted = try #require(WindowRequest(granted: String(name)))
        #expect(entry.begins == Self.time(0) && granted == .span(from: Self.time(0), to: Self.time(100)))
        #expect(try await fixture.window(granted, isGranted: true) == window)
        await fixture.close()
    }

    @Test func servesWindowOfStoppedChannelThatAwaitsFirstSegment() async throws {
        var rows = TimelineRows.stored(0..<10)
        rows[0].state = .awaited
        let fixture = try await WindowFixture(rows)
        try await fixture.recording.change { $0.isWanted = false }
        fixture.pass(to: Self.time(10))
        let window = try await fixture.window(.span(from: Self.time(0), to: Self.time(10)))
        #expect(window.hasEndList && window.segments.count == 10)
        #expect(try await fixture.recording.finished(from: Self.time(0), to: Self.time(10)).gaps == 1)
        await fixture.close()
    }

    @Test func programmeOfStoppedChannelCountsAwaitedSegmentsAsMissing() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.fail(url, .status(503))
        let next = fixture.live.segment(fixture.live.next + 1)
        try await fixture.pass(atMost: 30) {
            try await fixture.rows("video-1").contains { $0.state == .stored && $0.url == next.description }
        }
        let recordings = try #require(fixture.recordings)
        let now = fixture.live.library.time.now
        let programme = Programme(
            name: "film", from: now.addingTimeInterval(-60), to: now.addingTimeInterval(10), formats: [.hls])
        try await recordings.addProgramme(programme, to: fixture.name)
        try await recordings.stop(fixture.name)
        fixture.live.library.time.advance(by: .seconds(20))
        let export = try await exported(programme, fixture)
        #expect(export.missing == 1)
        await fixture.close()
    }

    /// Returns a programme's HLS export once it is done, has failed or is cancelled.
    private func exported(_ programme: Programme, _ fixture: RecordingFixture) async throws -> ProgrammeExport {
        let recordings = try #require(fixture.recordings)
        while true {
            let channel = try await recordings.status(of: fixture.name).channel
            let export = try #require(channel.programmes.first { $0.id == programme.id }?[.hls])
            switch export.state {
            case .waiting, .running: try await Task.yieldUnlessCancelled()
            case .done, .failed, .cancelled: return export
            }
        }
    }

    /// A stopped recording doesn't check whether programmes have ended. A request for the channel's status does.
    @Test func exportsProgrammeOfStoppedChannel() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let recordings = try #require(fixture.recordings)
        let now = fixture.live.library.time.now
        let programme = Programme(
            name: "film", from: now.addingTimeInterval(-30), to: now.addingTimeInterval(60), formats: [.hls])
        try await recordings.addProgramme(programme, to: fixture.name)
        try await recordings.stop(fixture.name)
        fixture.live.library.time.advance(by: .seconds(50))
        #expect(try await recordings.status(of: fixture.name).channel.programmes[0][.hls]?.state == .waiting)
        fixture.live.library.time.advance(by: .seconds(20))
        guard case .done = try await exported(programme, fixture).state else {
            Issue.record("expected a finished export: \(try await exported(programme, fixture))")
            return await fixture.close()
        }
        await fixture.close()
    }
}
