import MediaContainers
import Testing

@Suite(.enabled(if: Corpora.areExpected, "the corpora aren't here"))
struct PackedAudioOracleTests {
    private static let folder = "derived/media/ffprobe-packets"

    static func samples() -> [String] {
        ((try? Corpora.files(folder)) ?? []).map { String($0.dropLast(4)) }.filter { path in
            [".aac", ".adts", ".ac3", ".ec3", ".mp3"].contains { path.hasSuffix($0) } || path.contains("ts-raw-aac")
        }
    }

    @Test(arguments: samples()) func packetsAreThoseOfFFprobe(path: String) throws {
        let text = try Corpora.text("\(Self.folder)/\(path).csv")
        let expected = PacketList(csv: text)
        // FFmpeg counts AAC in ticks that every rate divides, and AC-3 in those of a transport stream.
        let timescale: Int32 = text.hasPrefix("#stream 0 aac tb=1/28224000") ? 28_224_000 : 90_000
        let actual = try PackedAudioRecording(path)
        let sound = try #require(actual.tracks.first)
        let ours = actual.packets.streams[0] ?? []
        let theirs = expected.streams[0] ?? []
        #expect(ours.count == theirs.count)
        for (index, (mine, their)) in zip(ours, theirs).enumerated() {
            var mine = mine
            mine.pts = mine.pts.map { Timescale.convert($0, from: sound.timescale, to: timescale) }
            mine.dts = mine.pts
            mine.duration = their.duration
            #expect(mine == their, "\(path) packet \(index)")
            if mine != their { break }
        }
        if let artwork = expected.streams[1]?.first {
            let data = try #require(actual.picture?.data)
            #expect(data.withUnsafeBytes { CRC32.checksum($0) } == artwork.crc)
        }
        #expect(actual.diagnostics.isEmpty)
    }

    @Test(arguments: ["sample.adts", "sample_with_id3.adts"])
    func samplesAreThoseOfMedia3(name: String) throws {
        let dump = ExtractorDump(try Corpora.text("androidx-media/extractordumps/ts/\(name).0.dump"))
        let actual = try PackedAudioRecording("androidx-media/media/ts/\(name)")
        let format = try #require(actual.tracks.first?.format)
        #expect(format.codecString == dump.tracks[0].codecs)
        #expect(format.sampleRate == dump.tracks[0].values["sampleRate"])
        #expect(format.channels == dump.tracks[0].values["channelCount"])
        #expect(ExtractorDump.hash(format.configuration) == 0x5F7)
        for (track, expected) in dump.tracks.enumerated() {
            let samples = actual.samples.filter { $0.sample.track == track }
            // Tags are told with Media3's clock of whole frames; only the frames' times are compared.
            #expect(samples.count == expected.samples.count)
            for ((sample, bytes), their) in zip(samples, expected.samples) {
                // Media3 takes the headers of ADTS off, and has a rounded length of each frame.
                let content = track == 0 ? bytes.dropFirst(7) : bytes[...]
                let time = sample.pts * 1_000_000 / Int64(actual.tracks[track].timescale)
                if track == 0 { #expect(abs(time - their.time) <= 150) }
                #expect(content.count == their.length)
                #expect(ExtractorDump.hash(content) == their.hash)
            }
        }
    }

    @Test(arguments: [1, 13, 4096]) func buffersOfAnySizeGiveTheSame(size: Int) throws {
        let path = "androidx-media/media/ts/sample_with_id3.adts"
        #expect(try PackedAudioRecording(path).packets == PackedAudioRecording(path, bufferSize: size).packets)
    }

    @Test func tagTellsWhenTheSegmentStarts() throws {
        let actual = try PackedAudioRecording("shaka-player/id3-metadata.aac")
        #expect(actual.startTimestamp == 0xD99F4)
        #expect(actual.format == .adts)
    }
}
