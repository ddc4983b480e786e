import MediaContainers
import TestSupport

/// Valid streams for the mutator: the project's own and, if available, short ones of the corpora.
struct TransportStreamSeeds {
    var streams: [[UInt8]] = []
    /// Frames of several codecs, without a container.
    var elementary: [[UInt8]] = []
    /// Packed audio with and without ID3 tags, and a tag without audio.
    var packed: [[UInt8]] = []

    init() throws {
        var builder = TransportStreamBuilder()
        builder.tables(
            TransportStreamBuilder.both + [TransportStreamBuilder.Stream(pid: 0x110, type: 0x86)], version: 3)
        builder.play(from: (1 << 33) - 18_000, frames: 12)
        streams.append(builder.bytes)
        var disc = TransportStreamBuilder()
        disc.before = [1, 2, 3, 4]
        disc.tables()
        disc.play(from: 90_000, frames: 6)
        streams.append(disc.bytes)
        let picture = TransportStreamBuilder.picture(isKey: true)
        elementary = [
            picture + picture, TransportStreamBuilder.aac() + TransportStreamBuilder.aac(),
            ElementarySamples.mpeg2Video, ElementarySamples.latm, ElementarySamples.enhancedAC3,
            ElementarySamples.mp2, ElementarySamples.hevc,
            [0x7F, 0xE0, 10, 0xFC] + [UInt8](repeating: 5, count: 9) + [0x7F, 0xF8, 3, 0, 1, 0, 2, 0xFC, 1, 2],
        ]
        let audio = TransportStreamBuilder.aac() + TransportStreamBuilder.aac()
        packed = [audio, Self.taggedSegment + audio + audio, ElementarySamples.enhancedAC3]
        guard try Prerequisite.hasCorpora() else { return }
        for name in ["muxed", "audioMaxOffset", "videoOneSecond", "zeroLength", "id3", "videoDiffPtsDts"] {
            streams.append(try Corpora.bytes("videojs-http-streaming/segments/\(name).ts"))
        }
        streams.append(try Corpora.bytes("androidx-media/media/ts/sample_h264_mpeg_audio.ts"))
        streams.append(try Corpora.bytes("videojs-mux.js/segments/test-middle-pat-pmt.ts"))
        packed.append(Array(try Corpora.bytes("androidx-media/media/ts/sample_with_id3.adts").prefix(1500)))
        packed.append(Array(try Corpora.bytes("shaka-player/hls-raw-ac3/fileSequence1.ac3").prefix(5000)))
        packed.append(try Corpora.bytes("androidx-media/media/id3/comm_apic.id3"))
    }

    /// An ID3 tag of a media segment with the timestamp of the first sample, a picture, a title and a custom text.
    private static var taggedSegment: [UInt8] {
        func frame(_ id: String, _ content: [UInt8]) -> [UInt8] {
            Array(id.utf8) + [0, 0, UInt8(content.count >> 7), UInt8(content.count & 127), 0, 0] + content
        }
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let picture = [0] + Array("image/jpeg".utf8) + [0, 3, 0x61, 0] + [UInt8](repeating: 0xD8, count: 150)
        let content =
            frame("PRIV", owner + [0, 0, 0, 1, 0xFF, 0xFF, 0, 0]) + frame("APIC", picture)
            + frame("TIT2", [1, 0xFF, 0xFE, 0xE9, 0]) + frame("TXXX", [3, 0x61, 0, 0x62])
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(content.count >> 7), UInt8(content.count & 127)] + content
    }

    /// Returns the ranges of the packet headers and of the first bytes of data after them.
    static func headers(_ bytes: [UInt8]) -> [Range<Int>] {
        let stride = bytes.count > 192 && bytes[0] != 0x47 ? 192 : 188
        return Swift.stride(from: stride - 188, to: bytes.count, by: stride).map { $0..<min(bytes.count, $0 + 40) }
    }
}
