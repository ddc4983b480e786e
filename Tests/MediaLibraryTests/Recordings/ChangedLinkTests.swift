import HLS
import Testing

@testable import MediaLibrary

/// Tests of playlists that list the same segments on other hosts, in other folders, or with other session IDs.
struct ChangedLinkTests {
    private var playlist = FollowedPlaylist()

    /// The segment URLs of copies of a playlist: on two hosts, in two folders, and with a token for each load.
    private static let links = [
        ["http://one.example/live/#.ts", "http://two.example/live/#.ts"],
        ["http://origin.example/edge0/#.ts", "http://origin.example/edge1/#.ts"],
        (0..<40).map { "http://origin.example/token-\($0)/#.ts" },
    ]

    /// Expects each segment to be recorded once, without a discontinuity.
    private func expectSegments(_ numbers: Range<Int>, _ location: SourceLocation = #_sourceLocation) {
        #expect(playlist.recorded == numbers.map { "\($0).ts" }, sourceLocation: location)
        #expect(playlist.rows.allSatisfy { !$0.isDiscontinuous }, sourceLocation: location)
        // Without dates, segments that arrive late have later times.
        guard playlist.clock != nil else { return }
        #expect(FollowedPlaylist.starts(playlist.rows) == numbers.map { Double($0 * 6) }, sourceLocation: location)
    }

    // MARK: - Hosts and folders

    /// Every second load returns a copy that is two segments behind.
    @Test(arguments: [0, nil], links)
    mutating func recordsSegmentsOfAlternatingCopiesOnce(clock: Double?, links: [String]) throws {
        playlist.clock = clock
        for load in 0..<40 {
            let lag = load % 2 * 2
            playlist.names = links[load % links.count]
            try playlist.load(2 + load - lag..<8 + load - lag, late: Double(lag * 6))
        }
        expectSegments(2..<46)
    }

    /// A load balancer moves the recorder to a server that is some segments behind.
    @Test(arguments: [0, nil], [2, 5]) mutating func waitsForCopyThatIsBehind(clock: Double?, lag: Int) throws {
        playlist.clock = clock
        playlist.names = Self.links[0][0]
        for end in 6..<12 { try playlist.load(end - 6..<end) }
        playlist.names = Self.links[0][1]
        for end in 12..<30 {
            try playlist.load(end - lag - 6..<end - lag, late: Double(lag * 6))
            if end < 11 + lag { #expect(playlist.outcome == .stale) }
        }
        expectSegments(0..<29 - lag)
    }

    @Test(arguments: [0, nil], links)
    mutating func ignoresOtherCopyOlderThanWindow(clock: Double?, links: [String]) throws {
        playlist.clock = clock
        playlist.names = links[0]
        for end in 6..<30 { try playlist.load(end - 6..<end) }
        playlist.names = links[1]
        #expect(try playlist.load(12..<18, late: 72).isEmpty)
        #expect(playlist.outcome == .stale)
        playlist.names = links[0]
        #expect(try playlist.load(24..<30).names == ["29.ts"])
    }

    /// An encoder that restarts in another folder has had enough time to produce all its segments.
    @Test(arguments: [2, 4, 7]) mutating func restartInOtherFolderIsNewBeginning(count: Int) throws {
        playlist.clock = nil
        playlist.names = Self.links[1][0]
        try playlist.load(0..<6)
        playlist.names = Self.links[1][1]
        playlist.began = 60
        try playlist.load(0..<count)
        #expect(playlist.outcome == .reset)
        #expect(playlist.rows.count { !$0.url.isEmpty } == 6 + count)
        #expect(playlist.rows.first { $0.url.contains("edge1") }?.isDiscontinuous == true)
    }

    // MARK: - Session IDs

    /// Loads three playlists of a session. The next load is of a new session.
    private mutating func switchSession(clock: Double?) throws {
        playlist.clock = clock
        playlist.names = "http://origin.example/live/media_w1_#.ts"
        for end in 6..<9 { try playlist.load(end - 6..<end) }
        playlist.names = "http://origin.example/live/media_w2_#.ts"
        playlist.hasNewLinks = true
    }

    @Test(arguments: [0, nil]) mutating func continuesWithURLsOfNewSession(clock: Double?) throws {
        try switchSession(clock: clock)
        let rows = try playlist.load(4..<10)
        #expect(playlist.outcome == .updated)
        #expect(rows.names == ["media_w2_8.ts", "media_w2_9.ts"])
        #expect(playlist.rows.allSatisfy { !$0.isDiscontinuous })
        // Awaited segments are assigned the new session's URLs.
        #expect(playlist.follower.refreshed(playlist.rows[6])?.url == "http://origin.example/live/media_w2_6.ts")
        playlist.hasNewLinks = false
        #expect(try playlist.load(5..<11).names == ["media_w2_10.ts"])
        #expect(FollowedPlaylist.starts(playlist.rows) == (0..<11).map { Double($0 * 6) })
    }

    @Test(arguments: [0, nil]) mutating func waitsForNewSessionThatIsBehind(clock: Double?) throws {
        try switchSession(clock: clock)
        #expect(try playlist.load(1..<7, late: 12).isEmpty)
        #expect(playlist.outcome == .stale)
        #expect(try playlist.load(3..<9, late: 12).names == ["media_w2_8.ts"])
        #expect(playlist.rows.allSatisfy { !$0.isDiscontinuous })
    }

    /// A new session that doesn't continue the known one.
    struct Beginning: Sendable {
        var hasNewLinks = true
        var target = 6
        var began = 0.0
        var numbers = 4..<10
    }

    @Test(arguments: [
        // The playlist's URL is unchanged.
        Beginning(hasNewLinks: false),
        // One common segment isn't enough.
        Beginning(numbers: 7..<10),
        // The segments have different durations.
        Beginning(target: 5, began: 8),
        // The newest number doesn't match the elapsed time.
        Beginning(began: 60),
    ])
    mutating func otherSessionIsNewBeginning(beginning: Beginning) throws {
        try switchSession(clock: nil)
        playlist.hasNewLinks = beginning.hasNewLinks
        playlist.target = beginning.target
        playlist.began = beginning.began
        try playlist.load(beginning.numbers)
        #expect(playlist.outcome == .reset)
        #expect(playlist.rows.contains { $0.isDiscontinuous })
    }
}
