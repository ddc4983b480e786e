import HLS
import Testing

struct ResolvedSegmentsTests {
    private func resolved(_ text: String) throws -> [ResolvedSegment] {
        Array(try #require(try PlaylistParser().parse(text).playlist.media).resolvedSegments)
    }

    @Test func numbersSegmentsAndDiscontinuities() throws {
        let segments = try resolved(
            "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-DISCONTINUITY-SEQUENCE:2\n#EXTINF:4,\na\n#EXT-X-DISCONTINUITY\n"
                + "#EXTINF:4.5,\nb\n#EXTINF:4,\nc\n")
        #expect(segments.map(\.mediaSequence) == [7, 8, 9])
        #expect(segments.map(\.discontinuitySequence) == [2, 3, 3])
        #expect(segments.map(\.startNanoseconds) == [0, 4_000_000_000, 8_500_000_000])
    }

    @Test func countsSkippedSegments() throws {
        #expect(try resolved(SamplePlaylists.delta).map(\.mediaSequence) == [102])
    }

    @Test func computesDatesInBothDirections() throws {
        let segments = try resolved(
            "#EXTM3U\n#EXTINF:4,\na\n#EXT-X-PROGRAM-DATE-TIME:2024-01-01T01:00:10+01:00\n#EXTINF:4.25,\nb\n#EXTINF:4,\nc\n"
        )
        #expect(
            segments.map { $0.programDateTime?.text } == [
                "2024-01-01T00:00:06.000Z", "2024-01-01T01:00:10+01:00", "2024-01-01T00:00:14.250Z",
            ])
        #expect(try resolved("#EXTM3U\n#EXTINF:4,\na\n").map(\.programDateTime) == [nil])
    }

    @Test func computesOffsetsAndBitrates() throws {
        let segments = try resolved(
            "#EXTM3U\n#EXT-X-BITRATE:800\n#EXTINF:4,\nx\n#EXTINF:4,\n#EXT-X-BYTERANGE:10@5\na\n#EXTINF:4,\n"
                + "#EXT-X-BYTERANGE:20\na\n#EXTINF:4,\ny\n")
        #expect(segments.map(\.byteRange) == [nil, 5..<15, 15..<35, nil])
        #expect(segments.map(\.bitrate) == [800, nil, nil, 800])
    }

    @Test func appliesKeysUntilReplaced() throws {
        let playlist = try #require(try PlaylistParser().parse(SamplePlaylists.media).playlist.media)
        #expect(
            playlist.segments.map { $0.keys.map(\.method.rawValue) } == [
                ["AES-128"], ["AES-128"], ["AES-128", "SAMPLE-AES"], ["NONE"], ["NONE"],
            ])
        #expect(playlist.segments.allSatisfy { $0.map?.keys.map(\.uri) == ["https://media.example.com/k1"] })
    }

    @Test func derivesInitializationVectors() throws {
        let segments = try resolved(
            "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:258\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:4,\na\n")
        let key = try #require(segments[0].segment.keys.first)
        #expect(segments[0].initializationVector(for: key) == [UInt8](repeating: 0, count: 14) + [1, 2])
        let explicit = EncryptionKey(method: .aes128, uri: "k", iv: HexadecimalSequence("0x0102"))
        #expect(segments[0].initializationVector(for: explicit) == [UInt8](repeating: 0, count: 14) + [1, 2])
    }

    @Test func resolvesURIs() throws {
        let playlist = try #require(try PlaylistParser().parse(SamplePlaylists.media).playlist.media)
        let resolved = playlist.resolvingURIs(against: "https://o/live/index.m3u8")
        #expect(resolved.segments[0].uri == "https://o/live/all.mp4")
        #expect(resolved.segments[0].map?.uri == "https://o/live/init.mp4")
        #expect(resolved.segments[0].keys.map(\.uri) == ["https://media.example.com/k1"])
        #expect(resolved.dateRanges.map { $0.interstitial?.assetURI } == ["https://o/live/ad.m3u8"])
    }
}
