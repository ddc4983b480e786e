import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct ContainerInspectionTests {
    private func inspection(_ path: String, initialization: String? = nil) throws -> ContainerInspection {
        let movie = try initialization.map { try MP4Reader(MemorySource(InspectionCorpora.bytes($0))).movie }
        let source = MemorySource(try InspectionCorpora.bytes(path))
        let contents = try #require(try ContainerContents(source, initialization: movie))
        return try ContainerInspection(contents, name: path)
    }

    @Test func recordsTracksAndBoxesOfMP4() throws {
        let inspection = try inspection("shaka-player/small.mp4")
        let record = ContainerRecord(inspection)
        #expect(record.kind == "mp4")
        #expect(record.size == 37387)
        #expect(record.duration == 10.027)
        #expect(record.fastStart == false)
        #expect(record.fragmented == false)
        #expect(record.tracks.map(\.kind) == ["video", "audio", "text"])
        #expect(record.tracks.map(\.codec) == ["avc1.64000B", "mp4a.40.2", "text"])
        #expect(record.tracks[0].formats[0].width == 256)
        #expect(record.tracks[0].frameRate == 24)
        #expect(record.tracks[0].samples == 240)
        #expect(record.tracks[1].formats[0].channelLayout == "stereo")
        #expect(record.boxes.map(\.type) == ["ftyp", "free", "mdat", "moov"])
        #expect(record.boxes[3].boxes[0].type == "mvhd")
        let text = inspection.report.lines.joined(separator: "\n")
        #expect(text.contains("256 × 110, 24 frames/s"))
        #expect(text.contains("mediacache faststart"))
    }

    @Test func readsWholeTransportStream() throws {
        let record = ContainerRecord(try inspection("videojs-mux.js/segments/test-segment.ts"))
        #expect(record.kind == "transportStream")
        #expect(record.packetSize == 188)
        #expect(record.duration == 8.933333)
        #expect(record.tracks.map(\.id) == [256, 257])
        #expect(record.tracks.map(\.samples) == [134, 369])
        #expect(record.tracks[0].start == 1.4)
        #expect(record.boxes.isEmpty)
    }

    @Test func recordsTimestampOfPackedAudio() throws {
        let record = ContainerRecord(try inspection("shaka-player/id3-metadata.aac"))
        #expect(record.kind == "packedAudio")
        #expect(record.packedFormat == "adts")
        #expect(record.timestamp == 9.904222)
        #expect(record.tracks[0].formats[0].sampleRate == 22050)
    }

    @Test func readsSegmentWithInitializationSection() throws {
        let segment = "shaka-player/sintel-video-segment.mp4"
        let alone = try inspection(segment)
        #expect(alone.tracks.isEmpty)
        #expect(alone.report.lines.joined().contains("media initialization section"))
        #expect(ContainerRecord(alone).boxes.map(\.type) == ["moof", "mdat"])
        let whole = ContainerRecord(try inspection(segment, initialization: "shaka-player/sintel-video-init.mp4"))
        #expect(whole.tracks.map(\.samples) == [240])
        #expect(whole.tracks[0].start == 40)
        #expect(whole.fragmented == true)
    }

    @Test func playlistIsNotAContainer() throws {
        let playlist = MemorySource(Array("#EXTM3U\n#EXTINF:5,\n1.ts\n".utf8))
        #expect(try ContainerContents(playlist)?.format == nil)
    }

    /// Compares times, sizes, sync flags and checksums. ffprobe reports other durations for samples that an edit list
    /// cuts, and for samples without a duration. Samples of the text track may be missing from its report.
    @Test(arguments: ["videojs-mux.js/segments/test-segment.ts", "shaka-player/small.mp4"])
    func packetsMatchFFprobe(path: String) throws {
        let contents = try #require(try ContainerContents(MemorySource(InspectionCorpora.bytes(path))))
        var text = ""
        var writer = PacketWriter { text += $0 }
        try contents.deliver(to: &writer)
        try writer.flush()
        var lines = text.split(separator: "\n").map(String.init)
        #expect(lines.removeFirst() == "track,pts,dts,duration,size,sync,crc32")

        let oracle = try InspectionCorpora.bytes("derived/media/ffprobe-packets/\(path).csv")
        var scales: [String: Int32] = [:]
        var expected: [String] = []
        for line in String(decoding: oracle, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("#stream"), let scale = line.split(separator: "tb=1/").last.flatMap({ Int32($0) }) {
                scales[String(line.split(separator: " ")[1])] = scale
            }
            let fields = line.split(separator: ",").map(String.init)
            guard fields.count == 7, let scale = scales[fields[0]] else { continue }
            let times = fields[1...2].compactMap { Int64($0) }.map { SecondsText.microseconds($0, timescale: scale) }
            let sync = fields[5].hasPrefix("K") ? "1" : "0"
            expected.append(([fields[0]] + times + [fields[4], sync, fields[6]]).joined(separator: ","))
        }
        #expect(expected.count > 100)
        let ours = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
            .filter { scales[$0[0]] != nil }.map { ($0[0...2] + $0[4...]).joined(separator: ",") }
        #expect(Set(ours).subtracting(expected).filter { !$0.hasPrefix("2,") }.isEmpty)
        #expect(Set(expected).subtracting(ours).isEmpty)
    }
}
