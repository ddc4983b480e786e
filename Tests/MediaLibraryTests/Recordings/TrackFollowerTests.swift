import HLS
import Testing

@testable import MediaLibrary

/// Tests of the rows that a follower creates from successive loads of a playlist.
struct TrackFollowerTests {
    private var playlist = FollowedPlaylist()

    // MARK: - Continuation

    @Test(arguments: [0, nil]) mutating func recordsEachSegmentOnce(clock: Double?) throws {
        playlist.clock = clock
        for end in 6..<60 { try playlist.load(max(0, end - 6)..<end) }
        #expect(playlist.recorded == (0..<59).map { "\($0).ts" })
        #expect(FollowedPlaylist.starts(playlist.rows) == (0..<59).map { Double($0 * 6) })
        #expect(playlist.rows.allSatisfy { $0.state == .awaited && !$0.isDiscontinuous })
    }

    @Test mutating func firstNumberIsOriginNumber() throws {
        playlist.shift = 4000
        #expect(try playlist.load(0..<6).map(\.number) == Array(4000..<4006))
        #expect(playlist.rows.map(\.originSequence) == Array(4000..<4006))
    }

    @Test(arguments: zip([0, nil] as [Double?], [18, 1806]))
    mutating func missedSegmentsBecomeGaps(clock: Double?, first: Int) throws {
        playlist.clock = clock
        try playlist.load(0..<6)
        let rows = try playlist.load(first..<first + 6)
        #expect(rows.names == Array(repeating: "-", count: first - 6) + (first..<first + 6).map { "\($0).ts" })
        #expect(rows.prefix(first - 6).allSatisfy { $0.state == .gap && $0.duration == 6 * FollowedPlaylist.second })
        #expect(rows.map(\.originSequence) == Array(6..<first + 6))
        #expect(FollowedPlaylist.starts(rows) == (6..<first + 6).map { Double($0 * 6) })
        #expect(rows.allSatisfy { !$0.isDiscontinuous })
    }

    @Test mutating func ignoresStaleAndEmptyPlaylists() throws {
        try playlist.load(0..<6)
        try playlist.load(1..<7)
        #expect(try playlist.load(0..<6, late: 8).isEmpty)
        #expect(playlist.outcome == .stale)
        #expect(try playlist.load("#EXTM3U\n#EXT-X-TARGETDURATION:6\n", at: 44).isEmpty)
        #expect(playlist.outcome == .stale)
        #expect(try playlist.load(2..<8).names == ["7.ts"])
    }

    @Test(arguments: [0, nil]) mutating func ignoresCopyOlderThanWindow(clock: Double?) throws {
        playlist.clock = clock
        for end in 6..<30 { try playlist.load(end - 6..<end) }
        #expect(try playlist.load(2..<8, late: 22 * 6 + 1).isEmpty)
        #expect(try playlist.load(3..<9, late: 22 * 6 + 4).isEmpty)
        #expect(playlist.outcome == .stale)
        #expect(try playlist.load(25..<31).names == ["29.ts", "30.ts"])
        #expect(playlist.recorded == (0..<31).map { "\($0).ts" })
    }

