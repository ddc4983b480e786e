import MediaContainers
import Testing

@Suite(.enabled(if: Corpora.areExpected, "the corpora aren't here"))
struct TransportStreamOracleTests {
    private static let folder = "derived/media/ffprobe-packets"

    static func samples() -> [String] {
        ((try? Corpora.files(folder)) ?? []).map { String($0.dropLast(4)) }.filter { path in
            // The segments of hls-ts-raw-aac are packed audio under another name.
            path.hasSuffix(".ts") && !path.contains("hls-ts-raw-aac")
        }
    }

    @Test(arguments: samples()) func packetsAreThoseOfFFprobe(path: String) throws {
        let expected = PacketList(csv: try Corpora.text("\(Self.folder)/\(path).csv"))
        let actual = try TransportStreamRecording(path)
        for (stream, packets) in expected.streams {
            let isID3 = actual.tracks[stream].format?.codec == .id3
            let ours = (isID3 ? actual.withoutFiveBytes : actual.packets).streams[stream] ?? []
            let theirs = path.hasSuffix("sample_ac3.ts") ? Self.withoutHalves(packets) : packets
            #expect(ours.count == theirs.count)
            for (index, (mine, their)) in zip(ours, theirs).enumerated() {
                var mine = mine
                mine.duration = their.duration
                // FFmpeg forgets the decoding time of a first picture that has one time stamp alone, when it finds
                // that later ones are reordered; ISO/IEC 13818-1, 2.4.3.7 says that it is the same.
                if their.dts == nil, index == 0, mine.dts == mine.pts { mine.dts = nil }
                #expect(mine == their, "\(path) stream \(stream) packet \(index)")
                if mine != their { break }
            }
        }
    }

    /// FFmpeg hands out the halves of frames at both ends of this file, and counts the first as a whole frame:
    /// what is left begins one frame later. The second frame's stamp is the stream's own again.
    private static func withoutHalves(_ packets: [PacketList.Packet]) -> [PacketList.Packet] {
        var whole = packets.filter { $0.size == 1536 }
        whole[0].pts = 0
        whole[0].dts = 0
        return whole
    }

    @Test(arguments: [1, 7, 188, 1000, 65536]) func buffersOfAnySizeGiveTheSame(size: Int) throws {
        for path in ["videojs-mux.js/segments/test-segment.ts", "androidx-media/media/ts/sample_ac3.ts"] {
            let whole = try TransportStreamRecording(path)
            let pieces = try TransportStreamRecording(path, bufferSize: size)
            #expect(whole.packets == pieces.packets)
            #expect(whole.tracks == pieces.tracks)
        }
    }
}
