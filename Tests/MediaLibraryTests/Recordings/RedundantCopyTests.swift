import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of recording streams with redundant variant streams and pathways.
@Suite(.timeLimit(.minutes(20)))
struct RedundantCopyTests {
    private func fixture(_ change: (LiveOrigin) -> Void = { _ in }) async throws -> RecordingFixture {
        try await RecordingFixture.afterRecording(60) { live in
            live.backups = [("backup", 500)]
            change(live)
        }
    }

    /// Returns the number of requests in a folder.
    private func requests(_ fixture: RecordingFixture, at place: String) -> Int {
        fixture.live.library.origin.requests.count { $0.url.description.contains("/\(place)/") }
    }

    @Test func recordsEachRenditionOnce() async throws {
        let fixture = try await RecordingFixture.opened { $0.backups = [("backup", 500)] }
        try await fixture.record { $0.selection = StreamSelection(variants: .all, audio: .all) }
        try await fixture.pass(60)
        #expect(try fixture.recording.timelines.map(\.track) == ["video-1", "video-2", "audio-1"])
        // Segments of `v2` don't exist, so its copy may be requested.
        #expect(requests(fixture, at: "backup/v1") == 0)
        #expect(requests(fixture, at: "backup/a1") == 0)
        try await fixture.check { _ in true }
        await fixture.close()
    }

    enum Failure: CaseIterable {
        case playlistNotFound, playlistUnreachable, playlistStale, segmentsNotFound, segmentsFail, segmentsAreTruncated
    }

    private func fail(_ failure: Failure, _ live: LiveOrigin, at place: String) {
        for folder in live.folders {
            switch failure {
            case .playlistNotFound: live.fail(live.playlist(folder, at: place), .status(404))
            case .playlistUnreachable: live.fail(live.playlist(folder, at: place), .unreachable)
            case .playlistStale: live.updatesOwnPlaylists = false
            case .segmentsNotFound, .segmentsFail, .segmentsAreTruncated:
                let fault: ScriptedFault =
                    failure == .segmentsNotFound
                    ? .status(404) : failure == .segmentsFail ? .status(503) : .reset(after: 300)
                for number in live.next..<live.next + 30 {
                    live.fail(live.segment(number, in: folder, at: place), fault)
                }
            }
        }
    }

    @Test(arguments: Failure.allCases, [0, nil])
    func failsOverWithoutGapOrDuplicate(failure: Failure, clock: Double?) async throws {
        let fixture = try await fixture { $0.clock = clock }
        #expect(requests(fixture, at: "backup") == 0)
        fail(failure, fixture.live, at: "live")
        try await fixture.pass(120)
        #expect(try await fixture.gapCount("video-1") == 0)
        #expect(try await fixture.gapCount("audio-1") == 0)
        try await fixture.check("video-1", in: "v1") { _ in true }
        try await fixture.check("audio-1", in: "a1") { _ in true }
        let rows = try await fixture.rows("video-1")
        #expect(rows.allSatisfy { $0.state == .stored && !$0.isDiscontinuous })
        // When the other copy fails too, the recorder returns to the first.
        fixture.live.updatesOwnPlaylists = true
        fixture.live.clearFaults()
        for folder in fixture.live.folders {
            fixture.live.fail(fixture.live.playlist(folder, at: "backup"), .unreachable)
        }
        let before = requests(fixture, at: "live")
        try await fixture.pass(60)
        #expect(requests(fixture, at: "live") > before)
        #expect(try await fixture.gapCount("video-1") == 0)
        try await fixture.check("video-1", in: "v1") { _ in true }
        await fixture.close()
    }

    @Test func startsWithRespondingCopy() async throws {
        let fixture = try await RecordingFixture.opened { $0.backups = [("backup", 500)] }
        for folder in fixture.live.folders { fixture.live.fail(fixture.live.playlist(folder), .unreachable) }
        try await fixture.record()
        try await fixture.pass(60)
        #expect(await (try fixture.recording).state == .recording)
        try await fixture.check { _ in true }
        await fixture.close()
    }

    @Test func continuesWithAnotherCopyInNextProcess() async throws {
        let fixture = try await fixture()
        fail(.playlistNotFound, fixture.live, at: "live")
        try await fixture.pass(30)
        await fixture.close()
        fixture.live.clearFaults()
        try await fixture.open()
        try await fixture.pass(60)
        try await fixture.checkComplete()
        await fixture.close()
    }

