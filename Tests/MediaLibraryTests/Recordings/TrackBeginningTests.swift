import HLS
import Testing

@testable import MediaLibrary

/// Tests of restarted media sequences, and of playlists that only look restarted.
struct TrackBeginningTests {
    private var playlist = FollowedPlaylist()

    private mutating func begin(at time: Double, as names: String) {
        playlist.names = "http://origin.example/live/\(names)"
        playlist.began = time
        playlist.shift = 0
    }

    @Test(arguments: [0, nil]) mutating func recordsWholePlaylistAfterRestart(clock: Double?) throws {
        playlist.clock = clock
        playlist.shift = 500
        for end in 6..<10 { try playlist.load(end - 6..<end) }
        begin(at: 66, as: "b#.ts")
        let rows = try playlist.load(0..<3)
        #expect(playlist.outcome == .reset)
        // There was no media from 54 s to 66 s.
        #expect(rows.names == ["-", "-", "b0.ts", "b1.ts", "b2.ts"])
        #expect(rows.map(\.isDiscontinuous) == [false, false, true, false, false])
        #expect(FollowedPlaylist.starts(rows) == [54, 60, 66, 72, 78])
        #expect(try playlist.load(0..<5).names == ["b3.ts", "b4.ts"])
        // Copies from before the restart aren't another restart.
        begin(at: 0, as: "#.ts")
        playlist.shift = 500
        #expect(try playlist.load(3..<9, late: 50).isEmpty)
        begin(at: 66, as: "b#.ts")
        #expect(try playlist.load(0..<6).names == ["b5.ts"])
    }

    @Test mutating func recognizesRestartWithSameNamesByClock() throws {
        for end in 6..<8 { try playlist.load(end - 6..<end) }
        begin(at: 60, as: "#.ts")
        let rows = try playlist.load(0..<2)
        #expect(playlist.outcome == .reset)
        #expect(rows.names == ["-", "-", "-", "0.ts", "1.ts"])
        #expect(try playlist.load(0..<6).names == (2..<6).map { "\($0).ts" })
    }

    @Test(arguments: [8, 200]) mutating func recognizesRestartWithSameNamesByGrowingPlaylist(end: Int) throws {
        playlist.clock = nil
        for end in 6...end { try playlist.load(end - 6..<end) }
        let old = playlist.rows.count
        begin(at: Double(end) * 6 + 12, as: "#.ts")
        for end in 1..<9 { try playlist.load(max(0, end - 6)..<end) }
        let rows = playlist.rows.dropFirst(old).filter { !$0.url.isEmpty }
        #expect(rows.names == (0..<8).map { "\($0).ts" })
        #expect(rows.first?.isDiscontinuous == true)
    }

    @Test(arguments: [7, -500, 0]) mutating func continuesPlaylistWithChangedNumbers(shift: Int) throws {
        playlist.shift = 500
        try playlist.load(0..<6)
        try playlist.load(1..<7)
        let waiting = playlist.rows[3]
        playlist.shift += shift
        let rows = try playlist.load(2..<9)
        #expect(rows.names == ["7.ts", "8.ts"])
        #expect(rows.allSatisfy { !$0.isDiscontinuous })
        // The earlier segments are still found.
        #expect(playlist.follower.listedSegment(waiting)?.uri.hasSuffix("/3.ts") == true)
        playlist.restart()
        #expect(try playlist.load(3..<10).names == ["9.ts"])
        #expect(playlist.recorded == (0..<10).map { "\($0).ts" })
    }

    @Test mutating func continuesPlaylistWithoutNumbers() throws {
        for end in 6..<20 {
            playlist.shift = 6 - end
            try playlist.load(end - 6..<end)
        }
        #expect(playlist.recorded == (0..<19).map { "\($0).ts" })
        // An outdated copy of the playlist.
        playlist.shift = -10
        #expect(try playlist.load(10..<16, late: 24).isEmpty)
        playlist.shift = -15
        #expect(try playlist.load(15..<21).names == ["19.ts", "20.ts"])
    }

    @Test(arguments: [0, nil]) mutating func implausibleNumberIsRestart(clock: Double?) throws {
        playlist.clock = clock
        try playlist.load(0..<6)
        playlist.shift = 1_700_000_000
        let rows = try playlist.load(10..<16)
        #expect(rows.names == ["-", "-", "-", "-"] + (10..<16).map { "\($0).ts" })
    }

