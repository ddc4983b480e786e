import HLS
import Testing

struct PlaylistWriterTests {
    private func version(_ lines: String) throws -> Int {
        switch try PlaylistParser().parse("#EXTM3U\n" + lines).playlist {
        case .media(let playlist): playlist.requiredVersion
        case .multivariant(let playlist): playlist.requiredVersion
        }
    }

    @Test(arguments: [
        ("#EXTINF:4,\na", 1), ("#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:4,\na", 1),
        ("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x1\n#EXTINF:4,\na", 2), ("#EXTINF:4.0,\na", 3),
        ("#EXTINF:4,\n#EXT-X-BYTERANGE:1@0\na", 4), ("#EXT-X-I-FRAMES-ONLY\n#EXTINF:4,\na", 4),
        ("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:4,\na", 5),
        ("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"identity\"\n#EXTINF:4,\na", 5),
        ("#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI=\"m\"\n#EXTINF:4,\na", 5), ("#EXT-X-MAP:URI=\"m\"\n#EXTINF:4,\na", 6),
        ("#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"g\",NAME=\"n\",INSTREAM-ID=\"SERVICE1\"", 7),
        ("#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n#EXTINF:4,\na", 8),
        ("#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n#EXTINF:4,\na", 9),
        ("#EXT-X-SKIP:SKIPPED-SEGMENTS=1,RECENTLY-REMOVED-DATERANGES=\"a\"\n#EXTINF:4,\na", 10),
        ("#EXT-X-DEFINE:QUERYPARAM=\"a\"\n#EXTINF:4,\na", 11),
        ("#EXT-X-STREAM-INF:BANDWIDTH=1,REQ-VIDEO-LAYOUT=\"CH-STEREO\"\na", 12),
    ])
    func writesLowestRequiredVersion(_ lines: String, _ expected: Int) throws {
        #expect(try version(lines) == expected)
    }

    /// Chromium doesn't reload a playlist without EXT-X-MEDIA-SEQUENCE.
    @Test func writesMediaSequence0OfPlaylistThatMayGrow() {
        var playlist = MediaPlaylist(targetDuration: 4)
        let tag = "#EXT-X-MEDIA-SEQUENCE:0\n"
        #expect(PlaylistWriter().text(.media(playlist)).contains(tag))
        playlist.type = .event
        #expect(PlaylistWriter().text(.media(playlist)).contains(tag))
        playlist.hasEndList = true
        #expect(!PlaylistWriter().text(.media(playlist)).contains(tag))
    }

    @Test func omitsVersion1() {
        var playlist = MediaPlaylist(targetDuration: 4)
        playlist.version = 7
        playlist.hasEndList = true
        playlist.segments = [MediaSegment(uri: "a", duration: DecimalValue(4))]
        #expect(
            PlaylistWriter().text(.media(playlist))
                == "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n#EXT-X-ENDLIST\n")
        #expect(PlaylistWriter(version: .declared).text(.media(playlist)).contains("#EXT-X-VERSION:7\n"))
    }

    @Test func writesMapWhileItsKeysAreInForce() throws {
        let text = """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-TARGETDURATION:4
            #EXT-X-MEDIA-SEQUENCE:0
            #EXT-X-KEY:METHOD=AES-128,URI="a"
            #EXT-X-MAP:URI="m"
            #EXT-X-KEY:METHOD=AES-128,URI="b"
            #EXTINF:4,
            1
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:4,
            2
            #EXT-X-MAP:URI="n"
            #EXT-X-KEY:METHOD=AES-128,URI="c"
            #EXTINF:4,
            3

            """
        #expect(PlaylistWriter().text(try PlaylistParser().parse(text).playlist) == text)
    }

    @Test func encodesLineEndingsInText() throws {
        var playlist = MediaPlaylist(targetDuration: 4)
        var segment = MediaSegment(uri: "a\n#EXT-X-ENDLIST", duration: DecimalValue(4))
        segment.title = "t\r\nx"
        segment.tags = [.unknown(UnknownTag(name: "EXT-X-A\nB", value: "c\nd"))]
        playlist.segments = [segment]
        let read = try #require(try PlaylistParser().parse(PlaylistWriter().bytes(.media(playlist))).playlist.media)
        #expect(read.segments.map(\.uri) == ["a%0A#EXT-X-ENDLIST"])
        #expect(!read.hasEndList)
    }

    @Test func roundTripsGeneratedPlaylists() throws {
        var generator = PlaylistGenerator(seed: 42)
        for index in 0..<500 {
            let playlist = generator.next()
            let text = PlaylistWriter(version: .declared).text(playlist)
            let parsed = try PlaylistParser().parse(text)
            #expect(parsed.playlist == playlist, "\(index):\n\(text)")
            #expect(PlaylistWriter(version: .declared).text(parsed.playlist) == text)
        }
    }

    @Test func roundTripsSamplePlaylists() throws {
        for sample in SamplePlaylists.all {
            let context = PlaylistContext(playlistURL: "http://h/?token=t")
            try expectIdentity(try PlaylistParser(context: context).parse(sample), sample)
        }
    }

    /// The order of keys and maps determines which keys encrypt a map.
    @Test func preservesOrderOfKeysAndMaps() throws {
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI=\"m\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:4,\na\n"
        var playlist = try #require(try PlaylistParser().parse(text).playlist.media)
        var map = try #require(playlist.segments[0].map)
        map.keys = playlist.segments[0].keys
        playlist.segments[0].map = map
        let written = PlaylistWriter(version: .declared).bytes(.media(playlist))
        #expect(try PlaylistParser().parse(written).playlist == .media(playlist))
    }
}
