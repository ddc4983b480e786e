import Foundation
import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct StreamPresentationTests {
    private let base = "http://h/"

    /// Returns the files of a folder of the corpora.
    private func folder(_ name: String) throws -> MemoryResources {
        let folder = Prerequisite.corpora.appending(path: "shaka-player/\(name)")
        var files: [String: [UInt8]] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[base + file] = Array(try Data(contentsOf: folder.appending(path: file)))
        }
        return MemoryResources(files)
    }

    @Test func listsMultiplexedTracks() throws {
        let stream = try StreamPresentation(
            playlist: base + "playlist.m3u8", resources: try folder("hls-ts-muxed-aac-h264"))
        #expect(stream.variant == 0 && stream.variants.map(\.height) == [180])
        #expect(!stream.isLive && stream.duration == 36)
        #expect(stream.tracks.map(\.kind) == [.video, .audio])
        #expect(stream.tracks.map(\.playlist) == [base + "chunk.m3u8", base + "chunk.m3u8"])
        #expect(stream.tracks.map(\.isDefault) == [true, true])
        #expect(stream.tracks[0].codec == "avc1.42C00D" && stream.tracks[1].codec == "mp4a.40.2")
        #expect(stream.tracks[0].width == 320 && stream.tracks[0].obstacle == nil)
    }

    @Test func listsAlternativeAudioAndSubtitles() throws {
        let audio = try folder("hls-raw-aac")
        let video = try folder("hls-ts-h264")
        let resources = try folder("hls-text-no-discontinuity")
        for (url, bytes) in audio.all { resources[url] = bytes }
        let list = try #require(video.all.keys.first { $0.hasSuffix("m3u8") })
        for (url, bytes) in video.all { resources[url] = bytes }
        resources[base + "all.m3u8"] = Array(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",URI="missing.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="stream.m4a.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",FORCED=YES,URI="text.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO="a",SUBTITLES="s"
            \(list.dropFirst(base.count))
            """.utf8)
        let stream = try StreamPresentation(playlist: base + "all.m3u8", resources: resources)
        #expect(stream.tracks.map(\.kind) == [.video, .audio, .audio, .text])
        #expect(stream.tracks.map(\.name) == [nil, "Deutsch", "English", "Deutsch"])
        #expect(stream.tracks.map(\.language) == [stream.tracks[0].language, "de", "en", "de"])
        #expect(stream.tracks.map(\.isDefault) == [true, false, true, false])
        #expect(stream.tracks.map(\.isForced) == [false, false, false, true])
        #expect(stream.tracks[2].codec?.hasPrefix("mp4a.40.") == true && stream.tracks[1].codec == nil)
        let table = try SegmentTable(playlist: stream.tracks[3].playlist, resources: resources)
        let cues = try SegmentCues.read(table.rows, of: table, from: resources)
        #expect(cues.count == 1 && cues[0].cues.isEmpty == false)
    }

    /// The first variant stream is AV1. Its segments are missing.
    @Test func selectsVariantAndFallsBackToDeclaredCodecs() throws {
        let resources = try folder("hls-muxed-mp4-ts")
        let best = try StreamPresentation(playlist: base + "master.m3u8", resources: resources)
        #expect(best.variant == 0 && best.variants.count == 2)
        #expect(best.tracks.map(\.codec) == ["av01.0.31M.08", "mp4a.40.2"])
        let other = try StreamPresentation(playlist: base + "master.m3u8", variant: 1, resources: resources)
        #expect(other.tracks.first?.codec?.hasPrefix("avc1.") == true)
        #expect(other.tracks.first?.playlist == base + "ts.m3u8")
        let error = #expect(throws: ContainerError.self) {
            try StreamPresentation(playlist: base + "master.m3u8", variant: 2, resources: resources)
        }
        #expect(error?.code == .unsupported)
    }

    @Test func reportsUnsupportedCodec() throws {
        var track = MediaTrack(id: 1, kind: .audio, formats: [], timescale: 1)
        track.formats = [MediaFormat(codec: .other(FourCC(rawValue: 0x82)), codecString: "")]
        #expect(track.obstacle?.contains("isn't supported") == true)
    }
}
