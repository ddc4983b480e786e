import MediaContainers
import Testing

struct WebVTTSampleEncoderTests {
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
    }

    @Test func timeIsCoveredWithoutGaps() {
        let cues = [
            WebVTTCue(start: 1000, end: 3000, payload: "one"),
            WebVTTCue(start: 2000, end: 4000, payload: "two", identifier: "b", settings: "line:0"),
        ]
        let samples = WebVTTSampleEncoder.samples(of: cues, in: 0..<5000)
        #expect(samples.map(\.start) == [0, 1000, 2000, 3000, 4000])
        #expect(samples.map(\.duration) == [1000, 1000, 1000, 1000, 1000])
        let one = box("vttc", box("payl", Array("one".utf8)))
        let two = box(
            "vttc", box("iden", [0x62]) + box("sttg", Array("line:0".utf8)) + box("payl", Array("two".utf8)))
        #expect(samples.map(\.bytes) == [box("vtte", []), one, one + two, two, box("vtte", [])])
    }

    @Test func cuesAreCutToTheRange() {
        let cues = [WebVTTCue(start: -500, end: 500, payload: "a"), WebVTTCue(start: 900, end: 9000, payload: "b")]
        let samples = WebVTTSampleEncoder.samples(of: cues, in: 0..<1000)
        #expect(samples.map(\.start) == [0, 500, 900])
        #expect(samples.map(\.duration) == [500, 400, 100])
    }
}
