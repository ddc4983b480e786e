import HLS
import Testing

struct RedundantStreamsTests {
    private func streams(_ text: String) throws -> RedundantStreams {
        RedundantStreams(of: try #require(try PlaylistParser().parse("#EXTM3U\n\(text)\n").playlist.multivariant))
    }

    @Test func findsBackupStreamsWithEqualAttributes() throws {
        let streams = try streams(
            """
            #EXT-X-STREAM-INF:BANDWIDTH=1000,CODECS="avc1.4d401e"
            a/low.m3u8
            #EXT-X-STREAM-INF:CODECS="avc1.4d401e",BANDWIDTH=1000
            b/low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2000,CODECS="avc1.4d401e"
            a/high.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2000,CODECS="hvc1.1.6.L93.B0"
            a/hevc.m3u8
            """)
        #expect(streams.playlist.variants.map(\.uri) == ["a/low.m3u8", "a/high.m3u8", "a/hevc.m3u8"])
        #expect(streams.copies == ["a/low.m3u8": ["b/low.m3u8"]])
    }

    @Test func prefersPathwayOfContentSteering() throws {
        let streams = try streams(
            """
            #EXT-X-CONTENT-STEERING:SERVER-URI="/steering",PATHWAY-ID="B"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="A",NAME="English",LANGUAGE="en",URI="a/en.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="A",NAME="Deutsch",LANGUAGE="de",URI="a/de.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="B",NAME="Deutsch",LANGUAGE="de",URI="b/de.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="B",NAME="English",LANGUAGE="en",URI="b/en.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="A",PATHWAY-ID="A"
            a/low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="B",PATHWAY-ID="B"
            b/low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="A",PATHWAY-ID="C"
            c/low.m3u8
            """)
        #expect(streams.playlist.variants.map(\.uri) == ["b/low.m3u8"])
        #expect(
            streams.copies == [
                "b/low.m3u8": ["a/low.m3u8", "c/low.m3u8"], "b/en.m3u8": ["a/en.m3u8"], "b/de.m3u8": ["a/de.m3u8"],
            ])
    }

    @Test func keepsVariantStreamsWithOtherRenditions() throws {
        let streams = try streams(
            """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="stereo",NAME="English",CHANNELS="2",URI="stereo.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="surround",NAME="English",CHANNELS="6",URI="surround.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="muxed",NAME="English",CHANNELS="2"
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="stereo"
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="surround"
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="muxed"
            muxed.m3u8
            """)
        #expect(streams.playlist.variants.count == 3)
        #expect(streams.copies.isEmpty)
    }
}
