import Foundation
import MediaContainers
import TestSupport
import Testing

/// Tests of the track properties, codec strings and encryption of sample files. The track properties are compared with
/// those that FFmpeg reports.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct InventoryTests {
    struct Entry: CustomTestStringConvertible, Sendable {
        var path: String
        var streams: [String]
        var testDescription: String { path }
    }

    static func entries() throws -> [Entry] {
        let table = try Corpora.text("derived/media/media-inventory.tsv")
        let entries: [Entry] = table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count > 5, fields[2].hasPrefix("mov,mp4"), !fields[4].isEmpty else { return nil }
            let streams = fields[4].components(separatedBy: "; ").filter { !$0.hasPrefix("mjpeg") }
            return Entry(path: String(fields[0]), streams: streams)
        }
        return try Prerequisite.cases(entries, of: "derived/media/media-inventory.tsv")
    }

    private func name(_ codec: Codec) -> String {
        switch codec {
        case .avc: "h264"
        case .hevc: "hevc"
        case .vvc: "vvc1"
        case .av1: "av1"
        case .aac: "aac"
        case .mpeg4Audio: "mp4als"
        case .opus: "opus"
        case .webVTT: "wvtt"
        case .ttml: "stpp"
        case .other("iamf"): "iamf"
        case .other("wma "): "wmav2"
        case .other("c608"): "eia_608"
        case .timedText, .other("text"): "bin_data"
        default: "\(codec)"
        }
    }

    /// Returns whether a track matches an entry of the inventory, such as `h264/High/320x180`, `aac/LC/44100/2ch` or
    /// `data:wvtt`.
    private func matches(_ track: MediaTrack, _ stream: String) -> Bool {
        guard let format = track.format else { return false }
        if stream.contains(":") { return stream.hasSuffix(name(format.codec)) }
        let parts = stream.components(separatedBy: "/")
        guard parts[0] == name(format.codec) else { return false }
        if track.kind == .video { return parts.last == "\(format.width)x\(format.height)" }
        // The sample entry of immersive audio contains neither sample rate nor channels.
        if format.codec == .other("iamf") { return true }
        return parts.suffix(2) == ["\(format.sampleRate)", "\(format.channels)ch"]
    }

    @Test(arguments: try entries()) func matchesTracksOfInventory(entry: Entry) throws {
        let tracks = try MP4Reader(MemorySource(Corpora.bytes(entry.path))).tracks
        #expect(tracks.count == entry.streams.count)
        for (track, stream) in zip(tracks, entry.streams) {
            #expect(matches(track, stream), "\(String(describing: track.format)) instead of \(stream)")
        }
    }

    @Test(arguments: [
        ("androidx-media/media/mp4/sample.mp4", ["avc1.64001F", "mp4a.40.2"]),
        ("eyevinn-mp4ff/mp4/testdata/hvc1_init.mp4", ["hvc1.1.6.L63.90"]),
        ("eyevinn-mp4ff/mp4/testdata/av1_init.mp4", ["av01.0.00M.08"]),
        ("eyevinn-mp4ff/mp4/testdata/opus.mp4", ["Opus"]),
        ("alfg-mp4-rust/tests/samples/extended_audio_object_type.mp4", ["mp4a.40.36"]),
        ("eyevinn-mp4ff/mp4/testdata/init_cenc.cmfv", ["avc3.64001E"]),
        ("shaka-player/vtt-init.mp4", ["wvtt"]),
    ]) func codecStringsMatchRFC6381(path: String, strings: [String]) throws {
        let tracks = try MP4Reader(MemorySource(Corpora.bytes(path))).tracks
        #expect(tracks.compactMap(\.format?.codecString) == strings)
    }

    @Test func recognizesEncryption() throws {
        let init1 = try MP4Reader(MemorySource(Corpora.bytes("eyevinn-mp4ff/mp4/testdata/init_cenc.cmfv")))
        let protection = try #require(init1.tracks[0].format?.protection)
        #expect(protection.scheme == "cenc")
        #expect(protection.defaultKeyID?.count == 16)
        let audio = try MP4Reader(MemorySource(Corpora.bytes("abema-go-mp4/sample_init.enca.mp4")))
        #expect(audio.tracks.contains { $0.kind == .audio && $0.format?.protection != nil })
    }
}
