import MediaContainers
import PacketOracles
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct PackedAudioOracleTests {
    @Test(
        arguments: try OracleComparison.paths([".aac", ".adts", ".ac3", ".ec3", ".mp3"]) { $0.contains("ts-raw-aac") })
    func matchesPacketsOfFFprobe(path: String) throws {
        var comparison = try OracleComparison(path)
        let actual = try PackedAudioRecording(path)
        comparison.tracks(actual.output.tracks)
        for (sample, bytes) in actual.output.samples {
            bytes.withUnsafeBytes { comparison.sample(sample, bytes: $0) }
        }
        comparison.expect()
        for picture in comparison.oracle.artwork {
            let data = try #require(actual.demuxer.picture?.data)
            #expect(picture.packets.map(\.checksum) == [data.withUnsafeBytes { CRC32.checksum($0) }])
        }
        #expect(actual.output.diagnostics.isEmpty)
    }

    @Test(arguments: [1, 13, 4096]) func resultIsIndependentOfBufferSize(size: Int) throws {
        let path = "androidx-media/media/ts/sample_with_id3.adts"
        let whole = try PackedAudioRecording(path).output
        #expect(try whole.packets == PackedAudioRecording(path, bufferSize: size).output.packets)
    }

    @Test func readsSegmentStartFromTag() throws {
        let actual = try PackedAudioRecording("shaka-player/id3-metadata.aac").demuxer
        #expect(actual.startTimestamp == 0xD99F4)
        #expect(actual.format == .adts)
    }
}
