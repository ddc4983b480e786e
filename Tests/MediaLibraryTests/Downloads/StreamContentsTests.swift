import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

struct StreamContentsTests {
    private func contents(
        _ playlists: KeyValuePairs<String, String>, _ selection: StreamSelection = StreamSelection()
    ) async throws -> AssetContents {
        let contents = try await PlannedStream(playlists).contents(selection)
        #expect(contents.unresolved == [])
        return contents
    }

    private func contents(_ lines: String...) async throws -> AssetContents {
        try await contents(["a.m3u8": PlannedStream.media(lines.joined(separator: "\n"))])
    }

    @Test func acceptsAnyBandwidth() async throws {
        let media = PlannedStream.media("#EXTINF:4,", "1.ts")
        let contents = try await contents(
            [
                "a.m3u8": """
                #EXTM3U
                #EXT-X-STREAM-INF:BANDWIDTH=9223372036854775807
                b.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=9223372036854775806
                c.m3u8

                """, "b.m3u8": media, "c.m3u8": media,
            ], StreamSelection(variants: .all))
        #expect(contents.playlists.count == 3)
    }

    @Test func mediaPlaylistIsEntry() async throws {
        let contents = try await contents("#EXTINF:4,", "1.ts?t=1", "#EXTINF:6,One", "http://other/x/2.ts")
        #expect(contents.entry == "index.m3u8")
        #expect(contents.parts.map(\.name) == ["media-1/000001.ts", "media-1/000002.ts"])
        #expect(contents.parts.map(\.url) == ["http://h/s/1.ts?t=1", "http://other/x/2.ts"])
        #expect(contents.parts.map(\.start) == [0, 4])
        #expect(contents.parts.map(\.duration) == [4, 6])
        #expect(contents.duration == 10)
        let text = try #require(contents.text("index.m3u8"))
        #expect(text.contains("#EXTINF:6,One\nmedia-1/000002.ts\n#EXT-X-ENDLIST"))
        #expect(!text.contains("://"))
    }

