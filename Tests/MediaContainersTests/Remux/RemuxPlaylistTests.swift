import FormatProperties
import MediaContainers
import TestSupport
import Testing

/// Tests that remux the HLS streams in the corpora and compare the result with FFmpeg's playback.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct RemuxPlaylistTests {
    struct Expected: Sendable, CustomTestStringConvertible {
        var playlist: String
        var codec: String
        var packets: Int
        var bytes: Int
        var first: Double
        var last: Double
        var testDescription: String { "\(playlist) \(codec)" }
    }

    private static let codecs: [String: Codec] = [
        "h264": .avc, "hevc": .hevc, "aac": .aac, "ac3": .ac3, "eac3": .eac3,
    ]

    static func streams() throws -> [Expected] {
        let table = try Corpora.text("derived/media/hls-playback-oracle.tsv")
        let streams: [Expected] = table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 8, fields[2] != "subtitle" else { return nil }
            return Expected(
                playlist: fields[0], codec: fields[3], packets: Int(fields[4]) ?? -1, bytes: Int(fields[5]) ?? -1,
                first: Double(fields[6]) ?? -1, last: Double(fields[7]) ?? -1)
        }
        return try Prerequisite.cases(streams, of: "derived/media/hls-playback-oracle.tsv")
    }

    static func remux<Output: SampleSink>(_ path: String, into output: Output) throws -> Output {
        var remuxer = Remuxer(into: output)
        for segment in try MediaPlaylist(path).segments {
            let initialization = try segment.map.map { try MP4Reader(MemorySource(Corpora.bytes($0))).movie }
            try remuxer.append(
                MemorySource(MediaPlaylist(path).bytes(segment)), initialization: initialization,
                join: segment.isDiscontinuity ? .discontinuity : segment.followsGap ? .gap : .continuous)
        }
        #expect(remuxer.damage.places == 0, "\(remuxer.damage)")
        return try remuxer.finish()
    }

    /// Returns the difference between the last and the first presentation time, corrected where FFmpeg joins segments
    /// differently.
    private static func length(_ expected: Expected) -> Double {
        let length = expected.last - expected.first
        // The second segment's clock restarts without an announcement. FFmpeg presents both segments at the same time;
        // here the second follows the first.
        if expected.playlist.hasSuffix("hls-text-no-discontinuity/av.m3u8") { return length + 6 }
        // FFmpeg assigns the timestamp in the second segment's ID3 tag to the last (187th) frame of the first segment,
        // which delays all later frames by 32 ms. According to the ID3 tags, the 187 frames of each segment end where
        // the next segment begins.
        if expected.playlist.contains("hls-raw-ac3") { return length - 0.032 }
        return length
    }

    @Test(arguments: try streams()) func matchesPlayedSamples(expected: Expected) throws {
        let actual = try Self.remux(expected.playlist, into: SampleRecording())
        let track = try #require(actual.tracks.firstIndex { $0.format?.codec == Self.codecs[expected.codec] })
        #expect(actual.samples[track].count == expected.packets)
        let span = actual.span(track)
        #expect(abs((span.upperBound - span.lowerBound) - Self.length(expected)) < 0.001)
    }

    @Test(arguments: try streams()) func matchesSizesWithoutFraming(expected: Expected) throws {
        let actual = try Self.remux(expected.playlist, into: SampleRecording())
        let track = try #require(actual.tracks.firstIndex { $0.format?.codec == Self.codecs[expected.codec] })
        let bytes = actual.samples[track].reduce(0) { $0 + $1.size }
        let isMP4 = try MediaPlaylist(expected.playlist).segments[0].map != nil
        switch expected.codec {
        case "aac" where !isMP4: #expect(bytes == expected.bytes - 7 * expected.packets)
        // Three-byte start codes become four-byte lengths, several in each picture.
        case "h264" where !isMP4: #expect((0...8 * expected.packets).contains(bytes - expected.bytes))
        default: #expect(bytes == expected.bytes)
        }
    }

    @Test(
        .enabled(if: try Prerequisite.isMet("ffmpeg", FFmpeg.path != nil)),
        arguments: try Array(Set(streams().map(\.playlist))).sorted()
    )
    func decodesFileWithoutWarnings(playlist: String) throws {
        let file = MemoryFile()
        var writer = try Self.remux(playlist, into: MovieFileWriter(file))
        let summary = try writer.finish()
        #expect(summary.length == Int64(file.contents.count))
        let result = try withTemporaryFile(file.contents) { path in
            let arguments = ["-v", "warning", "-nostdin", "-i", path, "-map", "0", "-f", "null", "-"]
            return try Program(path: FFmpeg.path ?? "", arguments: arguments).run()
        }
        #expect(result.succeeded && result.messages.isEmpty, "\(result.messages)")
    }
}