    @Test(arguments: [0, nil]) mutating func followsAlternatingEncoders(clock: Double?) throws {
        playlist.clock = clock
        playlist.shift = 1000
        for end in 6..<40 {
            let isOther = end / 3 % 2 == 1
            playlist.names = isOther ? "http://two.example/#.ts" : "http://one.example/#.ts"
            playlist.shift = isOther ? 0 : 1000
            try playlist.load(end - 6..<end)
        }
        let urls = playlist.rows.map(\.url).filter { !$0.isEmpty }
        #expect(Set(urls).count == urls.count)
        #expect(Set(playlist.recorded).isSuperset(of: (0..<39).map { "\($0).ts" }))
    }

    @Test mutating func continuesWithURLsInOtherFolders() throws {
        playlist.names = "http://origin.example/token-1/#.ts"
        playlist.clock = nil
        for end in 6..<9 { try playlist.load(end - 6..<end) }
        playlist.names = "http://origin.example/token-2/#.ts"
        let rows = try playlist.load(4..<10)
        #expect(rows.map(\.url) == ["http://origin.example/token-2/8.ts", "http://origin.example/token-2/9.ts"])
        #expect(playlist.follower.refreshed(playlist.rows[6])?.url == "http://origin.example/token-2/6.ts")
        // Other queries don't matter, either.
        playlist.names = "http://origin.example/token-2/#.ts?a=1"
        #expect(try playlist.load(4..<11).map(\.url) == ["http://origin.example/token-2/10.ts?a=1"])
        #expect(playlist.recorded == (0..<11).map { "\($0).ts" })
    }

    // MARK: - After a restart of the process

    @Test(arguments: [0, nil]) mutating func recordsEachSegmentOnceAfterProcessRestart(clock: Double?) throws {
        playlist.clock = clock
        for end in 6..<9 { try playlist.load(end - 6..<end) }
        playlist.restart()
        #expect(try playlist.load(2..<8).isEmpty)
        #expect(try playlist.load(4..<10).names == ["8.ts", "9.ts"])
        playlist.restart()
        let rows = try playlist.load(30..<36)
        #expect(rows.names == Array(repeating: "-", count: 20) + (30..<36).map { "\($0).ts" })
        playlist.restart()
        // The segments recorded before this restart follow a long gap.
        #expect(try playlist.load(31..<37).names == ["36.ts"])
        #expect(FollowedPlaylist.starts(playlist.rows) == (0..<37).map { Double($0 * 6) })
    }

    @Test mutating func recognizesEncoderRestartAfterProcessRestart() throws {
        playlist.shift = 100
        for end in 6..<9 { try playlist.load(end - 6..<end) }
        playlist.restart()
        begin(at: 100, as: "b#.ts")
        let rows = try playlist.load(0..<3)
        #expect(rows.filter { !$0.url.isEmpty }.names == ["b0.ts", "b1.ts", "b2.ts"])
        #expect(rows.first?.state == .gap)
    }

    /// The stream's clock differs. The time between the two processes is measured with the recorder's clock.
    @Test(arguments: [0.0, 7200, -7200]) mutating func continuesPlaylistWithChangedNumbersAfterProcessRestart(
        clock: Double
    ) throws {
        playlist.clock = clock
        playlist.shift = 500
        for end in 6..<8 { try playlist.load(end - 6..<end) }
        playlist.restart()
        playlist.shift += 20
        let rows = try playlist.load(2..<9)
        #expect(rows.names == ["7.ts", "8.ts"])
        #expect(rows.allSatisfy { !$0.isDiscontinuous })
    }

    @Test mutating func continuesTailThatEndsInGaps() throws {
        try playlist.load(0..<6)
        try playlist.load(18..<24)
        // The process ended before all rows were written.
        playlist.rows = Array(playlist.rows.prefix(12))
        playlist.restart()
        let rows = try playlist.load(19..<25)
        #expect(rows.names == Array(repeating: "-", count: 7) + (19..<25).map { "\($0).ts" })
    }

