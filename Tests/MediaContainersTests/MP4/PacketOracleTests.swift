import MediaContainers
import Testing

@Suite(.enabled(if: Corpora.areExpected, "the corpora aren't here"))
struct PacketOracleTests {
    private static let folder = "derived/media/ffprobe-packets"
    private static let endings = [".mp4", ".m4v", ".m4a", ".mov", ".isma", ".ismt", ".cmfv", ".m4i"]

    static func samples() -> [String] {
        ((try? Corpora.files(folder)) ?? []).map { String($0.dropLast(4)) }.filter { path in
            endings.contains { path.hasSuffix($0) }
        }
    }

    @Test(arguments: samples()) func packetsAreThoseOfFFprobe(path: String) throws {
        let expected = PacketList(csv: try Corpora.text("\(Self.folder)/\(path).csv"))
        let source = MemorySource(try Corpora.bytes(path))
        let reader = try MP4Reader(source)
        var actual = PacketList()
        var end: ContainerError?
        do { try reader.deliver(to: &actual) } catch { end = error }
        for (stream, packets) in expected.streams {
            guard stream < reader.tracks.count else {
                try expectArtwork(packets, stream - reader.tracks.count, reader.movie, source)
                continue
            }
            let track = reader.tracks[stream]
            let ours = actual.streams[stream] ?? []
            var wanted = packets
            // FFmpeg hands out the part that is there of a sample that the file ends in; here that is an error.
            if let end, ours.count == packets.count - 1 {
                #expect(end.code == .truncated)
                wanted.removeLast()
            }
            // FFmpeg stops in the middle of an encrypted file whose key it wasn't given.
            let isEncrypted = reader.tracks.contains { $0.format?.protection != nil }
            if !isEncrypted || ours.count < wanted.count { #expect(ours.count == wanted.count) }
            expect(ours, wanted, track, "\(path) stream \(stream)")
        }
    }

    private func expect(
        _ ours: [PacketList.Packet], _ theirs: [PacketList.Packet], _ track: MediaTrack, _ name: String
    ) {
        // FFmpeg moves a fragment's pictures later where their offsets are negative, away from the sound; here
        // decoding is moved earlier. Then all times differ by that one amount.
        var shift: Int64 = 0
        if let mine = ours.first?.pts, let their = theirs.first?.pts { shift = their - mine }
        if shift != 0 { #expect(name.contains("vvc_400kbps_2s")) }
        for (index, (mine, their)) in zip(ours, theirs).enumerated() {
            var mine = mine
            mine.pts = mine.pts.map { $0 + shift }
            mine.dts = mine.dts.map { $0 + shift }
            // Where theirs isn't the distance to the next sample, FFmpeg took it from the codec or the frame rate.
            var distance: Int64?
            if index + 1 < ours.count, let next = ours[index + 1].dts, let this = ours[index].dts {
                distance = next - this
            }
            if distance == nil || mine.duration == distance || their.duration == nil { mine.duration = their.duration }
            if track.format?.sampleEntry == "c608" {
                // FFmpeg takes the caption bytes out of the sample's cdat boxes.
                mine.size = their.size
                mine.crc = their.crc
            }
            #expect(mine == their, "\(name) packet \(index)")
            if mine != their { break }
        }
    }

    private func expectArtwork(
        _ packets: [PacketList.Packet], _ index: Int, _ movie: Movie, _ source: MemorySource
    ) throws {
        let artwork = try #require(movie.artwork.indices.contains(index) ? movie.artwork[index] : nil)
        let bytes = try source.bytes(artwork.range, limit: 1 << 24)
        let crc = bytes.withUnsafeBytes { CRC32.checksum($0) }
        #expect(artwork.format == .jpeg && packets.map(\.crc) == [crc])
    }
}
