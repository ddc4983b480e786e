import HLS
import Testing

struct MappingURIsTests {
    @Test func doesNotAddURIs() throws {
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:BYTERANGE=\"1@0\"\n#EXTINF:4,\na.mp4\n"
        let resolved = try #require(try PlaylistParser().parse(media).playlist.media)
            .resolvingURIs(against: "http://h/s/index.m3u8")
        #expect(resolved.segments.map(\.uri) == ["http://h/s/a.mp4"])
        #expect(resolved.segments[0].map?.uri == "")
        let multivariant = "#EXTM3U\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"
        let other = try #require(try PlaylistParser().parse(multivariant).playlist.multivariant)
            .resolvingURIs(against: "http://h/s/index.m3u8")
        #expect(other.iFrameStreams.map(\.uri) == [""])
        #expect(other.variants.map(\.uri) == ["http://h/s/v.m3u8"])
    }
}