    @Test(arguments: [0, nil]) mutating func laggingCachesAreNotRestart(clock: Double?) throws {
        playlist.clock = clock
        for end in 6..<30 { try playlist.load(end - 6..<end) }
        // Another cache is four segments behind for four loads.
        for late in 0..<4 { #expect(try playlist.load(20 + late..<26 + late, late: 25).isEmpty) }
        #expect(try playlist.load(25..<31).names == ["29.ts", "30.ts"])
    }

    @Test mutating func continuesWithChangedTargetDuration() throws {
        try playlist.load(0..<6)
        playlist.target = 4
        playlist.began = 12
        let rows = try playlist.load(2..<8)
        #expect(rows.names == ["6.ts", "7.ts"])
        #expect(rows.map(\.targetDuration) == [4, 4])
        #expect(FollowedPlaylist.starts(rows) == [36, 40])
    }

    @Test mutating func segmentsMarkedAsGapsAreGaps() throws {
        playlist.lines[3] = "#EXT-X-GAP"
        let rows = try playlist.load(0..<6)
        #expect(rows.map(\.state) == [.awaited, .awaited, .awaited, .gap, .awaited, .awaited])
        #expect(rows.names[3] == "3.ts")
    }

    /// EXT-X-INDEPENDENT-SEGMENTS applies to all segments of its playlist (RFC 8216bis §4.4.2.1).
    @Test mutating func storesIndependenceOfSegments() throws {
        playlist.header = "#EXT-X-INDEPENDENT-SEGMENTS\n"
        try playlist.load(0..<6)
        playlist.header = ""
        try playlist.load(1..<8)
        #expect(playlist.rows.map(\.isIndependent) == (0..<8).map { $0 < 6 })
    }

    @Test mutating func continuesAfterWithdrawnEndList() throws {
        try playlist.load(0..<6)
        playlist.hasEndList = true
        try playlist.load(0..<6, late: 4)
        #expect(playlist.follower.hasEndList)
        playlist.hasEndList = false
        #expect(try playlist.load(0..<6, late: 8).isEmpty)
        #expect(!playlist.follower.hasEndList)
        playlist.hasEndList = true
        #expect(try playlist.load(1..<7).names == ["6.ts"])
        #expect(playlist.follower.hasEndList)
        playlist.hasEndList = false
        #expect(try playlist.load(2..<8).names == ["7.ts"])
        #expect(!playlist.follower.hasEndList)
    }

    // MARK: - Time

    @Test(arguments: [86_400.0, -86_400]) mutating func ignoresClockJump(jump: Double) throws {
        for end in 6..<20 {
            playlist.clock = end < 10 ? 0 : jump
            try playlist.load(end - 6..<end)
        }
        for end in 20..<24 {
            playlist.clock = 0
            try playlist.load(end - 6..<end)
        }
        #expect(FollowedPlaylist.starts(playlist.rows) == (0..<23).map { Double($0 * 6) })
        #expect(playlist.recorded == (0..<23).map { "\($0).ts" })
    }

    @Test(arguments: [0, nil]) mutating func continuesAfterEncoderPause(clock: Double?) throws {
        playlist.clock = clock
        try playlist.load(0..<6)
        for late in 1..<20 { #expect(try playlist.load(0..<6, late: Double(late) * 30).isEmpty) }
        playlist.began = 600
        if clock != nil {
            // The recorded segments keep their times.
            let text = playlist.text(1..<7)
            let old = FollowedPlaylist().text(1..<6)
            let lines = old + text.split(separator: "\n").suffix(3).joined(separator: "\n") + "\n"
            #expect(try playlist.load(lines, at: 642).names == ["6.ts"])
        } else {
            #expect(try playlist.load(1..<7).names == ["6.ts"])
        }
        #expect(FollowedPlaylist.starts(playlist.rows).suffix(2) == [30, 636])
    }

    /// The only date has left the window, and durations are rounded up. Arrivals limit the drift of implied dates.
    @Test mutating func impliedDatesDoNotDrift() throws {
        playlist.clock = nil
        playlist.lines[0] = "#EXT-X-PROGRAM-DATE-TIME:\(DateTime(nanosecondsSinceEpoch: FollowedPlaylist.noon))"
        for end in 6..<1500 {
            try playlist.load(playlist.text(end - 6..<end), at: Double(end) * 5.76 + 20)
            if end == 1000 { playlist.restart() }
        }
        let starts = FollowedPlaylist.starts(playlist.rows)
        #expect(starts.enumerated().map { abs($1 - Double($0) * 5.76) }.max() ?? 99 <= 50)
        // A new date is followed again.
        let date = FollowedPlaylist.noon + 1499 * 5760 * 1_000_000
        playlist.lines[1499] = "#EXT-X-PROGRAM-DATE-TIME:\(DateTime(nanosecondsSinceEpoch: date))"
        for end in 1500..<1520 { try playlist.load(playlist.text(end - 6..<end), at: Double(end) * 5.76 + 20) }
        #expect(abs(FollowedPlaylist.starts(playlist.rows)[1499] - 1499 * 5.76) <= 50)
    }

    /// The next process continues from a date that has left the window, however late the segments arrive.
    @Test(arguments: [30.0, 3600, -7200]) mutating func impliedDateSurvivesProcessRestart(late: Double) throws {
        playlist.clock = nil
        playlist.target = 2
        playlist.lines[0] = "#EXT-X-PROGRAM-DATE-TIME:\(DateTime(nanosecondsSinceEpoch: FollowedPlaylist.noon))"
        for end in 6..<60 {
            try playlist.load(max(0, end - 6)..<end, late: late)
            if end % 20 == 0 { playlist.restart() }
        }
        #expect(FollowedPlaylist.starts(playlist.rows) == (0..<59).map { Double($0 * 2) })
    }

    /// The media sequence numbers of two tracks are unrelated, so tracks are aligned by arrival.
    @Test mutating func alignsTracksWithoutClockByArrival() throws {
        playlist.clock = nil
        try playlist.load(0..<6)
        var audio = FollowedPlaylist()
        audio.clock = nil
        // This track's encoder counts differently, but in the same range as the other's.
        audio.shift = -3
        try audio.load(2..<6)
        #expect(FollowedPlaylist.starts(audio.rows) == [12, 18, 24, 30])
        try playlist.load(20..<26)
        try audio.load(22..<26)
        #expect(FollowedPlaylist.starts(audio.rows).suffix(4) == [132, 138, 144, 150])
        // If another track has dates, this track is assumed to have the same lag.
        var text = FollowedPlaylist()
        text.clock = nil
        text.otherLag = 20 * FollowedPlaylist.second
        try text.load(10..<13)
        #expect(FollowedPlaylist.starts(text.rows) == [40, 46, 52])
    }

    // MARK: - Restarted encoders

    /// The encoder returns with the same names, ahead of its previous run. Only its clock reveals the restart.
    @Test(arguments: [true, false])
    mutating func recognizesRestartedEncoderAheadOfPreviousRun(isRestarted: Bool) throws {
        for end in 6..<10 { try playlist.load(max(0, end - 6)..<end) }
        if isRestarted { playlist.restart() }
        // The encoder restarted at 70 s and has produced eleven segments.
        playlist.began = 70
        let rows = try playlist.load(5..<11)
        #expect(playlist.outcome == .reset)
        #expect(rows.names.filter { $0 != "-" } == (5..<11).map { "\($0).ts" })
        #expect(FollowedPlaylist.starts(rows.filter { !$0.url.isEmpty }) == (5..<11).map { 70 + Double($0 * 6) })
        #expect(rows.first { !$0.url.isEmpty }?.isDiscontinuous == true)
        #expect(try playlist.load(6..<12).names == ["11.ts"])
    }

    @Test(arguments: [true, false]) mutating func continuesEncoderAfterPause(isRestarted: Bool) throws {
        for end in 6..<10 { try playlist.load(max(0, end - 6)..<end) }
        if isRestarted { playlist.restart() }
        #expect(try playlist.load(7..<13).names == ["9.ts", "10.ts", "11.ts", "12.ts"])
        #expect(playlist.outcome == .updated)
        // The encoder recomputes its dates for each load, with a step of half a minute.
        playlist.clock = 30
        #expect(try playlist.load(8..<14).names == ["13.ts"])
    }

    // MARK: - Date ranges

    private func range(_ id: Int, _ more: String = "") -> String {
        "#EXT-X-DATERANGE:ID=\"\(id)\",START-DATE=\"2023-11-14T22:13:20Z\"\(more)"
    }

    private func ranges(_ rows: [RecordedSegment]) -> [[String]] {
        rows.map { row in row.tags.filter { $0.hasPrefix("EXT-X-DATERANGE") }.map { "#" + $0 } }
    }

    @Test mutating func storesDateRangesOutsideNewSegments() throws {
        playlist.lines[5] = range(1)
        #expect(ranges(try playlist.load(0..<6)).last == [range(1)])
        // Adds a date range before an old segment, and updates the other one.
        playlist.lines[3] = range(2, ",DURATION=30")
        playlist.lines[5] = range(1, ",END-DATE=\"2023-11-14T22:14:20Z\"")
        try playlist.load(0..<6, late: 3)
        #expect(ranges(try playlist.load(1..<7)) == [[range(2, ",DURATION=30"), playlist.lines[5] ?? ""]])
        // They are written only once.
        #expect(ranges(try playlist.load(2..<8)) == [[]])
        playlist.restart()
        #expect(ranges(try playlist.load(3..<9)) == [[]])
        // A date range after the last segment is written once, with the next segment.
        let text = playlist.text(3..<9) + range(3) + "\n"
        try playlist.load(text, at: 56)
        playlist.lines[9] = range(3)
        #expect(ranges(try playlist.load(4..<10)) == [[range(3)]])
        #expect(ranges(try playlist.load(5..<11)) == [[]])
    }

    /// Each segment of a long playlist has a date range. There are more than may wait for a row.
    @Test mutating func writesDateRangesOfLongPlaylistOnce() throws {
        for number in 0..<1502 { playlist.lines[number] = range(number) }
        #expect(ranges(try playlist.load(0..<1500)) == (0..<1500).map { [range($0)] })
        #expect(ranges(try playlist.load(1..<1501)) == [[range(1500)]])
        #expect(ranges(try playlist.load(2..<1502)) == [[range(1501)]])
    }

    // MARK: - Numbers out of range

    /// A delta update doesn't describe the segments that it skips (RFC 8216bis §6.2.5.1).
    @Test(arguments: ["9223372036854775807", "4503599627370496", "3"])
    func deltaUpdatesRequireKnownPlaylist(count: String) throws {
        var playlist = playlist
        playlist.header = "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(count)\n"
        #expect(throws: PlaylistReloadError.self) { try playlist.load(10..<12) }
        #expect(playlist.rows.isEmpty)
        playlist.header = ""
        try playlist.load(0..<6)
        playlist.header = "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(count)\n"
        #expect(throws: PlaylistReloadError.self) { try playlist.load(10..<12) }
        #expect(playlist.rows.names == (0..<6).map { "\($0).ts" })
    }

    /// The durations before the playlist's only date add up to more nanoseconds than fit into signed 64 bits.
    @Test mutating func impliedDatesStayWithinBounds() throws {
        func text(_ place: String, count: Int = 110_000, isDated: Bool = true) -> String {
            let segments = (0..<count).map { "#EXTINF:86400,\nhttp://\(place)\($0)\n" }
            return "#EXTM3U\n#EXT-X-TARGETDURATION:86400\n" + segments.dropLast().joined()
                + (isDated ? "#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:20Z\n" : "") + (segments.last ?? "")
        }
        try playlist.load(text("one/"), at: 0)
        #expect(playlist.rows.count == 110_000)
        #expect(playlist.rows.allSatisfy { TimelinePage.starts.contains($0.start) && $0.start > 0 })
        // First the same segments in another folder, then a redundant copy without common segments.
        #expect(try playlist.load(text("two/"), at: 1).isEmpty)
        playlist.isCopy = true
        for count in [110_000, 110_001] {
            #expect(try playlist.load(text("three/x", count: count, isDated: false), at: 2).isEmpty)
        }
    }

    @Test(arguments: [
        "#EXT-X-MEDIA-SEQUENCE:9223372036854775807", "#EXT-X-MEDIA-SEQUENCE:-9223372036854775808",
        "#EXT-X-MEDIA-SEQUENCE:1700000000", "#EXT-X-TARGETDURATION:9223372036854775807",
        "#EXTINF:9223372036,\nhttp://origin.example/a.ts", "#EXTINF:-5,\nhttp://origin.example/a.ts",
        "#EXT-X-PROGRAM-DATE-TIME:1700-01-01T00:00:00Z", "#EXT-X-PROGRAM-DATE-TIME:2260-01-01T00:00:00Z",
        "#EXT-X-PROGRAM-DATE-TIME:nonsense", "#EXT-X-BYTERANGE:9223372036854775807@9223372036854775807",
    ])
    mutating func acceptsAnyNumbers(line: String) throws {
        let odd = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(line)\n#EXTINF:6,\nhttp://origin.example/x.ts\n"
        for time in 0..<3 { try playlist.load(odd, at: Double(time) * 6) }
        try playlist.load(0..<6)
        for time in 6..<9 { try playlist.load(odd, at: Double(time) * 6) }
        try playlist.load(8..<14)
        #expect(playlist.rows.count < 40)
        #expect(playlist.recorded.contains("x.ts") && playlist.recorded.contains("13.ts"))
        #expect(playlist.rows.allSatisfy { $0.duration >= 0 && $0.start > 0 && $0.end < 5_000_000_000_000_000_000 })
    }
}
