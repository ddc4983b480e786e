import HLS
import Testing

@testable import MediaLibrary

/// Media sequences that begin anew, and what only looks so.
struct TrackBeginningTests {
    private var playlist = FollowedPlaylist()

    private func names(_ rows: [RecordedSegment]) -> [String] { rows.map(FollowedPlaylist.name) }

    private mutating func begin(at time: Double, as names: String) {
        playlist.names = "http://origin.example/live/\(names)"
        playlist.began = time
        playlist.shift = 0
    }

    @Test(arguments: [0, nil]) func aSequenceThatBeginsAnewIsTakenWhole(clock: Double?) throws {
        var test = self
        test.playlist.clock = clock
        test.playlist.shift = 500
        for end in 6..<10 { try test.playlist.load(end - 6..<end) }
        test.begin(at: 66, as: "b#.ts")
        let rows = try test.playlist.load(0..<3)
        #expect(test.playlist.outcome == .reset)
        // From 54 s to 66 s there was nothing.
        #expect(names(rows) == ["-", "-", "b0.ts", "b1.ts", "b2.ts"])
        #expect(rows.map(\.isDiscontinuous) == [false, false, true, false, false])
        #expect(FollowedPlaylist.starts(rows) == [54, 60, 66, 72, 78])
        #expect(names(try test.playlist.load(0..<5)) == ["b3.ts", "b4.ts"])
        // Old copies of before are no further beginning.
        test.begin(at: 0, as: "#.ts")
        test.playlist.shift = 500
        #expect(try test.playlist.load(3..<9, late: 50).isEmpty)
        test.begin(at: 66, as: "b#.ts")
        #expect(names(try test.playlist.load(0..<6)) == ["b5.ts"])
    }

    @Test mutating func anEncoderThatBeginsAnewWithTheSameNamesIsSeenByItsClock() throws {
        for end in 6..<8 { try playlist.load(end - 6..<end) }
        begin(at: 60, as: "#.ts")
        let rows = try playlist.load(0..<2)
        #expect(playlist.outcome == .reset)
        #expect(names(rows) == ["-", "-", "-", "0.ts", "1.ts"])
        #expect(names(try playlist.load(0..<6)) == (2..<6).map { "\($0).ts" })
    }

    @Test(arguments: [8, 200]) func orByItsPlaylistsGrowing(end: Int) throws {
        var test = self
        test.playlist.clock = nil
        for end in 6...end { try test.playlist.load(end - 6..<end) }
        let old = test.playlist.rows.count
        test.begin(at: Double(end) * 6 + 12, as: "#.ts")
        for end in 1..<9 { try test.playlist.load(max(0, end - 6)..<end) }
        let rows = test.playlist.rows.dropFirst(old).filter { !$0.url.isEmpty }
        #expect(rows.map(FollowedPlaylist.name) == (0..<8).map { "\($0).ts" })
        #expect(rows.first?.isDiscontinuous == true)
    }

    @Test(arguments: [7, -500, 0]) func aPlaylistThatOnlyCountsDifferentlyGoesOn(shift: Int) throws {
        var playlist = playlist
        playlist.shift = 500
        try playlist.load(0..<6)
        try playlist.load(1..<7)
        let waiting = playlist.rows[3]
        playlist.shift += shift
        let rows = try playlist.load(2..<9)
        #expect(names(rows) == ["7.ts", "8.ts"])
        #expect(rows.allSatisfy { !$0.isDiscontinuous })
        // Those of before are still there.
        #expect(playlist.follower.present(waiting)?.uri.hasSuffix("/3.ts") == true)
        playlist.restart()
        #expect(names(try playlist.load(3..<10)) == ["9.ts"])
        #expect(playlist.recorded == (0..<10).map { "\($0).ts" })
    }

    @Test mutating func aPlaylistWithoutNumbersGoesOn() throws {
        for end in 6..<20 {
            playlist.shift = 6 - end
            try playlist.load(end - 6..<end)
        }
        #expect(playlist.recorded == (0..<19).map { "\($0).ts" })
        // An old copy of it.
        playlist.shift = -10
        #expect(try playlist.load(10..<16, late: 24).isEmpty)
        playlist.shift = -15
        #expect(names(try playlist.load(15..<21)) == ["19.ts", "20.ts"])
    }

    @Test(arguments: [0, nil]) func aNumberThatIsNoCountIsABeginning(clock: Double?) throws {
        var test = self
        test.playlist.clock = clock
        try test.playlist.load(0..<6)
        test.playlist.shift = 1_700_000_000
        let rows = try test.playlist.load(10..<16)
        #expect(names(rows) == ["-", "-", "-", "-"] + (10..<16).map { "\($0).ts" })
    }