    @Test mutating func detectsReusedName() throws {
        for end in 6..<8 { try playlist.load(end - 6..<end) }
        let waiting = playlist.rows[6]
        #expect(
            playlist.follower.listedSegment(waiting) != nil
                && !playlist.follower.isReused(waiting, among: playlist.follower.names))
        begin(at: 60, as: "#.ts")
        try playlist.load(0..<6)
        #expect(
            playlist.follower.listedSegment(waiting) == nil
                && !playlist.follower.isReused(waiting, among: playlist.follower.names))
        try playlist.load(0..<7)
        #expect(
            playlist.follower.listedSegment(waiting) == nil
                && playlist.follower.isReused(waiting, among: playlist.follower.names))
    }

    // MARK: - Windows that reach back

    /// A backup encoder with other names and numbers takes over. Its window includes recorded segments.
    @Test(arguments: [0, nil], [6, 1200])
    mutating func recordsSegmentsInBackupEncoderWindowOnce(clock: Double?, window: Int) throws {
        playlist.clock = clock
        playlist.shift = 5000
        for end in 1196..<1200 { try playlist.load(end - 6..<end) }
        playlist.names = "http://backup.example/#.ts"
        playlist.shift = 0
        let rows = try playlist.load(1201 - window..<1201)
        #expect(playlist.outcome == .reset)
        #expect(rows.names == ["1199.ts", "1200.ts"])
        #expect(rows.map(\.isDiscontinuous) == [true, false])
        try playlist.load(1202 - window..<1202)
        playlist.restart()
        try playlist.load(1203 - window..<1203)
        #expect(playlist.recorded == (1190..<1203).map { "\($0).ts" })
        #expect(FollowedPlaylist.starts(playlist.rows) == (1190..<1203).map { Double($0 * 6) })
    }

    /// The recorder was off for ten minutes. The backup encoder's window includes the missed segments.
    @Test(arguments: [0, nil]) mutating func backupEncoderWindowFillsOutage(clock: Double?) throws {
        playlist.clock = clock
        playlist.shift = 5000
        for end in 206..<210 { try playlist.load(end - 6..<end) }
        playlist.restart()
        playlist.names = "http://backup.example/#.ts"
        playlist.shift = 0
        try playlist.load(0..<310)
        #expect(playlist.recorded == (200..<310).map { "\($0).ts" })
        #expect(FollowedPlaylist.starts(playlist.rows) == (200..<310).map { Double($0 * 6) })
    }

    /// The first of two encoders takes over again, without new segments at first. Its awaited segments are still found.
    @Test mutating func switchWithoutNewSegmentsKeepsNumbers() throws {
        playlist.shift = 1000
        playlist.names = "http://one.example/#.ts"
        try playlist.load(0..<6)
        playlist.shift = 0
        playlist.names = "http://two.example/#.ts"
        try playlist.load(3..<9)
        playlist.shift = 1000
        playlist.names = "http://one.example/#.ts"
        #expect(try playlist.load(0..<6, late: 20).isEmpty)
        for row in playlist.rows {
            let uri = playlist.follower.listedSegment(row)?.uri
            #expect(uri == nil || uri == row.url)
        }
        #expect(playlist.follower.listedSegment(playlist.rows[4])?.uri == "http://one.example/4.ts")
    }

    /// While the encoder pauses, two caches alternately serve outdated copies.
    @Test(arguments: [nil, 0]) mutating func alternatingOldCopiesAreNotRestart(clock: Double?) throws {
        playlist.clock = clock
        for end in 6..<30 { try playlist.load(end - 6..<end) }
        for load in 0..<40 {
            let end = load % 2 == 0 ? 26 : 24
            let text = playlist.text(end - 6..<end)
            #expect(try playlist.load(text, at: Double(29 * 6 + load * 3)).isEmpty, "load \(load)")
        }
        #expect(try playlist.load(25..<31, late: 120).names == ["29.ts", "30.ts"])
    }

    // MARK: - Names that differ only in their queries

    /// An encoder restarts with lower numbers, so the same path refers to other segments.
    @Test mutating func queriesDistinguishSegments() throws {
        playlist.clock = nil
        playlist.names = "http://origin.example/live.ts?segment=#"
        for end in 106..<110 { try playlist.load(end - 6..<end) }
        let old = playlist.rows.count
        playlist.began = 672
        try playlist.load(0..<3)
        try playlist.load(0..<4)
        let rows = playlist.rows.dropFirst(old).filter { !$0.url.isEmpty }
        #expect(rows.map(\.url) == (0..<4).map { "http://origin.example/live.ts?segment=\($0)" })
        #expect(rows.first?.isDiscontinuous == true)
    }

    @Test mutating func queryThatLeftPlaylistIsNotReused() throws {
        playlist.names = "http://origin.example/live.ts?segment=#"
        try playlist.load(0..<6)
        try playlist.load(6..<12)
        let follower = playlist.follower
        #expect(!follower.isReused(playlist.rows[0], among: follower.names))
    }
}
