import MediaContainers
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct ProgressiveRemuxTests {
    static let samples = [
        "abema-go-mp4/sample.mp4", "abema-go-mp4/sample_fragmented.mp4",
        "alfg-mp4-rust/examples/mpeg_aac_decoder/audio_aac.m4a",
        "alfg-mp4-rust/tests/samples/minimal.mp4", "androidx-media/media/mp4/sample.mp4",
        "androidx-media/media/mp4/sample_simple.mp4", "androidx-media/media/mp4/sample_fragmented_seekable.mp4",
        "androidx-media/media/mp4/testvid_1022ms.mp4", "eyevinn-mp4ff/cmd/mp4ff-mvhevc/testdata/stereo_spatial.mp4",
        "eyevinn-mp4ff/cmd/mp4ff-nallister/testdata/hevc.mp4", "eyevinn-mp4ff/mp4/testdata/bbb_prog_10s.mp4",
        "eyevinn-mp4ff/mp4/testdata/bbb5s_aac.isma", "eyevinn-mp4ff/mp4/testdata/ed_hevc.mp4",
        "eyevinn-mp4ff/mp4/testdata/opus.mp4", "eyevinn-mp4ff/mp4/testdata/prog_8s.mp4",
        "eyevinn-mp4ff/mp4/testdata/prog_8s_dec_dashinit.mp4", "eyevinn-mp4ff/mp4/testdata/v300_multiple_segments.mp4",
        "eyevinn-mp4ff/cmd/mp4ff-subslister/testdata/sample_short.ismt",
        "eyevinn-mp4ff/cmd/mp4ff-subslister/testdata/stpp_prog.mp4",
    ]

    private func view(_ path: String) throws -> (MP4Reader<MemorySource>, ByteLayoutView<MemorySource>) {
        let source = MemorySource(try Corpora.bytes(path))
        let reader = try MP4Reader(source)
        return (reader, ByteLayoutView(layout: try ProgressiveRemux(reader).layout, source: source))
    }

    /// Returns packets with presentation times in 1/10,000 s relative to the first presented packet and decoding times
    /// relative to presentation times, without fields that may differ.
    private func normalized(_ list: PacketList, _ timescales: [Int]) -> [[String]] {
        let streams = list.streams.sorted { $0.key < $1.key }
        func seconds(_ ticks: Int64?, _ stream: Int) -> Double { Double(ticks ?? 0) / Double(timescales[stream]) }
        let zero =
            streams.flatMap { stream, packets in
                packets.filter { !$0.flags.hasSuffix("D") }.map { seconds($0.pts, stream) }
            }.min() ?? 0
        return streams.map { stream, packets in
            packets.map { packet in
                let pts = ((seconds(packet.pts, stream) - zero) * 10_000).rounded()
                let dts = ((seconds(packet.dts, stream) - seconds(packet.pts, stream)) * 10_000).rounded()
                return "\(pts + 0) \(dts + 0) \(packet.size) \(packet.flags) \(packet.crc)"
            }
        }
    }

    @Test(arguments: samples) func preservesPackets(path: String) throws {
        let (reader, view) = try view(path)
        var before = PacketList()
        try reader.deliver(to: &before)
        let after = try PacketList(view)
        let scales = reader.tracks.map { Int($0.timescale) }
        #expect(normalized(after, scales) == normalized(before, scales))
        #expect(try MP4Reader(view).tracks.map(\.format) == reader.tracks.map(\.format))
        #expect(try BoxTree(view).roots.map(\.header.type) == ["ftyp", "moov", "mdat"])
    }

    @Test(.enabled(if: try Prerequisite.isMet("ffprobe", FFprobe.path != nil)), arguments: samples)
    func matchesFFprobe(path: String) throws {
        let (_, view) = try view(path)
        let ours = try PacketList(view)
        let theirs = try FFprobe.packets(try view.bytes(0..<view.length, limit: 1 << 24))
        #expect(ours.streams.keys == theirs.streams.keys)
        for (stream, packets) in theirs.streams {
            let mine = ours.streams[stream] ?? []
            #expect(mine.map(\.pts) == packets.map(\.pts))
            #expect(mine.map(\.dts) == packets.map(\.dts))
            #expect(mine.map(\.size) == packets.map(\.size))
            #expect(mine.map(\.flags) == packets.map(\.flags))
            #expect(mine.map(\.crc) == packets.map(\.crc))
        }
    }
}