    @Test(arguments: [0, nil]) func twoEncodersThatTakeTurns(clock: Double?) throws {
        var test = self
        test.playlist.clock = clock
        test.playlist.shift = 1000
        for end in 6..<40 {
            let isOther = end / 3 % 2 == 1
            test.playlist.names = isOther ? "http://two.example/#.ts" : "http://one.example/#.ts"
            test.playlist.shift = isOther ? 0 : 1000
            try test.playlist.load(end - 6..<end)
        }
        let urls = test.playlist.rows.map(\.url).filter { !$0.isEmpty }
        #expect(Set(urls).count == urls.count)
        #expect(Set(test.playlist.recorded).isSuperset(of: (0..<39).map { "\($0).ts" }))
    }

    @Test mutating func linksWithOtherFoldersGoOn() throws {
        playlist.names = "http://origin.example/token-1/#.ts"
        playlist.clock = nil
        for end in 6..<9 { try playlist.load(end - 6..<end) }
        playlist.names = "http://origin.example/token-2/#.ts"
        let rows = try playlist.load(4..<10)
        #expect(rows.map(\.url) == ["http://origin.example/token-2/8.ts", "http://origin.example/token-2/9.ts"])
        #expect(playlist.follower.refreshed(playlist.rows[6])?.url == "http://origin.example/token-2/6.ts")
        // So do those with other queries.
        playlist.names = "http://origin.example/token-2/#.ts?a=1"
        #expect(try playlist.load(4..<11).map(\.url) == ["http://origin.example/token-2/10.ts?a=1"])
        #expect(playlist.recorded == (0..<11).map { "\($0).ts" })
    }

    @Test mutating func foldersOfSessionsAreBeginnings() throws {
        playlist.names = "http://origin.example/session-1/#.ts"
        playlist.clock = nil
        try playlist.load(0..<6)
        playlist.names = "http://origin.example/session-2/#.ts"
        playlist.began = 60
        #expect(try playlist.load(0..<7).last?.url == "http://origin.example/session-2/6.ts")
        #expect(playlist.outcome == .reset)
        #expect(playlist.rows.count { !$0.url.isEmpty } == 13)
    }

    // MARK: - After a restart

    @Test(arguments: [0, nil]) func afterARestartNothingIsTakenTwice(clock: Double?) throws {
        var test = self
        test.playlist.clock = clock
        for end in 6..<9 { try test.playlist.load(end - 6..<end) }
        test.playlist.restart()
        #expect(try test.playlist.load(2..<8).isEmpty)
        #expect(names(try test.playlist.load(4..<10)) == ["8.ts", "9.ts"])
        test.playlist.restart()
        let rows = try test.playlist.load(30..<36)
        #expect(names(rows) == Array(repeating: "-", count: 20) + (30..<36).map { "\($0).ts" })
        test.playlist.restart()
        // Right behind gaps.
        #expect(names(try test.playlist.load(31..<37)) == ["36.ts"])
        #expect(FollowedPlaylist.starts(test.playlist.rows) == (0..<37).map { Double($0 * 6) })
    }

    @Test mutating func afterARestartABeginningIsSeen() throws {
        playlist.shift = 100
        for end in 6..<9 { try playlist.load(end - 6..<end) }
        playlist.restart()
        begin(at: 100, as: "b#.ts")
        let rows = try playlist.load(0..<3)
        #expect(rows.filter { !$0.url.isEmpty }.map(FollowedPlaylist.name) == ["b0.ts", "b1.ts", "b2.ts"])
        #expect(rows.first?.state == .gap)
    }

    @Test mutating func aTailThatEndsInGapsGoesOn() throws {
        try playlist.load(0..<6)
        try playlist.load(18..<24)
        // The process was ended while it wrote.
        playlist.rows = Array(playlist.rows.prefix(12))
        playlist.restart()
        let rows = try playlist.load(19..<25)
        #expect(names(rows) == Array(repeating: "-", count: 7) + (19..<25).map { "\($0).ts" })
    }

    @Test mutating func aNameThatMeansAnotherSegmentIsTold() throws {
        for end in 6..<8 { try playlist.load(end - 6..<end) }
        let waiting = playlist.rows[6]
        #expect(
            playlist.follower.present(waiting) != nil
                && !playlist.follower.isReused(waiting, among: playlist.follower.names))
        begin(at: 60, as: "#.ts")
        try playlist.load(0..<6)
        #expect(
            playlist.follower.present(waiting) == nil
                && !playlist.follower.isReused(waiting, among: playlist.follower.names))
        try playlist.load(0..<7)
        #expect(
            playlist.follower.present(waiting) == nil
                && playlist.follower.isReused(waiting, among: playlist.follower.names))
    }
}
