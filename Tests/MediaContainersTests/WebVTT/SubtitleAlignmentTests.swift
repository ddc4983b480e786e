import MediaContainers
import Testing

struct SubtitleAlignmentTests {
    private func document(_ cue: String, transport: Int64? = nil) throws -> WebVTTDocument {
        let map = transport.map { "\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:\($0)" } ?? ""
        return try WebVTTDocument(Array("WEBVTT\(map)\n\n\(cue)\ntext\n".utf8))
    }

    private let film = JoinedClockPeriod(start: 900_000, end: 900_000 + 60 * 90_000, shift: 0)

    @Test func alignsCuesByTimestampMap() throws {
        let alignment = SubtitleAlignment([film], from: 0)
        let cues = alignment.cues(of: try document("00:01.000 --> 00:02.000", transport: 900_000), at: 0, duration: 60)
        #expect(cues.map(\.start) == [990_000] && cues.map(\.end) == [1_080_000])
    }

    @Test func countsFromStartWithoutTimestampMap() throws {
        let alignment = SubtitleAlignment([film], from: 0)
        let cues = alignment.cues(of: try document("00:01.000 --> 00:02.000"), at: 0, duration: 60)
        #expect(cues.map(\.start) == [990_000])
    }

    @Test func countsFromTimestampZeroIfCuesFitWithoutMap() throws {
        // A window of a channel that has been running for an hour.
        let start: Int64 = 3600 * 90_000
        let alignment = SubtitleAlignment([JoinedClockPeriod(start: start, end: start + 540_000, shift: 0)], from: 0)
        let cues = alignment.cues(of: try document("01:00:01.000 --> 01:00:02.000"), at: 0, duration: 6)
        #expect(cues.map(\.start) == [start + 90_000])
    }

    @Test func unwraps33BitClock() throws {
        // The presentation begins two seconds before the clock wraps, at a negative unwrapped time.
        let alignment = SubtitleAlignment([JoinedClockPeriod(start: -180_000, end: 540_000, shift: 0)], from: 0)
        let before = alignment.cues(
            of: try document("00:01.000 --> 00:02.000", transport: (1 << 33) - 180_000), at: 0, duration: 2)
        let after = alignment.cues(of: try document("00:01.000 --> 00:02.000", transport: 0), at: 2, duration: 2)
        #expect(before.map(\.start) == [-90_000] && after.map(\.start) == [90_000])
    }

    @Test func alignsToNewClockAfterDiscontinuity() throws {
        let second = JoinedClockPeriod(start: 900_000, end: 900_000 + 540_000, shift: 540_000)
        let first = JoinedClockPeriod(start: 900_000, end: 900_000 + 540_000, shift: 0)
        let alignment = SubtitleAlignment([first, second], from: 0)
        let cue = try document("00:01.000 --> 00:02.000", transport: 900_000)
        #expect(alignment.cues(of: cue, at: 0, duration: 6).map(\.start) == [990_000])
        #expect(alignment.cues(of: cue, at: 6, duration: 6).map(\.start) == [1_530_000])
    }

    @Test func alignsPresentationThatBeginsLate() throws {
        let late = JoinedClockPeriod(start: 900_000 + 540_000, end: 900_000 + 1_080_000, shift: 0)
        let alignment = SubtitleAlignment([late], from: 6)
        #expect(
            alignment.cues(of: try document("00:07.000 --> 00:08.000"), at: 6, duration: 6).map(\.start) == [1_530_000])
    }
}
