import FormatProperties
import MediaContainers

extension FuzzTarget {
    /// Transport streams, with remuxing to MP4 and to transport streams.
    static let transportStream = FuzzTarget(name: "transport-stream") {
        var writer = TransportStreamWriter(MemorySink())
        try MP4Reader(MemorySource(try MediaSeeds.movie())).deliver(to: &writer)
        try writer.finish()
        return [writer.sink.contents]
    } check: { bytes in
        StreamCheck.problem(ofTransportStream: bytes, bufferSize: bufferSize(bytes)) ?? MovieCheck.remuxProblem(bytes)
    }

    /// Packed audio, with remuxing to MP4 and to transport streams.
    static let packedAudio = FuzzTarget(name: "packed-audio") {
        [MediaSeeds.audio, MediaSeeds.tag + MediaSeeds.audio]
    } check: { bytes in
        StreamCheck.problem(ofPackedAudio: bytes, bufferSize: bufferSize(bytes)) ?? MovieCheck.remuxProblem(bytes)
    }

    /// MP4 files and fragments, with remuxing to MP4 and to transport streams.
    static let movie = FuzzTarget(name: "movie") {
        [try MediaSeeds.movie()]
    } check: { bytes in
        MovieCheck.problem(bytes) ?? MovieCheck.remuxProblem(bytes)
    }

    /// WebVTT files and segments, with the subtitles written again and encoded for MP4.
    static let webVTT = FuzzTarget(name: "webvtt") {
        [
            """
            WEBVTT
            X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000

            STYLE
            ::cue { color: red }

            1
            00:01.000 --> 00:02.500 line:0 align:start
            One <b>two</b>

            NOTE Comment

            01:00:00.000 --> 01:00:01.000
            Three

            """
        ].map { Array($0.utf8) }
    } check: { bytes in
        guard let document = try? WebVTTDocument(bytes) else { return nil }
        var track = SubtitleTrack()
        track.header = document.header
        track.add(document.cues)
        track.sort()
        let text = track.text(in: 0..<Int64.max)
        guard let written = try? WebVTTDocument(Array(text.utf8)), written.cues == track.cues else {
            return "The written cues differ:\n\(text)"
        }
        var end: Int64 = 0
        let range: Range<Int64> = 0..<324_000_000
        _ = try? WebVTTSampleEncoder.encode(document.cues, in: range) { sample in
            guard sample.start == end, sample.duration > 0 else {
                fatalError("The sample at \(sample.start) lasts \(sample.duration); the previous one ends at \(end).")
            }
            end += sample.duration
        }
        return problem("The samples end at \(end).", unless: end == range.upperBound)
    }

    /// Returns a buffer size that depends on the input only, so that findings can be reproduced.
    private static func bufferSize(_ bytes: [UInt8]) -> Int {
        1 + Int(bytes.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) } % 5000)
    }
}

private enum MediaSeeds {
    /// Two ADTS frames of AAC.
    static let audio = [UInt8]([[], []].joined(separator: frame)) + frame
    private static let frame: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC, 0x21, 0, 1, 2, 3, 4, 5, 6, 7]
    /// An ID3 tag with the timestamp of the first sample.
    static let tag: [UInt8] = {
        let content = Array("com.apple.streaming.transportStreamTimestamp\0".utf8) + [0, 0, 0, 1, 0xFF, 0xFF, 0, 0]
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }()

    /// Returns an MP4 file with 40 frames of AAC.
    static func movie() throws -> [UInt8] {
        var builder = MovieBuilder()
        let format = MediaFormat(codec: .aac, configuration: [0x12, 0x10], sampleRate: 44_100, channels: 2)
        _ = try builder.add(MediaTrack(id: 1, kind: .audio, formats: [format], timescale: 44_100))
        for index in 0..<40 {
            let time = Int64(index) * 1024
            _ = try builder.add(MediaSample(track: 0, pts: time, dts: time, duration: 1024, size: 9, isSync: true))
        }
        let layout = try builder.progressiveLayout()
        return layout.head + [UInt8](repeating: 1, count: Int(layout.mediaLength))
    }
}
