import FormatProperties
import MediaContainers
import Testing

struct SubtitleTrackTests {
    private let one = WebVTTCue(start: 90_000, end: 270_000, payload: "one", identifier: "1", settings: "line:0")
    private let two = WebVTTCue(start: 180_000, end: 360_000, payload: "two")

    @Test func addsRepeatedCueOnce() {
        var track = SubtitleTrack(language: "de")
        track.add([two])
        track.add([one, two])
        track.sort()
        #expect(track.cues == [one, two])
    }

    @Test func writesTextRelativeToRange() throws {
        var track = SubtitleTrack(language: "de")
        track.add([two, one])
        track.sort()
        let text = track.text(in: 45_000..<315_000)
        #expect(
            text == """
                WEBVTT

                1
                00:00:00.500 --> 00:00:02.500 line:0
                one

                00:00:01.500 --> 00:00:03.000
                two

                """)
        #expect(try WebVTTDocument(Array(text.utf8)).cues.map(\.payload) == ["one", "two"])
    }

    @Test func writesMP4Track() throws {
        var track = SubtitleTrack(language: "de-CH")
        track.add([one, two])
        let file = MemoryFile()
        var writer = MovieFileWriter(file)
        try writer.tracks([track.mediaTrack])
        #expect(try track.deliver(to: &writer, track: 0, along: 0..<450_000) == 0)
        _ = try writer.finish()
        let reader = try MP4Reader(MemorySource(file.contents))
        let read = try #require(reader.tracks.first)
        #expect(read.kind == .text && read.format?.codec == .webVTT && read.language == "de-CH")
        #expect(read.format?.configuration == Array("WEBVTT".utf8))
        // The file also contains the three-letter code, for readers that don't support the tag.
        #expect(file.contents.firstRange(of: [0x10, 0xB5]) != nil)
        let samples = try SampleRecording(MemorySource(file.contents)).samples[0]
        #expect(samples.map(\.duration) == [90_000, 90_000, 90_000, 90_000, 90_000])
    }
}
