import Foundation
import HLS
import MediaCache
import Testing

@testable import MediaLibrary

/// Tests of a recording's windows as served to players.
struct WindowTests {
    private static let second = TimelineRows.second

    private static func time(_ number: Int64) -> Int64 { TimelineRows.stored(number).start }

    /// Returns a running recording of 300 segments.
    private func filled() async throws -> WindowFixture {
        let fixture = try await WindowFixture(TimelineRows.stored(100..<400))
        fixture.pass(to: Self.time(400))
        await fixture.recording.start()
        return fixture
    }

    @Test func pastWindowIsComplete() async throws {
        let fixture = try await filled()
        let request = WindowRequest.span(from: Self.time(200) + Self.second, to: Self.time(210))
        let text = try await fixture.text(request)
        #expect(
            text.hasPrefix(
                """
                #EXTM3U
                #EXT-X-START:TIME-OFFSET=1,PRECISE=YES
                #EXT-X-TARGETDURATION:2
                #EXT-X-MEDIA-SEQUENCE:200
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-PROGRAM-DATE-TIME:2026-01-31T20:06:40.000Z
                #EXTINF:2,
                200.ts
                #EXTINF:2,
                201.ts

                """), "\(text)")
        let playlist = try WindowFixture.parsed(text)
        #expect(playlist.segments.map(\.uri) == (200..<210).map { "\($0).ts" })
        #expect(playlist.hasEndList)
        // Later requests return the same bytes, also when the recording has stopped.
        try await fixture.timeline.append(TimelineRows.stored(400..<700))
        fixture.pass(to: Self.time(700))
        #expect(try await fixture.text(request) == text)
        await fixture.recording.stop()
        #expect(try await fixture.text(request) == text)
        await fixture.close()
    }

    @Test func startOffsetIsExactAndMayBeZero() async throws {
        let fixture = try await filled()
        for (offset, written) in [(0, "0"), (1, "0"), (999_999, "0"), (1_234_567_890, "1.234")] as [(Int64, String)] {
            let text = try await fixture.text(.span(from: Self.time(200) + offset, to: Self.time(210)))
            #expect(text.contains("#EXT-X-START:TIME-OFFSET=\(written),PRECISE=YES\n"), "\(offset)")
        }
        #expect(try await fixture.text(.live(nil)).contains("EXT-X-START") == false)
        await fixture.close()
    }

    /// An unfinished window grows until it is over. Its beginning and target duration don't change.
    @Test func unfinishedWindowGrows() async throws {
        let fixture = try await filled()
        let request = WindowRequest.span(from: Self.time(390) + 1, to: Self.time(420) + 1_000_000)
        var last = ""
        for number in 400..<430 as Range<Int64> {
            let text = try await fixture.text(request)
            let playlist = try WindowFixture.parsed(text)
            let isOver = number >= 421
            #expect(playlist.hasEndList == isOver, "\(number)")
            #expect(playlist.type == (isOver ? .onDemand : .event))
            #expect(playlist.targetDuration == 2)
            #expect(playlist.mediaSequence == 390)
            #expect(playlist.segments.count == Int(min(number, 421) - 390))
            if !isOver, !last.isEmpty { #expect(text.hasPrefix(last)) }
            last = text
            try await fixture.timeline.append([TimelineRows.stored(number)])
        }
        // A window without an end stays open.
        let open = try await fixture.window(.span(from: Self.time(390), to: nil))
        #expect(open.type == .event)
        #expect(!open.hasEndList)
        #expect(open.segments.count == 40)
        // A stopped channel may continue, so its open windows are over only when it has ended.
        await fixture.recording.stop()
        try await fixture.recording.change { $0.isWanted = false }
        #expect(try await fixture.window(.span(from: Self.time(390), to: nil)).hasEndList == false)
        #expect(try await fixture.window(.live(nil)).hasEndList == false)
        try await fixture.recording.change { $0.hasEnded = true }
        let ended = try await fixture.window(.span(from: Self.time(390), to: nil))
        #expect(ended.type == .onDemand)
        #expect(ended.hasEndList)
        #expect(try await fixture.window(.live(nil)).hasEndList)
        await fixture.close()
    }

    @Test func excludesAwaitedSegments() async throws {
        let fixture = try await filled()
        try await fixture.timeline.append(TimelineRows.awaited(400..<401) + TimelineRows.stored(401..<402))
        let request = WindowRequest.span(from: Self.time(390), to: Self.time(401))
        #expect(try await fixture.window(request).segments.last?.uri == "399.ts")
        #expect(try await !fixture.window(request).hasEndList)
        try await fixture.timeline.settle([TimelineRows.stored(400)])
        #expect(try await fixture.window(request).segments.last?.uri == "400.ts")
        #expect(try await fixture.window(request).hasEndList)
        await fixture.close()
    }

    @Test func liveWindowSlides() async throws {
        let fixture = try await filled()
        for number in 400..<420 as Range<Int64> {
            let playlist = try await fixture.window(.live(nil))
            #expect(playlist.mediaSequence == Int(number) - 30)
            #expect(playlist.segments.count == 30)
            #expect(playlist.type == nil)
            #expect(!playlist.hasEndList)
            try await fixture.timeline.append([TimelineRows.stored(number)])
        }
        #expect(try await fixture.window(.live(20 * Self.second)).segments.count == 10)
        // A live window has at least three target durations (RFC 8216bis §6.2.2) if that much is recorded.
        #expect(try await fixture.window(.live(0)).segments.count == 3)
        #expect(try await fixture.window(.live(1_000_000 * Self.second)).segments.count == 320)
        await fixture.close()
    }

    @Test func delayedEdgeFollowsClock() async throws {
        let fixture = try await filled()
        fixture.pass(to: Self.time(400) + 1)
        let playlist = try await fixture.window(.delayed(100 * Self.second))
        #expect(playlist.segments.last?.uri == "349.ts")
        #expect(playlist.segments.first?.uri == "320.ts")
        #expect(!playlist.hasEndList)
        fixture.pass(to: Self.time(401) + 1)
        #expect(try await fixture.window(.delayed(100 * Self.second)).mediaSequence == 321)
        // This delay is shorter than the lag of the recording.
        #expect(try await fixture.window(.delayed(0)).segments.last?.uri == "399.ts")
        await #expect(throws: WindowOutOfRangeError.self) { try await fixture.text(.delayed(100_000 * Self.second)) }
        await #expect(throws: WindowOutOfRangeError.self) {
            try await fixture.recording.entry(.delayed(100_000 * Self.second))
        }
        #expect(try await fixture.recording.entry(.delayed(100 * Self.second)).text.contains("/timeshift_rel-100.m3u8"))
        await fixture.close()
    }

    @Test func windowOfWholeRecordingIsComplete() async throws {
        let fixture = try await filled()
        let playlist = try await fixture.window(.all)
        #expect(playlist.segments.count == 300)
        #expect(playlist.hasEndList)
        #expect(playlist.type == .onDemand)
        // URLs in an entry playlist remain valid.
        let name = try #require(
            try await fixture.recording.entry(.all).text.split(separator: "\n").last?.split(separator: "/").last)
        let granted = try #require(WindowRequest(granted: String(name)))
        try await fixture.timeline.append(TimelineRows.stored(400..<410))
        #expect(try await fixture.window(granted, isGranted: true).segments.count == 300)
        #expect(try await fixture.window(.all).segments.count == 310)
        await fixture.close()
    }

    @Test func windowFromNowBeginsAtEdge() async throws {
        let fixture = try await filled()
        let now = Self.time(400) + 5 * Self.second
        fixture.pass(to: now)
        let entry = try await fixture.recording.entry(.span(from: now, to: nil)).text
        let name = try #require(entry.split(separator: "\n").last?.split(separator: "/").last)
        let granted = try #require(WindowRequest(granted: String(name)))
        let playlist = try await fixture.window(granted, isGranted: true)
        #expect(playlist.segments.map(\.uri) == ["399.ts"])
        #expect(playlist.type == .event)
        try await fixture.timeline.append(TimelineRows.stored(400..<410))
        #expect(try await fixture.window(granted, isGranted: true).segments.count == 11)
        await fixture.close()
    }

    @Test func errorContainsRecordedRanges() async throws {
        let fixture = try await filled()
        let ranges = [Self.time(100)..<Self.time(400)]
        for from in [0, Self.time(100) - 1_000_001, Self.time(400) + 2 * Self.second, Self.time(9000)] {
            let error = await #expect(throws: WindowOutOfRangeError.self) {
                try await fixture.text(.span(from: from, to: nil), isStrict: true)
            }
            #expect(error?.recordedRanges == ranges)
            #expect(error?.description.contains("2026-01-31T20:03:20.000Z to 2026-01-31T20:13:20.000Z") == true)
            await #expect(throws: WindowOutOfRangeError.self) {
                try await fixture.recording.entry(.span(from: from, to: nil), isStrict: true)
            }
        }
        #expect(try await fixture.window(.span(from: Self.time(100), to: nil)).segments.count == 300)
        let error = await #expect(throws: CacheError.self) { try await fixture.text(.all, track: "audio-9") }
        #expect(error?.message.contains("video-1") == true)
        // When the channel has been stopped, windows can't begin at the edge.
        await fixture.recording.stop()
        await #expect(throws: WindowOutOfRangeError.self) {
            try await fixture.text(.span(from: Self.time(400), to: nil))
        }
        await fixture.close()
    }

    /// Playlists and the API contain times truncated to milliseconds.
    @Test func acceptsDatesFromPlaylists() async throws {
        var rows = TimelineRows.stored(100..<110) { $0.start += 700_600 }
        rows[5].state = .gap
        let fixture = try await WindowFixture(rows)
        let recording = fixture.recording
        for number in [100, 101, 106] as [Int64] {
            let moment = try await recording.moment(Self.time(number))
            #expect(moment.row.number == (number == 101 ? 100 : number))
            #expect(moment.offset == (number == 101 ? 1.9992994 : 0))
        }
        #expect(try await recording.moment(Self.time(101) + 1_000_000).row.number == 101)
        for time in [Self.time(100) - 1_000_000, Self.time(105) + 1_000_000, .min, .max] {
            await #expect(throws: WindowOutOfRangeError.self) { try await recording.moment(time) }
        }
        await fixture.close()
    }

    @Test func throwsIfNothingIsRecorded() async throws {
        let fixture = try await WindowFixture()
        for request in [.all, .live(nil), .delayed(0), .span(from: 5, to: nil), .span(from: 5, to: 9)]
            as [WindowRequest]
        {
            let error = await #expect(throws: WindowOutOfRangeError.self) { try await fixture.recording.entry(request) }
            #expect(error?.description.contains("nothing is recorded") == true)
            await #expect(throws: WindowOutOfRangeError.self) { try await fixture.text(request) }
        }
        await fixture.close()
    }

    @Test func writesGapsAndDiscontinuities() async throws {
        let rows = TimelineRows.stored(0..<20) { row in
            row.isDiscontinuous = [5, 12].contains(row.number)
            if (8..<11).contains(row.number) { row.state = .gap }
            // The clock jumps by an hour.
            if row.number >= 15 { row.start += 3600 * Self.second }
            row.tags = row.number == 3 ? ["EXT-X-CUE-OUT:30", "EXT-OTHER"] : []
        }
        let fixture = try await WindowFixture(rows)
        let text = try await fixture.text(.all)
        let playlist = try WindowFixture.parsed(text)
        #expect(playlist.segments.indices.filter { playlist.segments[$0].isGap } == [8, 9, 10])
        #expect(playlist.segments.indices.filter { playlist.segments[$0].isDiscontinuous } == [5, 12])
        #expect(playlist.segments.indices.filter { playlist.segments[$0].programDateTime != nil } == [0, 5, 12, 15])
        for (segment, row) in zip(playlist.segments, rows) where segment.programDateTime != nil {
            #expect(segment.programDateTime?.nanosecondsSinceEpoch == row.start)
        }
        #expect(text.contains("#EXT-X-CUE-OUT:30\n#EXT-OTHER\n"))
        // A window may begin in a gap.
        let gap = try await fixture.window(.span(from: Self.time(9) + 1, to: Self.time(13)))
        #expect(gap.segments.map(\.isGap) == [true, true, false, false])
        #expect(gap.segments[0].programDateTime?.nanosecondsSinceEpoch == Self.time(9))
        #expect(gap.discontinuitySequence == 1)
        // Time that wasn't recorded is out of range.
        await #expect(throws: WindowOutOfRangeError.self) {
            try await fixture.text(.span(from: Self.time(100), to: Self.time(101)))
        }
        await fixture.close()
    }

    /// Differences of less than a millisecond between durations and dates don't add up. A player derives a segment's
    /// date from the last date in the playlist and the durations since then (RFC 8216bis §4.4.4.6).
    @Test(arguments: [-900_000, 300_000, 900_000] as [Int64]) func datesDoNotDrift(difference: Int64) async throws {
        let rows = TimelineRows.stored(0..<200) { row in
            row.start += row.number * difference
            row.overrun = max(0, -difference)
            row.firstFrameLength = 188
        }
        var range = TimelineRange(track: "video-1")
        range.segments = rows
        let pictures = IFramePlaylist(range: range, prefix: "video-1/", isOver: true)
        for bytes in [WindowPlaylist(range: range, isOver: true).bytes, pictures.bytes] {
            let playlist = try WindowFixture.parsed(String(decoding: bytes, as: UTF8.self))
            for (segment, row) in zip(playlist.resolvedSegments, rows) {
                let date = try #require(segment.programDateTime?.nanosecondsSinceEpoch)
                #expect(abs(date - row.start) <= 1_000_000, "\(row.number)")
            }
            let dates = playlist.segments.count { $0.programDateTime != nil }
            #expect(dates > 1 && dates <= 200)
        }
    }

    /// An event playlist must keep its EXT-X-PLAYLIST-TYPE and all its segments (RFC 8216bis §4.4.3.5, §6.2.1).
    @Test func windowSubjectToRetentionIsNotEvent() async throws {
        let fixture = try await WindowFixture(TimelineRows.stored(0..<300), retention: Retention(seconds: 600))
        fixture.pass(to: Self.time(300))
        let granted = WindowRequest.span(from: Self.time(100), to: nil)
        #expect(try await fixture.window(granted, isGranted: true).type == nil)
        fixture.pass(to: Self.time(420))
        await fixture.recording.applyRetention()
        let window = try await fixture.window(granted, isGranted: true)
        #expect(window.mediaSequence == 120 && window.type == nil)
        // Without retention limits, the window is an event.
        try await fixture.recording.change { $0.retention = Retention() }
        #expect(try await fixture.window(.span(from: Self.time(200), to: nil), isGranted: true).type == .event)
        #expect(try await fixture.window(.span(from: Self.time(130), to: Self.time(140))).type == .onDemand)
        await fixture.close()
    }
}
