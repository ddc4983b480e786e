import MediaContainers
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct TransportStreamOracleTests {
    // The segments of hls-ts-raw-aac are packed audio despite their name.
    @Test(arguments: try OracleComparison.paths([".ts"]).filter { !$0.contains("hls-ts-raw-aac") })
    func matchesPacketsOfFFprobe(path: String) throws {
        let comparison = try DemuxerRecording.push(Corpora.bytes(path), bufferSize: .max, into: OracleComparison(path))
        comparison.expect()
    }

    @Test(arguments: [1, 7, 188, 1000, 65536]) func resultIsIndependentOfBufferSize(size: Int) throws {
        for path in ["videojs-mux.js/segments/test-segment.ts", "androidx-media/media/ts/sample_ac3.ts"] {
            let whole = try DemuxerRecording(path)
            let pieces = try DemuxerRecording(path, bufferSize: size)
            #expect(whole.packets == pieces.packets)
            #expect(whole.tracks == pieces.tracks)
        }
    }
}
