import Foundation
import HLS
import MediaCache
import Testing

@testable import MediaLibrary

struct RecentPlaylistsTests {
    private let recentPlaylists = RecentPlaylists()
    private let url: ResourceURL

    init() throws { url = try ResourceURL("http://origin.example/s/index.m3u8") }

    private func playlist(_ text: String, at url: ResourceURL? = nil) -> LoadedPlaylist {
        let head = ResourceHead(
            length: nil, contentType: "application/vnd.apple.mpegurl", validator: Validator(),
            validatedAt: .distantPast, entityTag: "\"1\"")
        return LoadedPlaylist(bytes: Array(text.utf8), head: head, url: url ?? self.url, kind: .media)
    }

    private func segment(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/s/\(name)") }

    private func note(_ text: String, at second: Int = 0, as url: String? = nil) throws {
        recentPlaylists.note(playlist(text, at: try url.map { try ResourceURL($0) }), at: .seconds(second))
    }

    /// Returns the second since which a name has identified the same segment.
    private func since(_ name: String) throws -> Int64? {
        recentPlaylists.position(of: try segment(name))?.namedSince?.components.seconds
    }

    @Test func returnsFollowingSegments() throws {
        try note(SamplePlaylist.onDemand)
        let position = try #require(recentPlaylists.position(of: try segment("a.ts")))
        #expect(position.isWholeResource)
        #expect(position.namedSince == nil)
        #expect(recentPlaylists.following(position, count: 1).urls == [try segment("b.ts")])
        #expect(recentPlaylists.following(position, count: 9).urls == [try segment("b.ts"), try segment("c.ts")])
        #expect(recentPlaylists.position(of: try segment("d.ts")) == nil)
        #expect(recentPlaylists.position(of: url) == nil)
    }

    @Test func excludesGapsAndByteRanges() throws {
        try note(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXTINF:6,
            a.ts
            #EXTINF:6,
             #EXT-X-GAP
            gone.ts
            #EXTINF:6,#EXT-X-GAP
            #EXT-X-BYTERANGE:100@0
            all.ts
            #EXTINF:6,
            z.ts
            #EXT-X-ENDLIST
            """)
        let position = try #require(recentPlaylists.position(of: try segment("a.ts")))
        #expect(!position.isGap)
        #expect(recentPlaylists.following(position, count: 3).urls == [try segment("z.ts")])
        #expect(recentPlaylists.position(of: try segment("gone.ts"))?.isGap == true)
        let range = try #require(recentPlaylists.position(of: try segment("all.ts")))
        #expect(!range.isWholeResource && !range.isGap)
    }

    @Test func substitutesVariables() throws {
        let text = """
            #EXTM3U
            #EXT-X-DEFINE:IMPORT="host"
            #EXTINF:6,
            http://{$host}/x/a.ts
            #EXTINF:6,
            http://{$host}/x/b.ts
            #EXT-X-ENDLIST
            """
        recentPlaylists.note(playlist(text), variables: ["host": "cdn.example"], at: .zero)
        let position = try #require(recentPlaylists.position(of: try ResourceURL("http://cdn.example/x/a.ts")))
        #expect(recentPlaylists.following(position, count: 1).urls == [try ResourceURL("http://cdn.example/x/b.ts")])
    }

    @Test func forgetsLeastRecentPlaylists() throws {
        for number in 0..<40 {
            let text = "#EXTM3U\n#EXTINF:6,\n\(number).ts\n#EXT-X-ENDLIST\n"
            try note(text, as: "http://origin.example/s/\(number).m3u8")
        }
        #expect(recentPlaylists.position(of: try segment("0.ts")) == nil)
        #expect(recentPlaylists.position(of: try segment("39.ts")) != nil)
    }

    @Test func findsKeysAndInitializationSections() throws {
        try note(
            """
            #EXTM3U
            #EXT-X-KEY:METHOD=AES-128,URI="1.key"
            #EXT-X-MAP:URI="init.mp4"
            #EXTINF:6,
            a.mp4
            #EXT-X-KEY:METHOD=AES-128,URI="1.key"
            #EXT-X-MAP:URI="init.mp4"
            #EXTINF:6,
            b.mp4
            #EXT-X-KEY:METHOD=AES-128,URI="2.key"
            #EXTINF:6,
            c.mp4
            #EXT-X-ENDLIST
            """)
        for name in ["1.key", "2.key"] {
            let key = try #require(recentPlaylists.position(of: try segment(name)))
            #expect(key.kind == .key)
            #expect(recentPlaylists.following(key, count: 2).urls.isEmpty)
        }
        #expect(recentPlaylists.position(of: try segment("init.mp4"))?.kind == .segment)
        let position = try #require(recentPlaylists.position(of: try segment("a.mp4")))
        #expect(position.kind == .segment)
        #expect(recentPlaylists.following(position, count: 2).urls == [try segment("b.mp4"), try segment("c.mp4")])
    }

    @Test func findsSessionKey() throws {
        let text = """
            #EXTM3U
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="all.key"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            low.m3u8
            """
        recentPlaylists.note(playlist(text), at: .zero)
        #expect(recentPlaylists.position(of: try segment("all.key"))?.kind == .key)
        #expect(recentPlaylists.position(of: try segment("low.m3u8")) == nil)
    }

    // MARK: - Live

    /// A restarted encoder also creates new keys and sections.
    @Test func restartedEncoderHasNewKeysAndSections() throws {
        func live(from number: Int, _ names: String...) -> String {
            SamplePlaylist.live(from: number, names).replacing(
                "#EXTINF:6,", with: "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXT-X-MAP:URI=\"map\"\n#EXTINF:6,")
        }
        try note(live(from: 10, "a.mp4"), at: 1)
        try note(live(from: 11, "b.mp4"), at: 2)
        for name in ["key", "map"] { #expect(try since(name) == 1) }
        try note(live(from: 0, "a.mp4"), at: 3)
        for name in ["key", "map"] { #expect(try since(name) == 3) }
    }

    @Test func nameIdentifiesSegmentSinceFirstListing() throws {
        try note(SamplePlaylist.live(from: 10, "a.ts", "b.ts"), at: 1)
        try note(SamplePlaylist.live(from: 10, "a.ts", "b.ts"), at: 2)
        #expect(try since("a.ts") == 1)
        // The name identifies the same segment while its number is unchanged.
        try note(SamplePlaylist.live(from: 11, "b.ts", "c.ts"), at: 3)
        #expect(try since("b.ts") == 1)
        #expect(try since("c.ts") == 3)
        try note(SamplePlaylist.live(from: 12, "c.ts", "b.ts"), at: 4)
        #expect(try since("b.ts") == 4)
    }

    @Test func acceptsOutdatedPlaylist() throws {
        try note(SamplePlaylist.live(from: 10, "a.ts", "b.ts"), at: 1)
        try note(SamplePlaylist.live(from: 11, "b.ts", "c.ts"), at: 2)
        try note(SamplePlaylist.live(from: 10, "a.ts", "b.ts"), at: 3)
        try note(SamplePlaylist.live(from: 11, "b.ts", "c.ts"), at: 4)
        #expect(try since("b.ts") == 1)
        #expect(try since("c.ts") == 2)
    }

    @Test func restartFromZeroHasNewSegments() throws {
        try note(SamplePlaylist.live(from: 0, "a.ts", "b.ts"), at: 1)
        try note(SamplePlaylist.live(from: 5, "c.ts", "d.ts"), at: 2)
        try note(SamplePlaylist.live(from: 0, "a.ts", "b.ts"), at: 3)
        for name in ["a.ts", "b.ts"] { #expect(try since(name) == 3, "\(name)") }
    }

    private func event(_ count: Int) -> String { SamplePlaylist.live(from: 0, (0..<count).map { "\($0).ts" }) }

    /// An event playlist only grows, so a shorter one belongs to another event.
    @Test func shorterEventPlaylistIsAnotherEvent() throws {
        try note(event(6), at: 10)
        try note(event(2), at: 12)
        for name in ["0.ts", "1.ts"] { #expect(try since(name) == 12, "\(name)") }
        // From here on it grows like any event playlist.
        try note(event(3), at: 18)
        #expect(try since("1.ts") == 12)
    }

    /// For a very long event, details of only the newest segments are stored. The others are assumed to date from the
    /// event's first playlist.
    @Test func followsVeryLongEvent() throws {
        try note(event(20_000), at: 10)
        try note(event(20_002), at: 22)
        for name in ["0.ts", "19999.ts"] { #expect(try since(name) == 10, "\(name)") }
        #expect(try since("20001.ts") == 22)
        try note(event(30_000), at: 34)
        #expect(try since("20001.ts") == 22)
        #expect(try since("29999.ts") == 34)
        #expect(try since("30000.ts") == nil)
        try note(event(9000), at: 40)
        for name in ["0.ts", "8999.ts"] { #expect(try since(name) == 40, "\(name)") }
    }

    /// A cache may lag by a segment or two. The event is another one only if all segments of its playlist could have
    /// been written since the last playlist.
    @Test func slightlyShorterEventPlaylistMayBeOutdated() throws {
        try note(event(6), at: 10)
        try note(event(5), at: 12)
        #expect(try since("0.ts") == 10)
        try note(event(6), at: 14)
        try note(event(5), at: 14 + 24)
        #expect(try since("0.ts") == 38)
    }

    /// After a pause that is at most a target duration shorter than the playlist, the encoder may have restarted with
    /// the same names.
    @Test func playlistNoLongerThanPauseMayBeAnotherStream() throws {
        try note(event(4), at: 10)
        try note(event(5), at: 16)
        try note(event(6), at: 22)
        #expect(try since("0.ts") == 10)
        try note(event(6), at: 22 + 29)
        #expect(try since("0.ts") == 10)
        try note(event(6), at: 51 + 30)
        #expect(try since("0.ts") == 81)
        try note(event(20), at: 81 + 114)
        for name in ["5.ts", "19.ts"] { #expect(try since(name) == 195, "\(name)") }
    }

    /// If there are few segments, the time between reloads is a large part of the window.
    @Test func reloadsOfShortWindowAreSameStream() throws {
        for poll in 0..<6 {
            let names = ["\(poll).ts", "\(poll + 1).ts"]
            try note(SamplePlaylist.live(from: poll, names), at: poll * 6)
            #expect(try since(names[1]) == Int64(poll * 6))
            #expect(try since(names[0]) == Int64(max(0, poll - 1) * 6))
        }
    }

    @Test func lowerNumberForNameMakesAllSegmentsNew() throws {
        try note(SamplePlaylist.live(from: 10, "a.ts", "b.ts", "c.ts"), at: 1)
        // The numbers overlap those of the old window, so only the names show the restart.
        try note(SamplePlaylist.live(from: 9, "z.ts", "c.ts", "b.ts"), at: 2)
        for name in ["c.ts", "b.ts"] { #expect(try since(name) == 2, "\(name)") }
    }

    /// A restarted encoder uses the same names, and its window overlaps the old numbers.
    @Test(arguments: [
        ["#EXTINF:6,", "#EXTINF:5.5,"],
        ["#EXTINF:6,", "#EXT-X-DISCONTINUITY\n#EXTINF:6,"],
        [
            "#EXT-X-PROGRAM-DATE-TIME:2024-05-01T10:00:06Z\n#EXTINF:6,",
            "#EXT-X-PROGRAM-DATE-TIME:2024-05-01T10:01:00Z\n#EXTINF:6,",
        ],
    ])
    func changedPropertiesIdentifyAnotherSegment(_ versions: [String]) throws {
        for (second, lines) in versions.enumerated() {
            try note(
                """
                #EXTM3U
                #EXT-X-TARGETDURATION:6
                #EXT-X-MEDIA-SEQUENCE:0
                #EXTINF:6,
                0.ts
                \(lines)
                1.ts
                #EXTINF:6,
                2.ts
                """, at: second)
        }
        for name in ["0.ts", "1.ts", "2.ts"] { #expect(try since(name) == 1, "\(name)") }
    }

    /// Numbers and dates at the limits of their ranges don't overflow.
    @Test(
        arguments: [
            "#EXT-X-SKIP:SKIPPED-SEGMENTS=9223372036854775807\n#EXTINF:6,",
            "#EXT-X-SKIP:SKIPPED-SEGMENTS=4000000000000000000\n#EXTINF:9223372036,",
            "#EXT-X-PROGRAM-DATE-TIME:1678-01-01T00:00:00Z\n#EXTINF:6,",
            "#EXT-X-PROGRAM-DATE-TIME:2262-01-01T00:00:00Z\n#EXTINF:6,",
        ])
    func acceptsExtremeNumbers(lines: String) throws {
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:9223372036854775807\n"
        let dates = ["1678-01-01", "2262-01-01"]
        try note("\(head)\(lines)\na.ts\n")
        for (second, date) in dates.enumerated() {
            try note("\(head)#EXT-X-PROGRAM-DATE-TIME:\(date)T00:00:00Z\n#EXTINF:6,\na.ts\n", at: second + 1)
        }
        #expect(recentPlaylists.position(of: try segment("a.ts")) != nil)
    }

    /// Times derived from rounded durations move slightly with the window.
    @Test func toleratesClockDrift() throws {
        for (second, window) in [(0, "10:00:00.000"), (1, "10:00:05.700"), (2, "10:00:11.900")] {
            let segments = (second..<second + 3).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(second)\n"
            try note("\(head)#EXT-X-PROGRAM-DATE-TIME:2024-05-01T\(window)Z\n\(segments)", at: second)
        }
        #expect(try since("2.ts") == 0)
        #expect(try since("3.ts") == 1)
    }

    /// A server may omit the tag before the first segment of a window.
    @Test func ignoresDiscontinuityOfFirstSegment() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:1\n#EXTINF:6,\n1.ts\n"
        try note(text + "#EXT-X-DISCONTINUITY\n#EXTINF:6,\n2.ts\n", at: 0)
        try note(text.replacing(":1\n#EXTINF:6,\n1.ts", with: ":2\n#EXTINF:6,\n2.ts"), at: 1)
        #expect(try since("2.ts") == 0)
    }

    @Test func keepsNamesWhenStreamEnds() throws {
        try note(SamplePlaylist.live(from: 0, "0.ts"), at: 1)
        try note(SamplePlaylist.live(from: 0, "0.ts", "1.ts") + "#EXT-X-ENDLIST\n", at: 2)
        #expect(try since("0.ts") == 1)
        #expect(try since("1.ts") == 2)
    }

    /// URLs that differ only in delivery directives refer to the same playlist, complete or as a delta update.
    @Test func deliveryDirectivesDoNotChangePlaylist() throws {
        let url = "http://origin.example/s/index.m3u8?token=1"
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n"
        let segments = (0..<8).map { "#EXTINF:6,\n\($0).ts\n" }
        try note(head + segments[..<7].joined(), at: 1, as: url)
        let skip = "#EXT-X-SKIP:SKIPPED-SEGMENTS=5\n"
        try note(head + skip + segments[5...].joined(), at: 2, as: url + "&_HLS_msn=7&_HLS_skip=YES")
        for name in ["0.ts", "6.ts"] { #expect(try since(name) == 1, "\(name)") }
        #expect(try since("7.ts") == 2)
        try note(head + segments.joined(), at: 3, as: url + "&_HLS_msn=7")
        #expect(try since("7.ts") == 2)
        try note("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:50\n#EXTINF:6,\n50.ts\n", at: 4, as: url)
        try note(head + segments[..<3].joined(), at: 5, as: url + "&_HLS_msn=2")
        #expect(try since("2.ts") == 5)
    }

    @Test func identifiesPartsByNumber() throws {
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-PART-INF:PART-TARGET=1\n#EXT-X-MEDIA-SEQUENCE:7\n"
        let parts = "#EXT-X-PART:DURATION=1,URI=\"7.1.mp4\"\n#EXT-X-PART:DURATION=1,URI=\"7.2.mp4\"\n"
        try note(head + parts, at: 1)
        try note(head + parts + "#EXTINF:2,\n7.mp4\n#EXT-X-PART:DURATION=1,URI=\"8.1.mp4\"\n", at: 2)
        #expect(try since("7.2.mp4") == 1)
        for name in ["7.mp4", "8.1.mp4"] { #expect(try since(name) == 2, "\(name)") }
        let part = try #require(recentPlaylists.position(of: try segment("7.2.mp4")))
        #expect(part.isWholeResource)
        // Segments are prefetched, but parts aren't.
        #expect(recentPlaylists.following(part, count: 9).urls == [try segment("7.mp4")])
    }

    @Test func hintIdentifiesFuturePart() throws {
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-PART-INF:PART-TARGET=1\n#EXT-X-MEDIA-SEQUENCE:7\n"
        let part = "#EXT-X-PART:DURATION=1,URI=\"7.1.mp4\"\n"
        try note(head + part + "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"7.2.mp4\"\n", at: 1)
        let gap = "#EXT-X-PART:DURATION=1,URI=\"7.2.mp4\",GAP=YES\n"
        try note(head + part + gap + "#EXT-X-PRELOAD-HINT:TYPE=MAP,URI=\"init.mp4\"\n", at: 2)
        #expect(try since("7.2.mp4") == 1)
        #expect(recentPlaylists.position(of: try segment("7.2.mp4"))?.isGap == true)
        #expect(recentPlaylists.position(of: try segment("init.mp4")) == nil)
    }

    /// A segment whose parts are its byte ranges grows with each part. Its URL counts as reused each time, but the
    /// stream doesn't count as restarted.
    @Test func growingResourceOfPartsIsNotRestart() throws {
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-PART-INF:PART-TARGET=1\n#EXT-X-MEDIA-SEQUENCE:6\n"
        let before = "#EXTINF:2,\n6.mp4\n"
        let parts = (0..<2).map { "#EXT-X-PART:DURATION=1,URI=\"7.mp4\",BYTERANGE=\"100@\($0)00\"\n" }
        try note(head + before + parts[0], at: 1)
        try note(head + before + parts.joined(), at: 2)
        #expect(try since("7.mp4") == 2)
        try note(head + before + parts.joined() + "#EXTINF:2,\n7.mp4\n", at: 3)
        #expect(try since("7.mp4") == 3)
        #expect(try since("6.mp4") == 1)
    }
}

struct URIListTests {
    @Test func storesAllURIs() {
        let long = String(repeating: "l", count: 300)
        var texts = (0..<100).map { "segment\($0 * 7).ts" }
        texts += ["", "", "é", "ê", long, long + "1", long + long, "x", String(repeating: "y", count: 255)]
        texts += (0..<40).map { String(repeating: "z", count: 240 + $0) }
        var list = URIList()
        for text in texts where !list.append(text) { Issue.record("the list has no room for \(text)") }
        #expect(list.count == texts.count)
        for (index, text) in texts.enumerated() { #expect(list[index] == text) }
    }
}
