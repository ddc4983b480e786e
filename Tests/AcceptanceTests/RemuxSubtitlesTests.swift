import Foundation
import TestSupport
import Testing

extension CommandAcceptanceTests {
    /// Tests of `remux` with the subtitles of a public stream.
    @Suite(.enabled(if: try Peer.isInstalled("ffprobe") && Prerequisite.hasCorpora()))
    struct RemuxSubtitlesTests {
        private static let stream = "\(StreamCorpus.root)/shaka-player/hls-text-no-discontinuity/index.m3u8"

        @Test func writesSubtitleFilesNextToFilm() async throws {
            let folder = try TemporaryFolder("output")
            try await MediaCacheBinary.output(["remux", Self.stream, "-o", folder.file("film.mp4"), "-q"])
            let made = try String(contentsOfFile: folder.file("film.de.vtt"), encoding: .utf8)
            let source = try String(
                contentsOfFile: Self.stream.replacing("index.m3u8", with: "subtitle.vtt"), encoding: .utf8)
            #expect(made.split(whereSeparator: \.isNewline) == source.split(whereSeparator: \.isNewline))
        }

        @Test func writesSubtitleTrack() async throws {
            let folder = try TemporaryFolder("output")
            let film = folder.file("film.mp4")
            try await MediaCacheBinary.output(["remux", Self.stream, "-o", film, "-q", "--subtitles", "embed"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["film.mp4"])
            let entries = "stream=codec_tag_string:stream_tags=language:packet=pts_time,duration_time"
            let arguments = ["-v", "error", "-select_streams", "2", "-show_entries", entries, "-of", "csv=p=0", film]
            let text = String(decoding: try await Peer.run("ffprobe", arguments), as: UTF8.self)
            let found = text.split(whereSeparator: \.isNewline).map(String.init)
            #expect(found.contains("wvtt,deu"))
            #expect(
                found.filter { $0.first?.isNumber == true }.prefix(4) == [
                    "0.000000,0.600000", "0.600000,2.280000", "2.880000,3.480000", "6.360000,4.320000",
                ])
        }
    }
}