    /// The reloaded multivariant playlist lists the copies in another order, or without the one in use.
    @Test(arguments: [true, false], [0, nil])
    func continuesAfterReloadOfMultivariantPlaylist(isStillListed: Bool, clock: Double?) async throws {
        let fixture = try await fixture { $0.clock = clock }
        let live = fixture.live
        let followed = await (try fixture.recording).followedURLs
        if isStillListed {
            (live.place, live.shift, live.backups) = ("backup", 500, [("live", 0)])
        } else {
            (live.place, live.shift, live.backups) = ("third", 900, [("backup", 500)])
            live.renewLinks()
        }
        live.publish()
        try await (try fixture.recording).findTracks()
        try await fixture.pass(60)
        #expect(await ((try fixture.recording).followedURLs == followed) == isStillListed)
        if isStillListed { #expect(requests(fixture, at: "backup") == 0) }
        for (track, folder) in ["video-1": "v1", "audio-1": "a1"] {
            try await fixture.check(track, in: folder) { _ in true }
            let rows = try await fixture.rows(track)
            #expect(rows.allSatisfy { $0.state == .stored && !$0.isDiscontinuous })
        }
        await fixture.close()
    }

    @Test func segmentMissingFromAllCopiesIsGap() async throws {
        let fixture = try await fixture()
        let lost = fixture.live.next
        for place in ["live", "backup"] { fixture.live.fail(fixture.live.segment(lost, at: place), .status(404)) }
        try await fixture.pass(120)
        #expect(try await fixture.gapCount() == 1)
        let url = fixture.live.segment(lost)
        try await fixture.check { $0.url != url }
        await fixture.close()
    }
}

/// Tests of a follower that continues with another copy of its playlist.
struct JoinedCopyTests {
    private var playlist = FollowedPlaylist()

    private mutating func switchToCopy(shift: Int, names: String = "http://backup.example/other/#.ts") {
        playlist.names = names
        playlist.shift = shift
        playlist.isCopy = true
    }

    @Test(arguments: [-3, 0, 3, 5000]) mutating func matchesByDate(shift: Int) throws {
        try playlist.load(0..<6)
        switchToCopy(shift: shift, names: "http://backup.example/other/b#.ts")
        #expect(try playlist.load(2..<8).names == ["b6.ts", "b7.ts"])
        #expect(FollowedPlaylist.starts(playlist.rows) == (0..<8).map { Double($0 * 6) })
        #expect(playlist.rows.allSatisfy { $0.state == .awaited && !$0.isDiscontinuous })
        #expect(try playlist.load(3..<9).names == ["b8.ts"])
        // Awaited segments can still be found at the copy's URLs.
        let row = playlist.rows[3]
        #expect(playlist.follower.refreshed(row)?.url == "http://backup.example/other/b3.ts")
        #expect(playlist.follower.refreshed(playlist.rows[1]) == nil)
    }

    @Test mutating func waitsForCopyThatIsBehind() throws {
        try playlist.load(0..<12)
        switchToCopy(shift: 100, names: "http://backup.example/other/b#.ts")
        #expect(try playlist.load(2..<10, late: 12).isEmpty)
        #expect(playlist.outcome == .stale)
        #expect(try playlist.load(4..<13).names == ["b12.ts"])
    }

    @Test mutating func segmentsMissingFromCopyAreGaps() throws {
        try playlist.load(0..<6)
        switchToCopy(shift: 100, names: "http://backup.example/other/b#.ts")
        let rows = try playlist.load(9..<15)
        #expect(rows.names == ["-", "-", "-"] + (9..<15).map { "b\($0).ts" })
        #expect(FollowedPlaylist.starts(rows) == (6..<15).map { Double($0 * 6) })
    }

    @Test(arguments: [2.0, -2]) mutating func continuesAtNearestSegmentBoundary(offset: Double) throws {
        try playlist.load(0..<6)
        switchToCopy(shift: 0, names: "http://backup.example/other/b#.ts")
        playlist.clock = offset
        #expect(try playlist.load(2..<8).names == ["b6.ts", "b7.ts"])
    }

    @Test(arguments: ["http://backup.example/other/#.ts", "http://backup.example/other/b#.ts"])
    mutating func matchesByNameOrArrivalWithoutDates(names: String) throws {
        playlist.clock = nil
        try playlist.load(0..<6)
        switchToCopy(shift: 70, names: names)
        if names.contains("/b#") {
            // Until a new segment appears, the copy may have ended long ago.
            #expect(try playlist.load(1..<7).isEmpty)
            #expect(playlist.outcome == .stale)
        }
        let rows = try playlist.load(2..<8)
        #expect(rows.map(\.originSequence) == [76, 77])
        #expect(FollowedPlaylist.starts(playlist.rows) == (0..<8).map { Double($0 * 6) })
        // Without a common name, the timestamps may not be continuous.
        #expect(rows.map(\.isDiscontinuous) == [names.contains("/b#"), false])
    }
}
