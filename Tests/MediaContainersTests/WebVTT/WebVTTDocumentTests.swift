import MediaContainers
import Testing

struct WebVTTDocumentTests {
    private func read(_ text: String) throws -> WebVTTDocument { try WebVTTDocument(Array(text.utf8)) }

    @Test func readsTimesTextAndSettings() throws {
        let document = try read(
            """
            \u{FEFF}WEBVTT - a film

            STYLE
            ::cue { color: red }

            NOTE a comment
            00:01.000 --> 00:02.000

            intro
            00:01.500 --> 01:00:02.040 line:0  align:start
            <b>Two</b>
            lines

            00:03.000\t-->\t00:04.000
            one
            """)
        #expect(document.header == "WEBVTT\n\nSTYLE\n::cue { color: red }")
        #expect(document.timestampMap == nil)
        #expect(
            document.cues == [
                WebVTTCue(
                    start: 135_000, end: 324_183_600, payload: "<b>Two</b>\nlines", identifier: "intro",
                    settings: "line:0  align:start"),
                WebVTTCue(start: 270_000, end: 360_000, payload: "one"),
            ])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func acceptsAnyLineEnding(end: String) throws {
        let lines = ["WEBVTT", "X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:01.000", "", "00:00.000 --> 00:01.000", "a"]
        let document = try read(lines.joined(separator: end))
        #expect(document.timestampMap?.transport == 900_000 && document.timestampMap?.local == 90_000)
        #expect(document.cues == [WebVTTCue(start: 0, end: 90_000, payload: "a")])
    }

    @Test(arguments: [
        "WEBVTT", "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000", "WEBVTT\n\nSTYLE\n::cue {}",
    ])
    func startsCueWithoutBlankLine(front: String) throws {
        let document = try read(
            "\(front)\n00:00.000 --> 00:01.000\na\n00:01.000 --> 00:02.000\nb\nc\n\n1\n00:02.000 --> 00:03.000")
        let transport: Int64? = front.contains("MAP") ? 900_000 : nil
        #expect(document.timestampMap?.transport == transport)
        #expect(document.header == (front.contains("STYLE") ? front : "WEBVTT"))
        #expect(document.cues.map(\.payload) == ["a", "b\nc", ""])
        #expect(document.cues.map(\.identifier) == [nil, nil, "1"])
    }

    @Test(arguments: [
        "00:00.000 -> 00:01.000", "00:01.000 --> 00:01.000", "00:61.000 --> 02:00.000", "0:0.0 --> 1:0.0",
        "00:00:00:00.000 --> 00:01.000", "-1:00.000 --> 00:01.000", "99999999999999999999:00:00.000 --> 00:01.000",
        "-->",
    ])
    func omitsInvalidCue(line: String) throws {
        #expect(try read("WEBVTT\n\n\(line)\ntext\n").cues.isEmpty)
    }

    @Test(arguments: ["", "WEBVTTX\n", "<html>", "\nWEBVTT"])
    func rejectsOtherFormats(text: String) {
        #expect(throws: ContainerError.self) { try read(text) }
    }
}