    /// A byte range without an offset follows the previous range of the same resource (RFC 8216bis §4.4.4.2).
    @Test func rangesOfOneResourceShareName() async throws {
        let contents = try await contents(
            "#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"700@0\"", "#EXTINF:4,", "#EXT-X-BYTERANGE:100@700", "all.mp4",
            "#EXTINF:4,", "#EXT-X-GAP", "#EXT-X-BYTERANGE:50@800", "all.mp4", "#EXTINF:4,", "#EXT-X-BYTERANGE:50@850",
            "all.mp4", "#EXTINF:4,", "#EXT-X-BYTERANGE:7", "all.mp4")
        #expect(Set(contents.parts.map(\.name)) == ["media-1/000001.mp4"])
        #expect(contents.parts.map(\.range) == [0..<700, 700..<800, 850..<900, 900..<907])
        #expect(contents.parts.map(\.role) == [.initializationSection, .mediaSegment, .mediaSegment, .mediaSegment])
        let again = try PlaylistParser().parse(Array(try #require(contents.text("index.m3u8")).utf8)).playlist.media
        let ranges = try #require(again).resolvedSegments.map(\.byteRange)
        #expect(ranges == [700..<800, nil, 850..<900, 900..<907])
    }

    @Test func omitsSegmentsWithEmptyRange() async throws {
        let contents = try await contents(
            "#EXTINF:4,", "#EXT-X-BYTERANGE:100@0", "all.ts", "#EXTINF:4,", "#EXT-X-BYTERANGE:0@0", "all.ts",
            "#EXTINF:4,", "#EXT-X-BYTERANGE:0", "all.ts")
        #expect(contents.parts.map(\.range) == [0..<100])
    }

    @Test func listsKeysBeforeSegments() async throws {
        let contents = try await contents(
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k?1\"", "#EXTINF:4,", "1.ts",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"/keys/k\",IV=0x000102030405060708090A0B0C0D0E0F", "#EXTINF:4,", "2.ts",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k?1\"", "#EXTINF:4,", "3.ts", "#EXT-X-KEY:METHOD=NONE", "#EXTINF:4,",
            "4.ts")
        #expect(contents.parts.map(\.role.rawValue).prefix(3) == ["key", "key", "mediaSegment"])
        #expect(contents.parts.filter { $0.role == .key }.map(\.url) == ["http://h/s/k?1", "http://h/keys/k"])
        #expect(contents.parts.filter { $0.role == .mediaSegment }.map(\.isEncrypted) == [true, true, true, false])
        let text = try #require(contents.text("index.m3u8"))
        #expect(text.components(separatedBy: "media-1/key-1.key.ts").count == 3)
        #expect(text.contains("IV=0x000102030405060708090A0B0C0D0E0F"))
    }

    /// If the initialization vectors are media sequence numbers, the numbers must not change (RFC 8216bis §5.2).
    @Test func keepsMediaSequence() async throws {
        let contents = try await contents(
            "#EXT-X-MEDIA-SEQUENCE:258", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "#EXTINF:4,", "1.ts")
        #expect(contents.text("index.m3u8")?.contains("#EXT-X-MEDIA-SEQUENCE:258") == true)
    }

    /// A DRM system provides keys itself, and a key in the playlist needs no request. ffmpeg ignores KEYFORMAT, and
    /// would request a key with an HTTP URL.
    @Test func keepsKeysThatNeedNoRequest() async throws {
        let contents = try await PlannedStream([
            "a.m3u8": PlannedStream.media(
                "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"https://licence/x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
                "#EXTINF:4,", "1.ts", "#EXT-X-KEY:METHOD=AES-128,URI=\"data:;base64,AAAAAAAAAAAAAAAAAAAAAA==\"",
                "#EXTINF:4,", "2.ts", "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple\"",
                "#EXTINF:4,", "3.ts")
        ]).contents()
        #expect(contents.parts.map(\.role) == [.mediaSegment, .mediaSegment, .mediaSegment])
        #expect(contents.parts.map(\.isEncrypted) == [false, true, true])
        #expect(contents.notes.map(\.text).contains { $0.contains("com.apple.streamingkeydelivery") })
        let text = try #require(contents.text("index.m3u8"))
        #expect(!text.contains("https://licence/x"))
        #expect(text.contains("URI=\"data:;base64,AAAAAAAAAAAAAAAAAAAAAA==\"") && text.contains("URI=\"skd://x\""))
    }

    @Test func listsEachInitializationSectionOnce() async throws {
        let contents = try await contents(
            "#EXT-X-MAP:URI=\"x/init.mp4\"", "#EXTINF:4,", "x/1.m4s", "#EXTINF:4,", "x/1.m4s", "#EXT-X-DISCONTINUITY",
            "#EXT-X-MAP:URI=\"y/init.mp4\"", "#EXTINF:4,", "y/1.m4s", "#EXT-X-DISCONTINUITY",
            "#EXT-X-MAP:URI=\"x/init.mp4\"", "#EXTINF:4,", "x/1.m4s")
        #expect(
            contents.parts.map(\.name) == [
                "media-1/init-1.mp4", "media-1/init-2.mp4", "media-1/000001.m4s", "media-1/000002.m4s",
            ])
        #expect(contents.parts.map(\.url).suffix(2) == ["http://h/s/x/1.m4s", "http://h/s/y/1.m4s"])
        #expect(contents.duration == 16)
    }

    @Test func skipsGaps() async throws {
        let contents = try await contents(
            "#EXTINF:4,", "1.ts", "#EXTINF:4,", "#EXT-X-GAP", "2.ts", "#EXTINF:4,", "3.ts")
        #expect(contents.parts.map(\.url) == ["http://h/s/1.ts", "http://h/s/3.ts"])
        #expect(contents.parts.map(\.start) == [0, 8])
        #expect(contents.text("index.m3u8")?.contains("#EXT-X-GAP\n#EXTINF:4,\ngap.ts\n") == true)
        #expect(contents.notes.count == 1)
    }

    @Test func substitutesVariables() async throws {
        let contents = try await contents([
            "a.m3u8": """
            #EXTM3U
            #EXT-X-DEFINE:NAME="path",VALUE="low"
            #EXT-X-DEFINE:NAME="token",VALUE="secret"
            #EXT-X-STREAM-INF:BANDWIDTH=1000
            {$path}/index.m3u8

            """,
            "low/index.m3u8": PlannedStream.media("#EXT-X-DEFINE:IMPORT=\"token\"", "#EXTINF:4,", "1.ts?{$token}"),
        ])
        #expect(contents.parts.map(\.url) == ["http://h/s/low/1.ts?secret"])
        #expect(contents.playlists.map(\.name) == ["index.m3u8", "video-1/index.m3u8"])
        #expect(!contents.playlists.contains { $0.text.contains("DEFINE") || $0.text.contains("secret") })
    }

    /// References resolve against the URL after redirects (RFC 3986 §5.1.3).
    @Test func resolvesAgainstRedirectedURL() async throws {
        let stream = try PlannedStream(["a.m3u8": ""])
        let moved = try ResourceURL("http://cdn/v7/a.m3u8")
        stream.fixture.serve(PlannedStream.media("#EXTINF:4,", "seg/1.ts"), at: moved)
        stream.fixture.origin.always(stream.entry, .redirect(to: "http://cdn/v7/a.m3u8"))
        let contents = try await stream.contents()
        #expect(contents.parts.map(\.url) == ["http://cdn/v7/seg/1.ts"])
        #expect(contents.playlists.map(\.url) == ["http://h/s/a.m3u8"])
    }

    /// Rewritten playlists contain no references to the origin.
    @Test func removesTagsWithReferencesToOrigin() async throws {
        let contents = try await contents([
            "a.m3u8": """
            #EXTM3U
            #EXT-X-SESSION-DATA:DATA-ID="title",VALUE="A film"
            #EXT-X-SESSION-DATA:DATA-ID="page",VALUE="https://h/page"
            #EXT-X-SESSION-DATA:DATA-ID="more",URI="more.json"
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="key"
            #EXT-X-IMAGE-STREAM-INF:BANDWIDTH=1,URI="images/index.m3u8"
            #EXT-X-CONTENT-STEERING:SERVER-URI="https://h/steering"
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=100,URI="iframes.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1000
            v.m3u8

            """,
            "v.m3u8": PlannedStream.media(
                "#EXT-X-VENDOR:https://h/x", "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z",
                "#EXT-X-DATERANGE:ID=\"1\",START-DATE=\"2026-01-01T00:00:00Z\",X-ASSET-LIST=\"list.json\"",
                "#EXT-X-DATERANGE:ID=\"2\",START-DATE=\"2026-01-01T00:00:00Z\",X-LINK=\"https://h/ad\"",
                "#EXT-X-DATERANGE:ID=\"3\",START-DATE=\"2026-01-01T00:00:00Z\",DURATION=2",
                "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"", "#EXTINF:4 x=\"https://h/logo\",https://h/title", "1.ts"),
        ])
        #expect(contents.playlists.allSatisfy { !$0.text.contains("://") })
        let entry = try #require(contents.text("index.m3u8"))
        #expect(entry.contains("A film") && entry.contains("data/1.json") && entry.contains("video-1/key-1.key.ts"))
        #expect(!entry.contains("IMAGE") && !entry.contains("I-FRAME") && !entry.contains("STEERING"))
        let media = try #require(contents.text("video-1/index.m3u8"))
        #expect(media.components(separatedBy: "#EXT-X-DATERANGE").count == 2)
        #expect(media.contains("#EXT-X-PROGRAM-DATE-TIME"))
        #expect(contents.parts.map(\.role) == [.key, .mediaSegment, .other])
    }

    @Test func distinguishesEqualNamesInDifferentFolders() async throws {
        let contents = try await contents("#EXTINF:4,", "a/seg.ts", "#EXTINF:4,", "b/seg.ts", "#EXTINF:4,", "seg.ts?x")
        #expect(Set(contents.parts.map(\.name)).count == 3)
        #expect(contents.parts.map(\.url) == ["http://h/s/a/seg.ts", "http://h/s/b/seg.ts", "http://h/s/seg.ts?x"])
    }

    /// Parts have the file name extensions that players expect, whatever the origin's extensions are.
    @Test func partNamesHaveExpectedExtensions() async throws {
        let contents = try await contents(
            "#EXTINF:4,", "1.php?x=.ts", "#EXTINF:4,", "2.jpg", "#EXTINF:4,", "3.AAC", "#EXT-X-MAP:URI=\"i\"",
            "#EXTINF:4,", "4.cmfv", "#EXTINF:4,", "5")
        #expect(
            contents.parts.map(\.name) == [
                "media-1/init-1.mp4", "media-1/000001.ts", "media-1/000002.ts", "media-1/000003.aac",
                "media-1/000004.m4s", "media-1/000005.m4s",
            ])
    }

    @Test(arguments: [("film.MP4?x=1", "file.mp4"), ("film.php", "file"), ("film", "file"), ("song.mp3", "file.mp3")])
    func fileHasOnePart(path: String, name: String) throws {
        let contents = AssetContents(file: try ResourceURL("http://h/\(path)"))
        #expect(contents.parts.map(\.name) == [name])
        #expect(contents.entry == name)
    }

    @Test func throwsWithoutSegments() async throws {
        for text in [PlannedStream.media(), "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"x\"\n"] {
            let stream = try PlannedStream(["a.m3u8": text])
            let error = await #expect(throws: CacheError.self) { try await stream.contents() }
            #expect(error?.code == .notMedia)
        }
    }

    @Test func acceptsRangesThatOverflow() async throws {
        let contents = try await PlannedStream([
            "a.m3u8": PlannedStream.media(
                "#EXT-X-MAP:URI=\"i.mp4\",BYTERANGE=\"9223372036854775807@9223372036854775807\"", "#EXTINF:4,",
                "#EXT-X-BYTERANGE:9223372036854775807@9223372036854775807", "1.mp4")
        ]).contents()
        #expect(contents.parts.count == 2)
    }
}
