import Testing

@testable import MediaContainers

struct WebVTTSampleEncoderTests {
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
    }

    private func samples(
        of cues: [WebVTTCue], in range: Range<Int64>, leavingOut expected: Int = 0
    ) throws -> [WebVTTSampleEncoder.Sample] {
        var samples: [WebVTTSampleEncoder.Sample] = []
        let omittedCues = try WebVTTSampleEncoder.encode(cues, in: range) { samples.append($0) }
        #expect(omittedCues == expected)
        return samples
    }

    @Test func coversTimeWithoutGaps() throws {
        let cues = [
            WebVTTCue(start: 1000, end: 3000, payload: "one"),
            WebVTTCue(start: 2000, end: 4000, payload: "two", identifier: "b", settings: "line:0"),
        ]
        let samples = try samples(of: cues, in: 0..<5000)
        #expect(samples.map(\.start) == [0, 1000, 2000, 3000, 4000])
        #expect(samples.map(\.duration) == [1000, 1000, 1000, 1000, 1000])
        let one = box("vttc", box("payl", Array("one".utf8)))
        let two = box("vttc", box("iden", [0x62]) + box("sttg", Array("line:0".utf8)) + box("payl", Array("two".utf8)))
        #expect(samples.map(\.bytes) == [box("vtte", []), one, one + two, two, box("vtte", [])])
    }

    @Test func clipsCuesToRange() throws {
        let cues = [WebVTTCue(start: -500, end: 500, payload: "a"), WebVTTCue(start: 900, end: 9000, payload: "b")]
        let samples = try samples(of: cues, in: 0..<1000)
        #expect(samples.map(\.start) == [0, 500, 900])
        #expect(samples.map(\.duration) == [500, 400, 100])
    }

    /// Each sample contains all visible cues. Without a limit, n overlapping cues would need n² bytes.
    @Test func limitsSimultaneousCues() throws {
        let cues = (0..<2000).map { WebVTTCue(start: Int64($0), end: 10_000 - Int64($0), payload: "x") }
        let most = WebVTTSampleEncoder.limits
        let made = try samples(of: cues, in: 0..<10_000, leavingOut: 2000 - most.cues)
        #expect(made.count == 2 * most.cues - 1)
        #expect(made.map(\.bytes.count).max() == most.cues * box("vttc", box("payl", [0x78])).count)
        #expect(made.reduce(0) { $0 + $1.duration } == 10_000)
        // A cue that begins after the others end is included.
        let later = try samples(
            of: cues + [WebVTTCue(start: 10_000, end: 10_001, payload: "y")], in: 0..<10_001,
            leavingOut: 2000 - most.cues)
        #expect(later.last?.bytes == box("vttc", box("payl", [0x79])))
    }

    @Test func omitsCueAboveSizeLimit() throws {
        let long = String(repeating: "x", count: WebVTTSampleEncoder.limits.bytes)
        let cues = [
            WebVTTCue(start: 0, end: 9, payload: long + "x"), WebVTTCue(start: 1, end: 2, payload: "a"),
            WebVTTCue(start: 3, end: 4, payload: long), WebVTTCue(start: 3, end: 5, payload: "b"),
        ]
        let made = try samples(of: cues, in: 0..<9, leavingOut: 2)
        #expect(made.map(\.start) == [0, 1, 2, 3, 4])
    }
}
