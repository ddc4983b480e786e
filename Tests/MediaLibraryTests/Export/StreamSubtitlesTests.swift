import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct StreamSubtitlesTests {
    /// A sink that stores the tracks, and the samples of text tracks.
    private struct Recording: SampleSink {
        var tracks: [MediaTrack] = []
        var texts: [MediaSample] = []
        /// The earliest presentation time of video and audio, in units of 1/90,000 s.
        var begin = Int64.max

        mutating func tracks(_ tracks: [MediaTrack]) { self.tracks = tracks }

        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
            let track = tracks[sample.track]
            if track.kind == .text { return texts.append(sample) }
            begin = min(begin, Timescale.convert(sample.pts, from: track.timescale, to: 90_000))
        }
    }

    private func media(_ lines: String...) -> [UInt8] {
        Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n\(lines.joined(separator: "\n"))\n#EXT-X-ENDLIST\n".utf8)
    }

    private func remux(
        _ files: [String: [UInt8]], embeds: Bool, limit: (inout StreamRemux<MemoryResources>) -> Void = { _ in }
    ) throws -> (recording: Recording, remux: StreamRemux<MemoryResources>) {
        var files = files
        files["1.ts"] = PublicClip.bytes
        files["av.m3u8"] = media("#EXTINF:9,", "1.ts")
        files["index.m3u8"] = Array(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",URI="de.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="en.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1000,SUBTITLES="s"
            av.m3u8

            """.utf8)
        let resources = MemoryResources(
            Dictionary(uniqueKeysWithValues: files.map { ("http://h/\($0.key)", $0.value) }))
        var choice = StreamChoice()
        choice.includesSubtitles = true
        let plan = try StreamPlan(playlist: "http://h/index.m3u8", choice: choice, resources: resources)
        var remux = StreamRemux(plan, resources: resources)
        remux.embedsSubtitles = embeds
        limit(&remux)
        return (try remux.run(into: Recording()), remux)
    }

    private let german: [String: [UInt8]] = [
        "1.vtt": Array("WEBVTT\n\n00:00.500 --> 00:02.500\neins\n".utf8),
        "2.vtt": Array("WEBVTT\n\n00:00.500 --> 00:02.500\neins\n\n00:03.000 --> 00:04.000\nzwei\n".utf8),
    ]

    @Test func alignsSubtitlesWithVideo() throws {
        var files = german
        files["de.m3u8"] = media("#EXTINF:2,", "1.vtt", "#EXTINF:7,", "2.vtt")
        let (film, remux) = try remux(files, embeds: true)
        #expect(remux.subtitles.map(\.language) == ["de", nil])
        let cues = remux.subtitles[0].cues
        #expect(cues.map(\.payload) == ["eins", "zwei"])
        #expect(cues.map { $0.start - film.begin } == [45_000, 270_000])
        #expect(film.tracks.map(\.kind) == [.video, .audio, .text] && film.tracks[2].language == "de")
        #expect(film.texts.map { $0.pts - film.begin } == [0, 45_000, 225_000, 270_000, 360_000])
    }

    @Test func omitsUnavailableSubtitles() throws {
        var files = german
        files["de.m3u8"] = media("#EXTINF:2,", "1.vtt", "#EXTINF:7,", "gone.vtt")
        let (film, remux) = try remux(files, embeds: true)
        #expect(film.tracks.map(\.kind) == [.video, .audio])
        #expect(remux.omittedSubtitles.count == 2)
        #expect(remux.omittedSubtitles[0].hasPrefix("subtitles “Deutsch”: gone.vtt: "))
        #expect(remux.omittedSubtitles[1].hasPrefix("subtitles “English”: "))
    }

    /// Each segment is small, but the number of segments isn't limited.
    @Test(arguments: [(100, 9, ["bytes of text"]), (1000, 1, ["cues"]), (1000, 2, [])] as [(Int, Int, [String])])
    func omitsOversizedSubtitles(bytes: Int, cues: Int, reasons: [String]) throws {
        var files = german
        files["de.m3u8"] = media("#EXTINF:2,", "1.vtt", "#EXTINF:7,", "2.vtt")
        files["en.m3u8"] = media("#EXTINF:2,", "1.vtt")
        let (film, remux) = try remux(files, embeds: true) { remux in
            remux.maximumSubtitleBytes = bytes
            remux.maximumCues = cues
        }
        #expect(remux.omittedSubtitles.count == reasons.count)
        for (text, reason) in zip(remux.omittedSubtitles, reasons) {
            #expect(text.hasPrefix("subtitles “Deutsch”: 2.vtt: more than ") && text.hasSuffix(reason))
        }
        #expect(remux.subtitles.map(\.cues.count) == (reasons.isEmpty ? [2, 1] : [0, 1]))
        #expect(
            film.tracks.map(\.kind) == [.video, .audio] + remux.subtitles.filter { !$0.cues.isEmpty }.map { _ in .text }
        )
    }

    @Test func reportsTooManySimultaneousCues() throws {
        let cues = (0..<70).map { "00:00.\(100 + $0) --> 00:0\(2 + $0 / 10).\(100 + $0)\n\($0)\n" }
        let (film, remux) = try remux(
            [
                "de.m3u8": media("#EXTINF:9,", "many.vtt"), "en.m3u8": media("#EXTINF:9,", "many.vtt"),
                "many.vtt": Array("WEBVTT\n\n\(cues.joined(separator: "\n"))".utf8),
            ], embeds: true)
        #expect(
            remux.omittedSubtitles
                == ["Deutsch", "English"].map {
                    "6 cues of subtitles “\($0)”: too many are shown at once"
                })
        // The separate subtitle file contains all cues.
        #expect(remux.subtitles.map(\.cues.count) == [70, 70])
        #expect(!film.texts.isEmpty)
    }
}
