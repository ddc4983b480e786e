import HLS
import Testing

struct ReloadScheduleTests {
    @Test func waitsForTargetDurationAfterChangeAndHalfOtherwise() {
        let playlist = MediaPlaylist(targetDuration: 6)
        #expect(playlist.reloadInterval(after: .updated) == .seconds(6))
        #expect(playlist.reloadInterval(after: .reset) == .seconds(6))
        #expect(playlist.reloadInterval(after: .unchanged) == .seconds(3))
        #expect(playlist.reloadInterval(after: .stale) == .seconds(3))
        #expect(playlist.stallInterval == .seconds(9))
    }

    @Test func doesNotReloadEndedPlaylist() {
        var playlist = MediaPlaylist(targetDuration: 6)
        playlist.hasEndList = true
        #expect(playlist.reloadInterval(after: .updated) == nil)
    }

    @Test func requestsNextPartOnlyFromServerWithBlockingReload() throws {
        let live = try #require(try PlaylistParser().parse(SamplePlaylists.lowLatency).playlist.media)
        let directives = live.nextDirectives()
        #expect(directives == DeliveryDirectives(mediaSequence: 102, part: 1, skip: .segments))
        #expect(live.nextDirectives(age: .seconds(13)).skip == nil)
        // A client that doesn't need parts reloads once per segment.
        let whole = live.nextDirectives(includesParts: false)
        #expect(whole == DeliveryDirectives(mediaSequence: 102, skip: .segments))
        #expect(!whole.applied(to: "https://h/p.m3u8").contains("_HLS_part"))
        #expect(MediaPlaylist(targetDuration: 4).nextDirectives().isEmpty)
    }

    @Test func replacesDirectivesInURL() {
        let directives = DeliveryDirectives(mediaSequence: 7, part: 2, skip: .segmentsAndDateRanges)
        let url = directives.applied(to: "https://h/p.m3u8?a=1&_HLS_msn=3&b=%20#f")
        #expect(url == "https://h/p.m3u8?a=1&b=%20&_HLS_msn=7&_HLS_part=2&_HLS_skip=v2#f")
        #expect(DeliveryDirectives(url: url) == directives)
        #expect(DeliveryDirectives.removed(from: url) == "https://h/p.m3u8?a=1&b=%20#f")
        #expect(DeliveryDirectives.removed(from: "https://h/p.m3u8?_HLS_msn=1") == "https://h/p.m3u8")
        #expect(DeliveryDirectives(url: "https://h/p.m3u8?_HLS_part=1") == DeliveryDirectives())
    }
}
