import MediaContainers
import PacketOracles
import Testing

@Suite(.enabled(if: Corpora.areExpected, "the corpora aren't here"))
struct PackedAudioOracleTests {
    @Test(
        arguments: OracleComparison.paths([".aac", ".adts", ".ac3", ".ec3", ".mp3"]) { $0.contains("ts-raw-aac") })
    func packetsAreThoseOfFFprobe(path: String) throws {
        var comparison = try OracleComparison(path)
        let actual = try PackedAudioRecording(path)
        comparison.tracks(actual.tracks)
        for (sample, bytes) in actual.samples {
            bytes.withUnsafeBytes { comparison.sample(sample, bytes: $0) }
        }
        comparison.expect()
        for picture in comparison.oracle.artwork {
            let data = try #require(actual.picture?.data)
            #expect(picture.packets.map(\.checksum) == [data.withUnsafeBytes { CRC32.checksum($0) }])
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
